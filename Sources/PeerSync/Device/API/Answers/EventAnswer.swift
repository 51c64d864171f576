/// One thing that has happened, as `GET /v1/history`, `GET /v1/events`, `peerd history` and `peerd watch` tell it. What does not
/// belong to its type is left out.
public struct EventAnswer: Codable, Hashable, Sendable {
  /// A type of event.
  public enum Kind: String, Codable, CaseIterable, Sendable {
    /// Something was bought, or a subscription renewed by the store.
    case purchase
    /// The store took a purchase back.
    case refund
    /// Credits were used up.
    case spend
    /// Credits were taken over from devices that are lost.
    case reclaim
    /// An entitlement was granted, or such a grant taken back.
    case grant
    /// A line got an explicit date, or none.
    case expiration
    /// A product of the catalogue was written.
    case product
    /// A value of the app was written.
    case value
    /// A device came to the group, was called something else, or was removed.
    case membership
    /// A person said that this device's clock is right.
    case accepted
    /// An entitlement ended because its time was up.
    case entitlement
    /// A subscription stands differently.
    case subscription
    /// A connection to a member began or ended.
    case connection
    /// Something that the person who runs the device should know began or ended.
    case warning
  }

  /// A name for people with what it stands for.
  public struct Named: Codable, Hashable, Sendable {
    /// The id.
    public let id: String
    /// What people call it; for a product without a name its id.
    public let name: String
    /// Of a device that is called something else since: what it was called when it was made.
    public var firstName: String?
  }

  /// When it happened; null: nobody says, and it is not kept.
  @Nullable public var time: Instant?
  /// What happened.
  public let type: Kind
  /// The device that did it; null: none, or it is not known here. A purchase names the device that bought, a refund the one whose
  /// own store took it back: another store does not say who asked.
  @Nullable public var device: Named?
  /// Whether ``time`` only says by when it had happened: the end of the hour in which this device heard of it.
  public var learned: Bool?
  /// Of a purchase or a refund: the store's id, as everywhere.
  public var transactionId: String?
  /// Of a purchase, a refund or a product.
  public var product: Named?
  /// Of a purchase or a refund: the units.
  public var quantity: Int?
  /// Of a purchase, a refund, a grant or a date that has just come: how the entitlements that it is about stand since.
  public var entitlements: [EntitlementAnswer]?
  /// Of a subscription: how it stands since.
  public var subscription: SubscriptionAnswer?
  /// Of a spend or of what was reclaimed.
  public var credit: String?
  /// How many credits.
  public var amount: Int64?
  /// Of a spend: its id.
  public var id: String?
  /// Of a grant or an end.
  public var entitlement: String?
  /// Of a date; of a purchase or a refund that has just come, the line that it is about.
  public var line: String?
  /// When a grant, an explicit date, that line or what has ended ends; left out: a grant has no end, or a line no cover.
  public var expires: Instant?
  /// Of a value: its name.
  public var key: String?
  /// Of a value: its text.
  public var value: String?
  /// What became of it: `bought`, `renewed`; `granted`, `revoked`; `joined`, `renamed`, `removed`; `connected`, `disconnected`; `began`,
  /// `ended`; of what was reclaimed `void` where that does not count, and `named` where a device that never was a member took it over: the
  /// device of the event names that one.
  public var change: String?
  /// Of membership and connection: the device that it is about.
  public var subject: Named?
  /// Of a warning: its text.
  public var text: String?

  package init(_ type: Kind, _ time: Instant?, by device: Named? = nil) {
    self.type = type
    _time = Nullable(wrappedValue: time)
    _device = Nullable(wrappedValue: device)
  }
}

extension EventAnswer {
  /// That a connection to a member began or ended.
  package init(connection peer: Named, isOpen: Bool, _ time: Instant) {
    self.init(.connection, time)
    (subject, change) = (peer, isOpen ? "connected" : "disconnected")
  }
}

/// What has happened.
public struct HistoryAnswer: Codable, Hashable, Sendable {
  /// The newest last.
  public let events: [EventAnswer]
  /// The same for people, one for each; left out but where a language is asked for.
  public internal(set) var sentences: [String]?
}

extension EventAnswer.Named {
  package init(_ device: MembershipGroup.Device) {
    self.init(id: device.id.description, name: device.name)
  }
}

extension EventAnswer {
  /// - Parameter product: what the catalogue says of a product
  package init(_ occurrence: Occurrence, _ product: (String) -> Product?) {
    let (time, isLearned): (Instant?, Bool) =
      switch occurrence.time {
      case .stated(let instant): (instant, false)
      case .learned(let instant): (instant, true)
      case .unknown: (nil, false)
      }
    self.init(occurrence.what.kind, time, by: occurrence.device.map { Named($0) })
    if isLearned { learned = true }
    func named(_ id: String) -> Named { Named(id: id, name: product(id)?.displayName ?? id) }
    switch occurrence.what {
    case .bought(let record), .refunded(let record):
      tell(record)
      self.product = named(record.transaction.productId)
      if type == .purchase { change = record.transaction.isRenewal ? "renewed" : "bought" }
    case .spent(let spend, let credit): (self.credit, amount, id) = (credit, spend.amount, spend.id)
    case .reclaimed(let amount, let credit, let counts, let isNamed):
      (self.credit, self.amount) = (credit, amount)
      change = counts ? (isNamed ? "named" : nil) : "void"
    case .granted(let entitlement, let grant):
      self.entitlement = entitlement
      (expires, change) = (grant.until, grant.present ? "granted" : "revoked")
    case .dated(let line, let register): (self.line, expires) = (line, register.expires)
    case .stated(let stated): self.product = Named(id: stated.id, name: stated.displayName ?? stated.id)
    case .set(let key, let value): (self.key, self.value) = (key, String(decoding: value, as: UTF8.self))
    case .joined(let device): (subject, change) = (Named(device), "joined")
    case .renamed(let name):
      let subject = occurrence.device.map { device in
        Named(id: device.id.description, name: name, firstName: device.firstName)
      }
      (self.subject, change) = (subject, "renamed")
    case .removed(let device): (subject, change) = (Named(device), "removed")
    case .accepted: break
    }
  }

  private mutating func tell(_ record: TransactionRecord) {
    (transactionId, quantity) = (record.reference, record.transaction.quantity)
  }
}

extension Occurrence.What {
  fileprivate var kind: EventAnswer.Kind {
    switch self {
    case .bought: .purchase
    case .refunded: .refund
    case .spent: .spend
    case .reclaimed: .reclaim
    case .granted: .grant
    case .dated: .expiration
    case .stated: .product
    case .set: .value
    case .joined, .renamed, .removed: .membership
    case .accepted: .accepted
    }
  }
}

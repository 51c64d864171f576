import PeerSyncCore

/// One purchase or renewal as the sandbox store knows it.
///
/// It is kept as one object with the fields of all its parts, which can be read as if they stood here.
@dynamicMemberLookup package struct SandboxTransaction: Codable, Hashable, Sendable {
  package let sale: Sale
  package let reduction: Reduction
  package var standing = Standing()
  package var version: SandboxVersion

  init(_ sale: Sale, at offer: SandboxOffer? = nil, _ version: SandboxVersion) {
    self.sale = sale
    reduction = Reduction(offer)
    self.version = version
  }

  package init(from decoder: any Decoder) throws {
    sale = try Sale(from: decoder)
    reduction = try Reduction(from: decoder)
    standing = try Standing(from: decoder)
    version = try SandboxVersion(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    try sale.encode(to: encoder)
    try reduction.encode(to: encoder)
    try standing.encode(to: encoder)
    try version.encode(to: encoder)
  }

  package subscript<Value>(dynamicMember fact: KeyPath<Sale, Value>) -> Value { sale[keyPath: fact] }
  package subscript<Value>(dynamicMember fact: KeyPath<Reduction, Value>) -> Value {
    reduction[keyPath: fact]
  }
  package subscript<Value>(dynamicMember fact: KeyPath<Standing, Value>) -> Value { standing[keyPath: fact] }
  package subscript<Value>(dynamicMember fact: KeyPath<SandboxVersion, Value>) -> Value {
    version[keyPath: fact]
  }

  /// What was sold, to whom, and for how much.
  package struct Sale: Codable, Hashable, Sendable {
    package let id: UInt64
    /// The first one of the subscription, or itself.
    package let original: UInt64
    package let account: String
    package let bundleId: String
    package let productId: String
    package let type: ProductType
    package let group: String?
    package let purchaseDate: Instant
    package let originalPurchaseDate: Instant
    package let expires: Instant?
    package let quantity: Int
    /// For all units, in thousandths of the currency's unit.
    package let price: Int64
    package let currency: String
    package let ownership: Ownership
    /// The purchase in the family that it shares.
    package let sharedFrom: UInt64?
    package let isRenewal: Bool
    /// The device that bought it; nil: whichever device of the account asks first.
    package let device: String?
    package let token: String?

    /// The id of the order, as receipts show it.
    package var orderId: String { "M" + String(id, radix: 36, uppercase: true) }
    /// Apple's `transactionReason`.
    package var reason: String { isRenewal ? "RENEWAL" : "PURCHASE" }
  }

  /// The offer that reduced its price, if one did.
  package struct Reduction: Codable, Hashable, Sendable {
    /// How it was paid; nil: none did.
    package let offer: StoreOffer.Payment?
    /// Its kind; nil: introductory.
    package let offerKind: StoreOffer.Kind?
    package let offerId: String?
    package let offerPeriod: Period?

    init(_ offer: SandboxOffer?) {
      self.offer = offer?.mode
      (offerKind, offerId, offerPeriod) = (offer?.kind, offer?.id, offer?.period)
    }

    /// Whether it was redeemed by a code.
    func isCode(_ code: Name?) -> Bool { offerKind == .code && offerId.map(Name.init) == code }

    /// As Apple tells of it.
    func write(to object: inout JSONObjectWriter) {
      offer.map { StoreOffer(code: (offerKind ?? .introductory).code, id: offerId, payment: $0) }?
        .write(to: &object)
      object.write("offerPeriod", offerPeriod?.description)
    }
  }

  /// What has become of it since.
  package struct Standing: Codable, Hashable, Sendable {
    package var revocation: Revocation?
    package var isUpgraded = false
    package var isFinished = false
    /// Whether it was taken back once and given again; nil: never, or not known from a store of before.
    package var wasReturned: Bool?

    /// Whether it was ever taken back. Who has heard of that has to hear of everything after it.
    var wasRevoked: Bool { revocation != nil || wasReturned == true }
    /// Whether it is what the customer has bought still: neither taken back nor replaced by an upgrade.
    package var stands: Bool { revocation == nil && !isUpgraded }
  }

  /// How the store took it back.
  package struct Revocation: Codable, Hashable, Sendable {
    package let date: Instant
    package let type: RevocationType
    /// Apple's code: 0 for another reason, 1 for an issue within the app.
    package let reason: Int
    /// The part taken back, in milliunits; nil: all.
    package let percentage: Int?

    /// The same as what it says in the payload.
    package var signed: Transaction.Revocation {
      var signed = Transaction.Revocation()
      (signed.date, signed.type, signed.reason, signed.percentage) = (date, type, reason, percentage)
      return signed
    }
  }

  /// The transaction of an order's id; nil for what is none.
  package static func id(ofOrder text: String) -> UInt64? {
    guard text.hasPrefix("M"), text.utf8.count <= 16 else { return nil }
    return UInt64(text.dropFirst(), radix: 36)
  }
}

/// One auto-renewable subscription. In JSON how it stands and what comes next are members of one object.
@dynamicMemberLookup public struct SubscriptionAnswer: Codable, Hashable, Sendable {
  /// How it stands.
  public let standing: Standing
  /// What comes next.
  public let renewal: Renewal
  /// The same for people; left out but where a language is asked for.
  public internal(set) var sentences: [String]?

  private enum OwnKey: CodingKey { case sentences }

  /// Reads both from one object.
  public init(from decoder: any Decoder) throws {
    standing = try Standing(from: decoder)
    renewal = try Renewal(from: decoder)
    sentences = try decoder.container(keyedBy: OwnKey.self).decodeIfPresent([String].self, forKey: .sentences)
  }

  /// Writes both into one object.
  public func encode(to encoder: any Encoder) throws {
    try standing.encode(to: encoder)
    try renewal.encode(to: encoder)
    var own = encoder.container(keyedBy: OwnKey.self)
    try own.encodeIfPresent(sentences, forKey: .sentences)
  }

  /// How it stands, as if it stood here.
  public subscript<Value>(dynamicMember fact: KeyPath<Standing, Value>) -> Value { standing[keyPath: fact] }
  /// What comes next, as if it stood here.
  public subscript<Value>(dynamicMember fact: KeyPath<Renewal, Value>) -> Value { renewal[keyPath: fact] }

  /// How a subscription stands.
  public struct Standing: Codable, Hashable, Sendable {
    /// Its first transaction; in the xcode environment with `@` and the device that recorded it.
    public let originalTransactionId: String
    /// The product of the transaction that ends last.
    public let productId: String
    /// subscribed, expired, inBillingRetry, inGracePeriod or revoked. Subscribed and inGracePeriod give access.
    public let state: String
    /// When its last period ends or ended; null when no transaction of it stands.
    @Nullable public var expires: Instant?
    /// When access ends or ended: that, or the end of the grace period behind it.
    @Nullable public var accessUntil: Instant?
    /// Why it ended: turnedOff, billingError, priceNotAccepted, productUnavailable or other; null while it has not, or
    /// while the store has not said.
    @Nullable public var reason: String?
    /// Until when the store goes on trying to bill.
    @Nullable public var retryUntil: Instant?
    /// The newest change into the present product.
    @Nullable public var lastChange: Change?
    /// The offer of the present period.
    @Nullable public var offer: Offer?
    /// Whether the family shares it.
    public let familyShared: Bool
    /// How the last period was taken back.
    @Nullable public var revocation: Revocation?
    /// Whole days of service paid for; a gap of 60 days or less keeps the count, a longer one resets it.
    public let daysOfPaidService: Int
  }

  /// What comes at the next renewal of a subscription.
  public struct Renewal: Codable, Hashable, Sendable {
    /// Whether it renews; null while the store has not said.
    @Nullable public var willRenew: Bool?
    /// The product that it renews as.
    @Nullable public var nextProductId: String?
    /// When the store bills next.
    @Nullable public var nextBillingDate: Instant?
    /// The price of the next period, a decimal number in the currency's unit.
    @Nullable public var renewalPrice: String?
    /// ISO 4217.
    @Nullable public var currency: String?
    /// Whether a higher price was agreed to: pending or accepted; null when there is none.
    @Nullable public var priceConsent: String?
    /// The change of product that takes effect at the next renewal.
    @Nullable public var nextChange: Change?
    /// The offer of the next period.
    @Nullable public var nextOffer: Offer?
    /// When the store signed what it said last of the renewal.
    @Nullable public var renewalSigned: Instant?
  }

  /// A change of product.
  public struct Change: Codable, Hashable, Sendable {
    /// The product before.
    public let from: String
    /// The product afterwards.
    public let to: String
    /// When it takes effect.
    @Nullable public var date: Instant?
    /// upgrade, downgrade or crossgrade; null where no catalogue says which level the products are of.
    @Nullable public var kind: String?
  }

  /// An offer of the store.
  public struct Offer: Codable, Hashable, Sendable {
    /// introductory, promotional, code, winBack or other.
    public let kind: String
    /// The app's name of it.
    @Nullable public var id: String?
    /// FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME.
    @Nullable public var payment: String?
  }

  /// How a period was taken back.
  public struct Revocation: Codable, Hashable, Sendable {
    /// When.
    public let date: Instant
    /// REFUND_FULL, REFUND_PRORATED or FAMILY_REVOKE.
    public let type: String
  }
}

/// The subscriptions.
public struct SubscriptionsAnswer: Codable, Hashable, Sendable {
  /// By their first transactions.
  public let subscriptions: [SubscriptionAnswer]

  package init(subscriptions: [SubscriptionAnswer]) {
    self.subscriptions = subscriptions
  }
}

extension SubscriptionAnswer {
  /// What the ledger answers of a subscription.
  public init(_ view: SubscriptionView) {
    standing = Standing(view)
    renewal = Renewal(view.renewal)
  }
}

extension SubscriptionAnswer.Standing {
  init(_ view: SubscriptionView) {
    self.init(
      originalTransactionId: view.originalTransactionId, productId: view.productId,
      state: view.state.rawValue, expires: view.expires, accessUntil: view.accessUntil,
      reason: view.reason?.rawValue, retryUntil: view.retryUntil,
      lastChange: view.lastChange.map(SubscriptionAnswer.Change.init),
      offer: view.offer.map(SubscriptionAnswer.Offer.init), familyShared: view.isFamilyShared,
      revocation: view.revocation.map(SubscriptionAnswer.Revocation.init), daysOfPaidService: view.paidDays)
  }
}

extension SubscriptionAnswer.Renewal {
  init(_ renewal: SubscriptionRenewal) {
    self.init(
      willRenew: renewal.willRenew, nextProductId: renewal.nextProductId,
      nextBillingDate: renewal.nextBilling, renewalPrice: renewal.renewalPrice.map(Price.text),
      currency: renewal.currency, priceConsent: renewal.priceConsent?.rawValue,
      nextChange: renewal.nextChange.map(SubscriptionAnswer.Change.init),
      nextOffer: renewal.nextOffer.map(SubscriptionAnswer.Offer.init), renewalSigned: renewal.renewalSigned)
  }
}

extension SubscriptionAnswer.Change {
  init(_ change: ProductChange) {
    self.init(from: change.from, to: change.to, date: change.date, kind: change.kind?.rawValue)
  }
}

extension SubscriptionAnswer.Offer {
  init(_ offer: StoreOffer) {
    self.init(kind: offer.kind.rawValue, id: offer.id, payment: offer.payment?.rawValue)
  }
}

extension SubscriptionAnswer.Revocation {
  init(_ revocation: SubscriptionRevocation) {
    self.init(date: revocation.date, type: revocation.type.rawValue)
  }
}

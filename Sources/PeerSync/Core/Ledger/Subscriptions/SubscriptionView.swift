/// The state of an auto-renewable subscription.
public enum SubscriptionState: String, Hashable, Sendable, CaseIterable {
  /// It runs.
  case subscribed = "subscribed"
  /// It has ended.
  case expired = "expired"
  /// It has ended because billing failed, and the store goes on trying [C36].
  case inBillingRetry = "inBillingRetry"
  /// Billing has failed, the store goes on trying, and the app gives access meanwhile [C35].
  case inGracePeriod = "inGracePeriod"
  /// The store took its last period back.
  case revoked = "revoked"
}

/// Why a subscription has ended: Apple's `expirationIntent`.
public enum ExpiryReason: String, Hashable, Sendable, CaseIterable {
  /// The customer turned renewal off.
  case turnedOff = "turnedOff"
  /// The store could not bill.
  case billingError = "billingError"
  /// The customer did not agree to a higher price [C37].
  case priceNotAccepted = "priceNotAccepted"
  /// The product was not sold any more.
  case productUnavailable = "productUnavailable"
  /// Another reason.
  case other = "other"

  /// Reads Apple's code.
  package init(expirationIntent code: Int) {
    switch code {
    case 1: self = .turnedOff
    case 2: self = .billingError
    case 3: self = .priceNotAccepted
    case 4: self = .productUnavailable
    default: self = .other
    }
  }
}

/// Whether the customer agrees to a higher price: Apple's `priceIncreaseStatus`.
public enum PriceConsent: String, Hashable, Sendable, CaseIterable {
  /// Not answered yet: without an answer the subscription ends with its period.
  case pending = "pending"
  /// Agreed to, or no answer needed.
  case accepted = "accepted"
}

/// A change from one product of a subscription to another.
public struct ProductChange: Hashable, Sendable {
  /// What becomes of the level of service.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// More; at once [C33].
    case upgrade = "upgrade"
    /// Less; at the next renewal [C34].
    case downgrade = "downgrade"
    /// Another product of the same level.
    case crossgrade = "crossgrade"
  }

  /// The product before.
  public let from: String
  /// The product afterwards.
  public let to: String
  /// When it takes effect; nil while that is not known.
  public let date: Instant?
  /// Nil where no catalogue says which level the products are of.
  public let kind: Kind?
}

/// How the store took the last period of a subscription back.
public struct SubscriptionRevocation: Hashable, Sendable {
  /// When.
  public let date: Instant
  /// Refunded, in full or in part, or no longer shared by the family [C38].
  public let type: RevocationType
}

/// One auto-renewable subscription: all transactions of one original, and what the store said last of its renewal.
///
/// What is known of the renewal can be read as if it stood here.
@dynamicMemberLookup public struct SubscriptionView: Equatable, Sendable {
  /// The reference of the first transaction.
  public let originalTransactionId: String
  /// The product of the transaction that ends last.
  public let productId: String
  /// When that period was bought: the entry of the catalogue of then says what it gives.
  package let periodStart: Instant
  /// Where it stands.
  public let state: SubscriptionState
  /// The greatest end of all its transactions that stand [A5]; nil when none does.
  public let expires: Instant?
  /// When access ends or ended: ``expires``, or the end of the grace period behind it; nil when no transaction stands.
  public let accessUntil: Instant?
  /// Why it has ended; nil while it has not, or while unknown.
  public let reason: ExpiryReason?
  /// Until when the store goes on trying to bill; nil unless it does.
  public let retryUntil: Instant?
  /// The newest change into the present product.
  public let lastChange: ProductChange?
  /// The offer of the present period.
  public let offer: StoreOffer?
  /// Whether the family shares it.
  public let isFamilyShared: Bool
  /// How its last period was taken back; nil when it was not.
  public let revocation: SubscriptionRevocation?
  /// Whole days of service paid for so far. A gap of 60 days or less keeps the count, a longer one resets it.
  public let paidDays: Int
  /// What comes at its next renewal.
  public let renewal: SubscriptionRenewal

  /// Whether it gives access.
  public var givesAccess: Bool { state == .subscribed || state == .inGracePeriod }

  /// What is known of its renewal.
  public subscript<Value>(dynamicMember fact: KeyPath<SubscriptionRenewal, Value>) -> Value {
    renewal[keyPath: fact]
  }
}

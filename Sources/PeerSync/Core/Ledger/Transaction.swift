/// Who says that a transaction is real. Every device finds out for itself; it is never replicated.
public enum Verification: String, Hashable, Sendable, CaseIterable {
  /// Apple: its signature was checked.
  case verified = "verified"
  /// A sandbox store that is trusted here: its signature was checked. Counts for nothing in production.
  case simulated = "simulated"
  /// Nobody who is trusted here: kept as evidence, grants nothing.
  case unverified = "unverified"

  /// Whether a purchase so checked counts in an environment.
  public func isAccepted(in environment: Environment) -> Bool {
    switch self {
    case .verified: true
    case .simulated: !environment.requiresVerification
    case .unverified: false
    }
  }
}

/// Whether a purchase is one's own: Apple's `inAppOwnershipType`.
public enum Ownership: String, Hashable, Sendable, CaseIterable {
  /// Bought with this account.
  case purchased = "PURCHASED"
  /// Shared by a member of the family.
  case familyShared = "FAMILY_SHARED"

  var code: UInt8 { self == .purchased ? 1 : 2 }
}

/// How the store took a purchase back: Apple's `revocationType`.
public enum RevocationType: String, Hashable, Sendable, CaseIterable {
  /// All of it.
  case refundFull = "REFUND_FULL"
  /// A part of it; rule 3.5.
  case refundProrated = "REFUND_PRORATED"
  /// The family shares it no longer.
  case familyRevoke = "FAMILY_REVOKE"

  var code: UInt8 {
    switch self {
    case .refundFull: 1
    case .refundProrated: 2
    case .familyRevoke: 3
    }
  }
}

/// Whether somebody bought, or the store renewed: Apple's `transactionReason`.
public enum TransactionReason: String, Hashable, Sendable, CaseIterable {
  /// The customer bought, or changed to another product.
  case purchase = "PURCHASE"
  /// The store renewed a subscription.
  case renewal = "RENEWAL"
}

/// What a refund leaves of a purchase.
public enum Refund: Hashable, Sendable {
  /// All: it was not taken back.
  case none
  /// A part, in milliunits of the whole: 1 to 100,000.
  case prorated(keeping: Int)
  /// Nothing.
  case full
}

/// One signed snapshot of a store transaction.
///
/// The fields are those of Apple's `JWSTransactionDecodedPayload` (App Store Server API) under the same names.
public struct Transaction: Hashable, Sendable {
  /// A hundred per cent in milliunits, the unit of ``revocationPercentage``.
  public static let wholeMilliunits = 100_000

  /// The store's identifier of this transaction.
  public var transactionId: String
  /// The transaction that this one restores or renews; its own identifier when it does neither.
  public var originalTransactionId: String
  /// What was bought.
  public var productId: String
  /// The app it was bought in.
  public var bundleId: String
  /// The store it was bought from.
  public var environment: Environment
  /// The kind of product as the store names it. The catalogue decides how it counts.
  public var type: ProductType?
  /// When it was bought, or when the store renewed it.
  public var purchaseDate: Instant
  /// Units bought, 1 to ``Limits/quantity``.
  public var quantity: Int
  /// When the store signed this snapshot: the newest wins [A6].
  public var signedDate: Instant
  /// What it says of having been taken back.
  package var revocation = Revocation()
  /// When an auto-renewable subscription ends unless it renews.
  public var expiresDate: Instant?
  /// Whether an upgrade replaced it: it gives no access any more [C33].
  public var isUpgraded: Bool
  /// Whether it is one's own or shared by the family.
  public var ownership: Ownership
  /// Apple's `appAccountToken`: what the app passed when it bought. One that is a ``CreditHolder`` says where the credits
  /// were bought.
  public var accountToken: String?
  /// The price in thousandths of the currency's unit.
  public var price: Int64?
  /// The ISO 4217 code of the price's currency.
  public var currency: String?
  /// The ISO 3166-1 alpha-3 code of the store's country.
  public var storefront: String?
  /// The offer with which it was bought, if any.
  public var offer: StoreOffer?
  /// Whether somebody bought or the store renewed, where the store says otherwise than the ids would; see ``isRenewal``.
  public var reason: TransactionReason?
  /// Who says that it is real.
  public var verification: Verification

  /// Makes a snapshot of a purchase; what is not given is as in a plain purchase, signed when it was bought. Values are
  /// not checked here: ``isWithinLimits`` does.
  public init(
    transactionId: String, originalTransactionId: String? = nil, productId: String, bundleId: String,
    environment: Environment, purchaseDate: Instant, quantity: Int = 1, signedDate: Instant? = nil,
    verification: Verification
  ) {
    self.transactionId = transactionId
    self.originalTransactionId = originalTransactionId ?? transactionId
    self.productId = productId
    self.bundleId = bundleId
    self.environment = environment
    self.purchaseDate = purchaseDate
    self.quantity = quantity
    self.signedDate = signedDate ?? purchaseDate
    isUpgraded = false
    ownership = .purchased
    self.verification = verification
  }

  /// Whether the store renewed a subscription by it. Where the store gives no reason, all periods but the first are renewals.
  public var isRenewal: Bool {
    reason.map { $0 == .renewal } ?? (expiresDate != nil && transactionId != originalTransactionId)
  }

  /// Whether it counts in its environment at all.
  public var isAccepted: Bool { verification.isAccepted(in: environment) }

  /// What orders its snapshots, and stamps their registers: the store's date.
  public var stamp: Stamp { Stamp(signedDate) }

  /// Whether every field is within ``Limits`` and so can be replicated.
  public var isWithinLimits: Bool { (try? Transaction(decoding: encoded[...])) != nil }
}

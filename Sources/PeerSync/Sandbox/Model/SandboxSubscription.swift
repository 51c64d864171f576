import PeerSyncCore

/// An auto-renewable subscription of one account in one group: what its transactions together amount to.
package struct SandboxSubscription: Codable, Hashable, Sendable {
  /// Apple's `status`.
  package enum State: Int, Codable, Hashable, Sendable {
    case subscribed = 1
    case expired = 2
    case inBillingRetry = 3
    case inGracePeriod = 4
    case revoked = 5
  }

  /// Apple's `expirationIntent`: why it ended.
  package enum Reason: Int, Codable, Hashable, Sendable {
    case turnedOff = 1
    case billingError = 2
    case priceNotAccepted = 3
    case productUnavailable = 4
    case other = 5
  }

  /// A higher price that waits for the next renewal.
  package struct PriceIncrease: Codable, Hashable, Sendable {
    package let price: Int64
    /// Whether the subscriber must agree; else he is only told.
    package let needsConsent: Bool
    package var hasAgreed: Bool

    /// Apple's `priceIncreaseStatus`.
    package var status: Int { needsConsent && !hasAgreed ? 0 : 1 }
  }

  package private(set) var original: UInt64
  package private(set) var account: String
  package let bundleId: String
  package let group: String
  package let currency: String
  package private(set) var token: String?

  package var productId: String
  /// The newest transaction.
  package var latest: UInt64
  package var state = State.subscribed
  /// Apple's `recentSubscriptionStartDate`.
  package var start: Instant
  /// What the ends of periods are counted from, so that the 31st stays the 31st.
  package var anchor: Instant
  /// Periods since the anchor.
  package var periods = 1
  package var expires: Instant
  package var willRenew = true
  /// What it renews as.
  package var nextProductId: String
  /// What one period costs.
  package var price: Int64
  package var increase: PriceIncrease?
  package var graceEnds: Instant?
  package var retryEnds: Instant?
  package var reason: Reason?
  /// Renewals since it last began.
  package var renewals = 0
  /// The offer that was last taken up.
  package var offer: SandboxOffer?
  /// The product that it is of.
  package var offerProductId: String?
  /// Payments that are still to come at its price.
  package var offerPeriodsLeft = 0
  /// The offer that comes after it.
  package var nextOffer: SandboxOffer?
  /// Once it is over: the win-back offers that the customer may have, the best first; nil: none.
  package var winBackOffers: [String]?
  /// Whether the renewal of this period was looked at ten days ahead.
  package var isChecked = false
  /// Whether the renewal of this period was tried before its end.
  package var isTried = false
  /// What stands in the way of the next renewal, one sentence each.
  package var warnings: [String] = []
  package var signed: Instant
  package var revision: UInt64

  /// As it is told to one of the family who shares it: under the number of his own transactions, and without the buyer's
  /// token.
  ///
  /// - Parameter transaction: his newest
  func shared(by transaction: SandboxTransaction) -> SandboxSubscription {
    var shared = self
    (shared.original, shared.account, shared.token) = (transaction.original, transaction.account, nil)
    shared.revision = max(revision, transaction.revision)
    return shared
  }

  /// Whether it gives access.
  package var isActive: Bool { state == .subscribed || state == .inGracePeriod }

  /// Whether it has ended, and no payment is tried any more.
  package var isOver: Bool { state == .expired || state == .revoked }

  /// The offer at whose price the next period is sold.
  package var comingOffer: SandboxOffer? {
    guard let offerProductId, Name(offerProductId) == Name(nextProductId) else { return nil }
    return offerPeriodsLeft > 0 ? offer : nextOffer
  }

  /// Sets at whose price the next payments are made.
  mutating func take(
    _ offer: SandboxOffer?, of product: String, payments: Int, then next: SandboxOffer? = nil
  ) {
    (self.offer, offerProductId) = (offer, offer == nil ? nil : product)
    (offerPeriodsLeft, nextOffer) = (offer == nil ? 0 : payments, next)
  }

  /// Takes up the coming offer for one payment. Without one, what was left of another is gone.
  mutating func useComingOffer() {
    let coming = comingOffer
    if coming != nil, offerPeriodsLeft > 0 {
      offerPeriodsLeft -= 1
    } else {
      take(coming, of: nextProductId, payments: (coming?.payments ?? 1) - 1)
    }
  }
}

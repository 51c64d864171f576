import PeerSyncCore

extension SandboxSubscription {
  /// The periods that were sold so far.
  package struct Course: Codable, Hashable, Sendable {
    package private(set) var productId: String
    /// The newest transaction.
    package private(set) var latest: UInt64
    /// Apple's `recentSubscriptionStartDate`.
    package private(set) var start: Instant
    /// What the ends of periods are counted from, so that the 31st stays the 31st.
    package private(set) var anchor: Instant
    /// Periods since the anchor.
    package private(set) var periods = 1
    package private(set) var expires: Instant
    /// What one period costs.
    package private(set) var price: Int64
    /// Renewals since it last began.
    package private(set) var renewals = 0

    init(_ first: SandboxTransaction, of product: SandboxProduct) {
      (productId, price) = (product.id, product.price)
      (latest, start, anchor) = (first.id, first.purchaseDate, first.purchaseDate)
      expires = first.expires ?? first.purchaseDate
    }

    /// Counts from a period that is bought by hand.
    ///
    /// - Parameter isNew: whether it had ended before
    mutating func begin(_ product: SandboxProduct, at time: Instant, isNew: Bool) {
      if isNew { (start, renewals) = (time, 0) }
      (productId, price) = (product.id, product.price)
      (anchor, periods) = (time, 1)
    }

    /// Counts a renewal.
    mutating func renew(from anchor: Instant, periods: Int, price: Int64) {
      (self.anchor, self.periods, self.price) = (anchor, periods, price)
      renewals += 1
    }

    /// Goes on with a transaction.
    mutating func run(_ transaction: SandboxTransaction) {
      latest = transaction.id
      productId = transaction.productId
      expires = transaction.expires ?? expires
    }
  }
}

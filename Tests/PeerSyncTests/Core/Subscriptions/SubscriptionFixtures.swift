import PeerSyncCore

/// A subscription, told by short words.
enum Club {
  static let basic = product("basic", level: 2)
  static let plus = product("plus", level: 1)
  static let yearly = product("yearly", level: 1)
  static let products = [basic, plus, yearly]

  private static func product(_ id: String, level: Int) -> Product {
    var product = Product(id: id, type: .autoRenewableSubscription, entitlements: [id])
    product.level = level
    return product
  }

  static func ledger() -> Ledger { Fixtures.ledger(products: products) }

  /// A period of the subscription that "1" began.
  static func period(
    _ id: String, _ product: Product = basic, from start: String, to end: String, original: String = "1"
  ) -> Transaction {
    var transaction = Fixtures.buy(id, product, start)
    transaction.originalTransactionId = original
    transaction.expiresDate = instant(end)
    return transaction
  }

  /// What the store says of its renewal.
  static func renewal(
    signed: String, renews: Bool = true, due: String? = nil, original: String = "1"
  ) -> RenewalInfo {
    RenewalInfo(
      originalTransactionId: original, productId: "basic", autoRenewStatus: renews,
      renewalDate: due.map(instant), environment: .sandbox, signedDate: instant(signed),
      verification: .simulated)
  }
}

extension Ledger {
  /// How the only subscription stands.
  func club(at now: String) -> SubscriptionView? {
    var copy = self
    let views = copy.view(at: instant(now)).subscriptions
    return views.count == 1 ? views[0] : nil
  }
}

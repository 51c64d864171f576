import PeerSyncCore
import PeerSyncSandbox

extension SandboxFixture {
  /// Every kind of offer with every way to pay, and codes for each kind of customer.
  static let monthlyOffers: [SandboxOffer] = [
    .init(.promotional, id: "free", mode: .freeTrial, period: period("P2W")),
    .init(.promotional, id: "three", mode: .payAsYouGo, period: period("P1M"), periods: 3, price: 990),
    .init(.promotional, id: "half-year", mode: .payUpFront, period: period("P6M"), price: 9990),
    .init(.code, id: "welcome", mode: .freeTrial, period: period("P1W"), customers: [.new]),
    .init(.code, id: "stay", mode: .payAsYouGo, period: period("P1M"), periods: 2, customers: [.existing]),
    .init(.code, id: "again", mode: .payUpFront, period: period("P1M"), periods: 2, customers: [.expired]),
    .init(.code, id: "all", mode: .freeTrial, period: period("P1M")),
    .init(.winBack, id: "back", mode: .payAsYouGo, period: period("P1M"), periods: 2, price: 500),
    .init(.winBack, id: "later", mode: .freeTrial, period: period("P1M"), wait: period("P2M")),
  ]

  static func promotion(_ id: String) -> SandboxOffer {
    .init(.promotional, id: id, mode: .payAsYouGo, period: period("P1M"), periods: 2, price: 100)
  }

  static let trialOffers: [SandboxOffer] = [
    .init(.introductory, mode: .freeTrial, period: period("P1W")),
    .init(.code, id: "stacked", mode: .payAsYouGo, period: period("P1M"), periods: 2, isStackable: true),
    .init(.code, id: "instead", mode: .payUpFront, period: period("P3M"), price: 1990),
  ]

  static func period(_ text: String) -> Period {
    guard let period = Period(text) else { preconditionFailure("no period") }
    return period
  }

  /// Buys at an offer, which must go through.
  @discardableResult mutating func buy(
    _ product: String, at offer: String, by account: String = me
  ) throws -> UInt64 {
    guard case .purchased(let id) = try handle(.buy(SandboxFixture.order(product, by: account, at: offer)))
    else { throw SandboxRefusal.unknownOffer(offer) }
    return id
  }

  static func order(_ product: String, by account: String = me, at offer: String) -> SandboxOrder {
    var order = order(product, by: account)
    order.offer = offer
    return order
  }

  /// What is said when somebody asks for an offer; nil when it is sold.
  mutating func refusal(of offer: String, _ product: String = "monthly") -> SandboxRefusal? {
    refusal(.buy(SandboxFixture.order(product, at: offer)))
  }

  /// The prices, offers and ends of all periods so far.
  var sold: [String] {
    store.transactions.map {
      "\($0.offerId ?? $0.offer.map { _ in "introductory" } ?? "-") \($0.price) \($0.expires?.description.prefix(10) ?? "")"
    }
  }
}

import PeerSync
import Testing

/// A sandbox store for tests, with the time given as days and times.
struct ShopFixture {
  static let me = "me@example.com"
  static let app = "com.example.owls"

  var shop: PeerSync.Shop
  /// Everything that has happened.
  private(set) var events: [ShopEvent] = []

  init(_ scale: ShopScale = .real, at start: String = "2026-01-31") throws {
    let time = try #require(Instant(start))
    shop = PeerSync.Shop(terms: ShopTerms(seed: 7, scale: scale), at: time)
    try shop.stock(ShopFixture.products)
    _ = shop.takeEvents()
  }

  static let products = [
    plan("weekly", Period(months: 0, days: 7), 990, rank: 3, [promotion("less")]),
    plan("monthly", Period(months: 1, days: 0), 2990, rank: 2, isShareable: true, monthlyOffers),
    plan("yearly", Period(months: 12, days: 0), 29_990, rank: 2),
    plan("premium", Period(months: 1, days: 0), 4990, rank: 1, [promotion("more")]),
    ShopProduct(
      id: "trial", type: .autoRenewableSubscription, period: Period(months: 1, days: 0), price: 990,
      group: "other", offers: trialOffers),
    ShopProduct(id: "owls", type: .consumable, price: 500),
    ShopProduct(id: "carefree", type: .nonConsumable, price: 3000, isFamilyShareable: true),
    ShopProduct(id: "season", type: .nonRenewingSubscription, price: 1000),
  ]

  private static func plan(
    _ id: String, _ period: Period?, _ price: Int64, rank: Int, isShareable: Bool = false,
    _ offers: [ShopOffer] = []
  ) -> ShopProduct {
    ShopProduct(
      id: id, type: .autoRenewableSubscription, period: period, price: price, group: "plans", rank: rank,
      isFamilyShareable: isShareable, offers: offers)
  }

  // MARK: What happens

  @discardableResult mutating func handle(_ command: ShopCommand) throws -> ShopResult {
    let result = try shop.handle(command, now: shop.time)
    events += shop.takeEvents()
    return result
  }

  mutating func advance(to text: String) throws {
    try shop.advance(to: try #require(Instant(text)))
    events += shop.takeEvents()
  }

  static func order(_ product: String, by account: String = me, on device: String? = "phone") -> ShopOrder {
    ShopOrder(account: account, bundleId: app, productId: product, device: device)
  }

  /// Buys, which must go through.
  @discardableResult mutating func buy(
    _ product: String, by account: String = me, on device: String? = "phone"
  ) throws -> UInt64 {
    guard case .purchased(let id) = try handle(.buy(ShopFixture.order(product, by: account, on: device)))
    else {
      throw ShopRefusal.unknownProduct(product)
    }
    return id
  }

  mutating func refusal(_ command: ShopCommand) -> ShopRefusal? {
    do throws(ShopRefusal) {
      _ = try shop.handle(command, now: shop.time)
      return nil
    } catch { return error }
  }

  // MARK: What is seen

  func seen(by account: String = me, on device: String? = "phone") -> ShopCustomer {
    ShopCustomer(account: account, bundleId: ShopFixture.app, device: device)
  }

  var subscription: ShopSubscription {
    get throws { try #require(shop.subscriptions.first) }
  }

  /// Types and subtypes of all notifications so far.
  var told: [String] {
    events.compactMap { event in
      guard case .notification(let told) = event else { return nil }
      return told.subtype.map { "\(told.type)/\($0)" } ?? told.type
    }
  }
}

extension ShopSubscription {
  /// The end of the present period.
  var end: String { expires.description }
}

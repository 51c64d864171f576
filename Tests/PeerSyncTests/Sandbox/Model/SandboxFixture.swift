import PeerSyncCore
import PeerSyncSandbox
import Testing

/// A sandbox store for tests, with the time given as days and times.
struct SandboxFixture {
  static let me = "me@example.com"
  static let app = "com.example.owls"

  var store: SandboxStore
  /// Everything that has happened.
  private(set) var events: [SandboxEvent] = []

  init(_ scale: SandboxScale = .real, at start: String = "2026-01-31") throws {
    let time = try #require(Instant(start))
    store = SandboxStore(terms: SandboxTerms(seed: 7, scale: scale), at: time)
    try store.stock(SandboxFixture.products)
    _ = store.takeEvents()
  }

  static let products = [
    plan("weekly", Period(months: 0, days: 7), 990, rank: 3, [promotion("less")]),
    plan("monthly", Period(months: 1, days: 0), 2990, rank: 2, isShareable: true, monthlyOffers),
    plan("yearly", Period(months: 12, days: 0), 29_990, rank: 2),
    plan("premium", Period(months: 1, days: 0), 4990, rank: 1, [promotion("more")]),
    SandboxProduct(
      id: "trial", type: .autoRenewableSubscription, period: Period(months: 1, days: 0), price: 990,
      group: "other", offers: trialOffers),
    SandboxProduct(id: "owls", type: .consumable, price: 500),
    SandboxProduct(id: "carefree", type: .nonConsumable, price: 3000, isFamilyShareable: true),
    SandboxProduct(id: "season", type: .nonRenewingSubscription, price: 1000),
  ]

  private static func plan(
    _ id: String, _ period: Period?, _ price: Int64, rank: Int, isShareable: Bool = false,
    _ offers: [SandboxOffer] = []
  ) -> SandboxProduct {
    SandboxProduct(
      id: id, type: .autoRenewableSubscription, period: period, price: price, group: "plans", rank: rank,
      isFamilyShareable: isShareable, offers: offers)
  }

  // MARK: What happens

  @discardableResult mutating func handle(_ command: SandboxCommand) throws -> SandboxResult {
    let result = try store.handle(command, now: store.time)
    events += store.takeEvents()
    return result
  }

  mutating func advance(to text: String) throws {
    try store.advance(to: try #require(Instant(text)))
    events += store.takeEvents()
  }

  static func order(_ product: String, by account: String = me, on device: String? = "phone") -> SandboxOrder
  {
    SandboxOrder(account: account, bundleId: app, productId: product, device: device)
  }

  /// Buys, which must go through.
  @discardableResult mutating func buy(
    _ product: String, by account: String = me, on device: String? = "phone"
  ) throws -> UInt64 {
    guard case .purchased(let id) = try handle(.buy(SandboxFixture.order(product, by: account, on: device)))
    else {
      throw SandboxRefusal.unknownProduct(product)
    }
    return id
  }

  mutating func refusal(_ command: SandboxCommand) -> SandboxRefusal? {
    do throws(SandboxRefusal) {
      _ = try store.handle(command, now: store.time)
      return nil
    } catch { return error }
  }

  // MARK: What is seen

  func seen(by account: String = me, on device: String? = "phone") -> SandboxCustomer {
    SandboxCustomer(account: account, bundleId: SandboxFixture.app, device: device)
  }

  var subscription: SandboxSubscription {
    get throws { try #require(store.subscriptions.first) }
  }

  /// Types and subtypes of all notifications so far.
  var told: [String] {
    events.compactMap { event in
      guard case .notification(let told) = event else { return nil }
      return told.subtype.map { "\(told.type)/\($0)" } ?? told.type
    }
  }
}

extension SandboxSubscription {
  /// The end of the present period.
  var end: String { self.expires.description }
}

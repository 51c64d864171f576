import Foundation
import PeerSync
import Testing

@Suite("What a sandbox store of before has kept") struct ShopMigrationTests {
  /// A record as it is kept, in the words of before.
  private func aged<Record: Codable>(
    _ record: Record, without names: [String], and old: (name: String, value: String)? = nil
  ) throws -> Record {
    let kept = try JSONSerialization.jsonObject(with: Data(JSON.encode(record)))
    var members = try #require(kept as? [String: Any])
    for name in names { #expect(members.removeValue(forKey: name) != nil, "\(name) is kept") }
    if let old { members[old.name] = try JSONSerialization.jsonObject(with: Data(old.value.utf8)) }
    return try JSON.decode(Record.self, from: Array(try JSONSerialization.data(withJSONObject: members)))
  }

  private func trialBought() throws -> ShopFixture {
    var fixture = try ShopFixture(at: "2026-01-01")
    try fixture.shop.stock([
      ShopProduct(
        id: "club", type: .autoRenewableSubscription, period: ShopFixture.period("P1M"), price: 990,
        offers: [
          .init(.introductory, mode: .payAsYouGo, period: ShopFixture.period("P1M"), periods: 3, price: 100)
        ])
    ])
    try fixture.buy("club")
    return fixture
  }

  @Test("a product's introductory offer")
  func products() throws {
    let product = try #require(try trialBought().shop.product("club"))
    let old = try aged(
      product, without: ["offers"],
      and: ("introductory", #"{"mode":"PAY_AS_YOU_GO","period":"P1M","periods":3,"price":100}"#))
    #expect(old == product)
    #expect(try aged(product, without: ["offers"]).offers.isEmpty)
    #expect(try aged(product, without: []) == product)
  }

  @Test("a period at the introductory offer, and how many of them are left")
  func subscriptions() throws {
    var fixture = try trialBought()
    let bought = try #require(fixture.shop.transactions.first)
    let old = try aged(bought, without: ["offerKind", "offerPeriod"])
    guard case .transaction(let read) = try StorePayload(old.payload(storefront: "USA")) else {
      throw ShopRefusal.unknownTransaction(bought.id)
    }
    #expect(read.offer == StoreOffer(code: 1, payment: .payAsYouGo))
    let subscription = try aged(try fixture.subscription, without: ["offer", "offerProductId"])
    #expect(subscription.offerPeriodsLeft == 2 && subscription.comingOffer == nil)
    var shop = fixture.shop
    shop = PeerSync.Shop(
      terms: shop.terms, at: shop.time, revision: shop.revision, products: Array(shop.products.values),
      accounts: Array(shop.accounts.values), transactions: [old], subscriptions: [subscription],
      requests: [], notifications: [])
    for day in ["2026-03-01", "2026-05-01"] {
      try fixture.advance(to: day)
      try shop.advance(to: try #require(Instant(day)))
    }
    #expect(shop.transactions.map(\.price) == [100, 100, 100, 990, 990])
    #expect(shop.transactions.map(\.expires) == fixture.shop.transactions.map(\.expires))
  }

  @Test("what was to become of one purchase, which stood in the place of what becomes of the others")
  func moods() async throws {
    let directory = try TemporaryDirectory()
    func keeper() async throws -> ShopKeeper {
      let keeper = try ShopKeeper(
        ShopKeeper.Configuration(directory: directory.path, log: Log(level: .error)))
      try await keeper.start()
      return keeper
    }
    let first = try await keeper()
    for account in ["one", "other"] {
      _ = try await first.perform(.setMood(.ask, account: account, isOnce: false))
    }
    await first.stop()
    let old = "json_set(CAST(%@ AS TEXT), '$.mood', 'fail', '$.isMoodOnce', json('true')) AS BLOB)"
    try Database(path: DataDirectory(directory.path).shopDatabase).execute(
      """
      DELETE FROM migrations WHERE name LIKE '2 %';
      UPDATE state SET terms = CAST(\(old.replacing("%@", with: "terms"));
      UPDATE records SET value = CAST(\(old.replacing("%@", with: "value")) WHERE kind = 2 AND name = 'one';
      """)
    let second = try await keeper()
    let (terms, accounts) = try await second.read { shop, _ in
      (shop.terms, shop.accounts.values.sorted { $0.id < $1.id })
    }
    #expect(terms.mood == .succeed && terms.moodOnce == .fail)
    #expect(accounts.map(\.mood) == [nil, .ask] && accounts.map(\.moodOnce) == [.fail, nil])
    await second.stop()
  }
}

import Foundation
import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

@Suite("What a sandbox store of before has kept") struct SandboxMigrationTests {
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

  private func trialBought() throws -> SandboxFixture {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.store.stock([
      SandboxProduct(
        id: "club", type: .autoRenewableSubscription, period: SandboxFixture.period("P1M"), price: 990,
        offers: [
          .init(
            .introductory, mode: .payAsYouGo, period: SandboxFixture.period("P1M"), periods: 3, price: 100)
        ])
    ])
    try fixture.buy("club")
    return fixture
  }

  @Test("a product's introductory offer")
  func products() throws {
    let product = try #require(try trialBought().store.product("club"))
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
    let bought = try #require(fixture.store.transactions.first)
    let old = try aged(bought, without: ["offerKind", "offerPeriod"])
    guard case .transaction(let read) = try StorePayload(old.payload(storefront: "USA")) else {
      throw SandboxRefusal.unknownTransaction(bought.id)
    }
    #expect(read.offer == StoreOffer(code: 1, payment: .payAsYouGo))
    let subscription = try aged(try fixture.subscription, without: ["offer", "offerProductId"])
    #expect(subscription.offerPeriodsLeft == 2 && subscription.comingOffer == nil)
    var sandboxStore = fixture.store
    sandboxStore = SandboxStore(
      terms: sandboxStore.terms, at: sandboxStore.time, revision: sandboxStore.revision,
      products: Array(sandboxStore.products.values),
      accounts: Array(sandboxStore.accounts.values), transactions: [old], subscriptions: [subscription],
      requests: [], notifications: [])
    for day in ["2026-03-01", "2026-05-01"] {
      try fixture.advance(to: day)
      try sandboxStore.advance(to: try #require(Instant(day)))
    }
    #expect(sandboxStore.transactions.map(\.price) == [100, 100, 100, 990, 990])
    #expect(sandboxStore.transactions.map(\.expires) == fixture.store.transactions.map(\.expires))
  }

  @Test("a transaction and a subscription are kept as one flat object each")
  func flat() throws {
    var fixture = try trialBought()
    func names(_ record: some Encodable) throws -> [String] {
      let kept = try JSONSerialization.jsonObject(with: Data(JSON.encode(record)))
      return try #require(kept as? [String: Any]).keys.sorted()
    }
    #expect(
      try names(try #require(fixture.store.transactions.first)) == [
        "account", "bundleId", "currency", "device", "expires", "group", "id", "isFinished", "isRenewal",
        "isUpgraded", "offer", "offerKind", "offerPeriod", "original", "originalPurchaseDate", "ownership",
        "price", "productId", "purchaseDate", "quantity", "revision", "signed", "type",
      ])
    let subscription = try fixture.subscription
    #expect(
      try names(subscription) == [
        "account", "anchor", "bundleId", "currency", "expires", "group", "isChecked", "isTried", "latest",
        "nextProductId", "offer", "offerPeriodsLeft", "offerProductId", "original", "periods", "price",
        "productId", "renewals", "revision", "signed", "start", "state", "warnings", "willRenew",
      ])
    #expect(try aged(subscription, without: []) == subscription)
    try fixture.handle(.refund(transaction: subscription.original, percentage: nil))
    let refunded = try #require(fixture.store.transactions.first)
    #expect(try aged(refunded, without: []) == refunded)
  }

  @Test("what was to become of one purchase, which stood in the place of what becomes of the others")
  func moods() async throws {
    let directory = try TemporaryDirectory()
    func store() async throws -> SandboxStoreServer {
      let store = try SandboxStoreServer(
        SandboxStoreServer.Configuration(directory: directory.path, log: Log(level: .error)))
      try await store.start()
      return store
    }
    let first = try await store()
    for account in ["one", "other"] {
      _ = try await first.perform(.setMood(.ask, account: account, isOnce: false))
    }
    await first.stop()
    let old = "json_set(CAST(%@ AS TEXT), '$.mood', 'fail', '$.isMoodOnce', json('true')) AS BLOB)"
    try Database(path: DataDirectory(directory.path).sandboxDatabase).execute(
      """
      DELETE FROM migrations WHERE name LIKE '2 %';
      UPDATE state SET terms = CAST(\(old.replacing("%@", with: "terms"));
      UPDATE records SET value = CAST(\(old.replacing("%@", with: "value")) WHERE kind = 2 AND name = 'one';
      """)
    let second = try await store()
    let (terms, accounts) = try await second.read { sandboxStore, _ in
      (sandboxStore.terms, sandboxStore.accounts.values.sorted { $0.id < $1.id })
    }
    #expect(terms.mood == .succeed && terms.moodOnce == .fail)
    #expect(accounts.map(\.mood) == [nil, .ask] && accounts.map(\.moodOnce) == [.fail, nil])
    await second.stop()
  }
}

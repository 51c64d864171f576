import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What a device's own user decides: explicit dates, grants, values, products.
@Suite struct RegisterRequestTests {
  private static let owls = "owls of the night"

  /// A device alone, with a catalogue.
  private func device() -> Harness {
    let harness = Harness(1)
    #expect(ask(harness, .addProducts(Fixtures.all, version: 3)) == .done(changed: Fixtures.all.count))
    return harness
  }

  private func ask(_ harness: Harness, _ request: Request) -> Answer? {
    let id = harness.request(request, of: 0)
    return harness.answers[id]
  }

  private func ledger<Result>(_ harness: Harness, _ body: (inout Ledger) -> Result) -> Result? {
    var result: Result?
    harness.adjust(0) { engine in result = engine.ledger(body) }
    return result
  }

  @Test func productsComeAllOrNone() {
    let harness = Harness(1)
    let unfit = Product(id: String(repeating: "x", count: Limits.textBytes + 1))
    #expect(
      ask(harness, .addProducts([Fixtures.owl, unfit], version: 1)) == .refused(.unfitProduct(unfit.id)))
    #expect(harness.replica(0).count == 0)
    #expect(ask(harness, .addProducts([Fixtures.owl], version: 1)) == .done(changed: 1))
    #expect(ask(harness, .addProducts([Fixtures.owl], version: 1)) == .done(changed: 0))
    #expect(ledger(harness) { $0.catalogue } == Catalogue(products: [Fixtures.owl], version: 1))
  }

  /// Whatever way they come, and in however many pieces; what others state does not count.
  @Test(arguments: 0..<3) func productsHaveAnEnd(way: Int) {
    func request(_ products: [Product]) -> Request {
      [.addProducts(products, version: 1), .putProducts(products), .adoptProducts(products)][way]
    }
    func products(_ numbers: Range<Int>, _ name: String = "p", months: Int = 1) -> [Product] {
      numbers.map {
        Product(
          id: "\(name)\($0)", type: .nonRenewingSubscription, line: "a",
          period: Period(months: months, days: 0), entitlements: ["a"])
      }
    }
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let other = harness.request(.addProducts(products(0..<3, "other"), version: 1), of: 1)
    harness.settle()
    #expect(harness.answers[other] == .done(changed: 3) && harness.replica(0).count == 3)
    let limit = Limits.products
    #expect(ask(harness, request(products(0..<limit - 1))) == .done(changed: limit - 1))
    #expect(ask(harness, request(products(limit - 1..<limit + 1))) == .refused(.tooManyProducts))
    #expect(ask(harness, request(products(limit - 1..<limit))) == .done(changed: 1))
    #expect(ask(harness, request(products(limit..<limit + 1))) == .refused(.tooManyProducts))
    // What is there already may change.
    let change = Request.putProducts(products(0..<2, months: 2))
    #expect(ask(harness, change) == .done(changed: 2))
  }

  @Test func aDateStandsInForWhatIsKnown() {
    let harness = device()
    var bought = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    bought.bundleId = Harness.bundleId
    harness.request(.write(SimulatedStore.writes(of: bought)), of: 0)
    let until = instant("2026-02-01")
    let expected = ExpirationRegister(expires: until, covers: ["1"])
    let now = harness.now(0).wall
    #expect(
      ask(harness, .setExpiration(line: "random", until)) == .expiration(expected, written: now))
    #expect(ledger(harness) { $0.expires() } == until)
    #expect(
      ask(harness, .setExpiration(line: "other", nil)) == .refused(.unknownLine("other", known: ["random"])))
  }

  @Test func aDateCannotStandInForTooMuch() {
    let harness = device()
    let purchases = (0...Limits.coveredTransactions).map { number in
      var bought = Fixtures.buy("\(number)", Fixtures.threeMonths, "2026-01-01")
      bought.bundleId = Harness.bundleId
      return bought
    }
    harness.request(.write(purchases.flatMap { SimulatedStore.writes(of: $0) }), of: 0)
    #expect(ask(harness, .setExpiration(line: "random", nil)) == .refused(.tooManyPurchases))
  }

  @Test func grantsAreTakenBackTogether() {
    let harness = device()
    #expect(ask(harness, .revoke(entitlement: Self.owls)) == .refused(.unknownGrant(Self.owls, known: [])))
    let until = instant("2030-01-01")
    #expect(ask(harness, .grant(entitlement: Self.owls, until: until)) == .done(changed: 1))
    #expect(ask(harness, .revoke(entitlement: "x")) == .refused(.unknownGrant("x", known: [Self.owls])))
    #expect(ask(harness, .grant(entitlement: Self.owls, id: "gift", until: nil)) == .done(changed: 1))
    let grants = ledger(harness) { $0.grants(of: Self.owls) }
    #expect(grants?.map(\.id) == ["gift", Grant.manual])
    #expect(grants?.map(\.grant.until) == [nil, until])
    #expect(ask(harness, .revoke(entitlement: Self.owls)) == .done(changed: 2))
    #expect(ledger(harness) { $0.grants(of: Self.owls).isEmpty } == true)
    // Taking it back again changes nothing.
    #expect(ask(harness, .revoke(entitlement: Self.owls)) == .done(changed: 0))
    let long = String(repeating: "x", count: Limits.textBytes + 1)
    #expect(ask(harness, .grant(entitlement: long, until: nil)) == .refused(.tooLarge))
  }

  @Test func valuesAreWithinLimits() {
    let harness = device()
    #expect(ask(harness, .setValue(key: "theme", [1, 2])) == .done(changed: 1))
    #expect(harness.value(0, "theme") == [1, 2])
    let most = [UInt8](repeating: 7, count: Limits.valueBytes)
    #expect(ask(harness, .setValue(key: "theme", most)) == .done(changed: 1))
    #expect(ask(harness, .setValue(key: "theme", most + [7])) == .refused(.tooLarge))
    let long = String(repeating: "x", count: Limits.textBytes + 1)
    #expect(ask(harness, .setValue(key: long, [])) == .refused(.tooLarge))
  }

  /// Beside a copy of itself a device decides nothing, and takes in what a store has signed.
  @Test func aCopyDecidesNothing() throws {
    let harness = device()
    #expect(ask(harness, .grant(entitlement: Self.owls, until: nil)) == .done(changed: 1))
    harness.handle(0, [.received(harness.welcomed(0), .close(.cloned))])
    try #require(harness.engines[0].isFenced)
    let decisions: [Request] = [
      .addProducts([Fixtures.owl], version: 9), .setExpiration(line: "random", nil),
      .grant(entitlement: Self.owls, until: nil), .revoke(entitlement: Self.owls),
      .setValue(key: "theme", []),
    ]
    for decision in decisions { #expect(ask(harness, decision) == .refused(.cloned)) }
    var bought = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    bought.bundleId = Harness.bundleId
    let item = SimulatedStore.item(SimulatedStore.sign(bought), for: harness.identities[0])
    #expect(ask(harness, .ingest([item]))?.refusal == nil)
    #expect(ledger(harness) { $0.transactions().count } == 1)
  }

  // MARK: Ingesting

  @Test func goodItemsCountAmongBadOnes() {
    let harness = device()
    let identity = harness.identities[0]
    func purchase(_ id: String, isForged: Bool = false) -> IngestedItem {
      var bought = Fixtures.buy(id, Fixtures.threeMonths, "2026-01-01")
      bought.bundleId = Harness.bundleId
      if isForged { bought.verification = .unverified }
      return SimulatedStore.item(SimulatedStore.sign(bought), for: identity)
    }
    let garbage = IngestedItem("no item", identity, .simulated, trusting: [])
    let items = [garbage, purchase("1", isForged: true), purchase("2")]
    // The two items with the parts that they share.
    #expect(ask(harness, .ingest(items)) == .done(changed: 4))
    #expect(ask(harness, .ingest(items)) == .done(changed: 0))
    #expect(ledger(harness) { $0.transactions().map(\.transaction.isAccepted) } == [false, true])
  }

  /// Evidence has its limit, good items have none of that kind.
  @Test func evidenceIsBounded() {
    let harness = device()
    let identity = harness.identities[0]
    let forged = (0...Limits.refusedItems).map { number in
      var bought = Fixtures.buy("\(number)", Fixtures.threeMonths, "2026-01-01")
      (bought.bundleId, bought.verification) = (Harness.bundleId, .unverified)
      return SimulatedStore.item(SimulatedStore.sign(bought), for: identity)
    }
    for half in [forged.prefix(10), forged.dropFirst(10)] { _ = ask(harness, .ingest(Array(half))) }
    #expect(ledger(harness) { $0.transactions().count } == Limits.refusedItems)
  }
}

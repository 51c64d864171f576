import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Products that a device adopts from a sandbox store.
@Suite struct AdoptedProductTests {
  private static func month(_ length: String, from: String? = nil) -> Product {
    var product = Fixtures.product("month", length)
    product.from = from.map(instant)
    return product
  }

  private func adopt(_ products: [Product], on device: Int, of harness: Harness) -> Answer? {
    let request = harness.request(.adoptProducts(products), of: device)
    return harness.answers[request]
  }

  private func lengths(_ harness: Harness, _ index: Int) -> [Period?] {
    var lengths: [Period?] = []
    harness.adjust(index) { engine in lengths = engine.ledger { $0.entries(of: "month").map(\.period) } }
    return lengths
  }

  @Test("what nobody knows is adopted once, with its dates; what gives nothing is not")
  func adopted() {
    let harness = Harness(1)
    let entries = [Self.month("P1M"), Self.month("P2M", from: "2026-02-01")]
    let name = Product(id: "name", type: .nonConsumable)
    #expect(adopt(entries + [name], on: 0, of: harness) == .done(changed: 1))
    #expect(lengths(harness, 0) == [period("P1M"), period("P2M")])
    #expect(adopt(entries, on: 0, of: harness) == .done(changed: 0))
    #expect(adopt([Self.month("P3M")], on: 0, of: harness) == .done(changed: 0))
    harness.restart(0)
    #expect(lengths(harness, 0) == [period("P1M"), period("P2M")])
    var ids: [String] = []
    harness.adjust(0) { engine in ids = engine.ledger { $0.catalogue.ids } }
    #expect(ids == ["month"])
  }

  private func revalued(_ harness: Harness, _ index: Int) -> [Int] {
    var counts: [Int] = []
    harness.adjust(index) { engine in counts = engine.ledger { $0.revalued().map(\.count) } }
    return counts
  }

  @Test("it yields to every catalogue, older or newer, here or there, and what was bought before is told of")
  func yields() {
    for isOwn in [true, false] {
      let harness = Harness(2)
      // The other device has a catalogue from before.
      if !isOwn { harness.request(.addProducts([Self.month("P1M")], version: 0), of: 1) }
      harness.advance(1_000)
      #expect(adopt([Self.month("P9M")], on: 0, of: harness) == .done(changed: 1))
      var bought = Fixtures.buy("1", Self.month("P1M"), "2026-01-15")
      bought.bundleId = Harness.bundleId
      harness.request(.write(SimulatedStore.writes(of: bought)), of: 0)
      #expect(lengths(harness, 0) == [period("P9M")])
      if isOwn { harness.request(.addProducts([Self.month("P1M")], version: 0), of: 0) }
      harness.connect(0, 1)
      harness.settle()
      for index in 0..<2 {
        #expect(lengths(harness, index) == [period("P1M")], "device \(index)")
        #expect(revalued(harness, index) == [1])
      }
      // What somebody has said is known: nothing of it is adopted.
      #expect(adopt([Self.month("P8M")], on: 1, of: harness) == .done(changed: 0))
      #expect(harness.replica(0).digest == harness.replica(1).digest)
    }
  }

  @Test("F71: a first catalogue that changes what was bought is told of, until the entry before is stated")
  func putRight() {
    for author in 0..<2 {
      let harness = Harness(2)
      #expect(adopt([Self.month("P9M")], on: 0, of: harness) == .done(changed: 1))
      var bought = Fixtures.buy("1", Self.month("P9M"), "2026-01-15")
      bought.bundleId = Harness.bundleId
      harness.request(.write(SimulatedStore.writes(of: bought)), of: 0)
      harness.connect(0, 1)
      harness.settle()
      #expect(revalued(harness, 0).isEmpty)
      // What gives the same changes nothing.
      var named = Self.month("P9M")
      named.displayName = "Nine months"
      for (entries, count) in [
        ([Self.month("P1M")], 1),
        ([Self.month("P9M"), Self.month("P1M", from: "2026-02-01")], nil), ([Self.month("P2M")], 1),
        ([named], nil),
      ] as [([Product], Int?)] {
        harness.advance(1_000)
        harness.request(.addProducts(entries, version: 0), of: author)
        harness.settle()
        for index in 0..<2 {
          #expect(revalued(harness, index) == (count.map { [$0] } ?? []), "by \(author): \(entries)")
        }
        harness.restart(0)
        #expect(revalued(harness, 0) == (count.map { [$0] } ?? []), "started again")
        harness.connect(0, 1)
        harness.settle()
      }
    }
  }

  @Test("two devices of stores that say something else agree, and history has no year 1970") func twoStores()
  {
    let harness = Harness(2)
    #expect(adopt([Self.month("P2M")], on: 0, of: harness) == .done(changed: 1))
    #expect(adopt([Self.month("P3M")], on: 1, of: harness) == .done(changed: 1))
    harness.connect(0, 1)
    harness.settle()
    #expect(lengths(harness, 0) == lengths(harness, 1) && lengths(harness, 0).count == 1)
    var times: [Instant?] = []
    let now = harness.now(0).wall
    harness.adjust(0) { engine in
      engine.look { view in times = view.history(at: now, atMost: 10).map(\.instant) }
    }
    #expect(times.allSatisfy { $0.map { $0 > instant("2000-01-01") } ?? true }, "\(times)")
  }

  @Test("bounded: a product beyond the limits, and more than a device adds") func bounds() {
    let harness = Harness(1)
    var long = Self.month("P1M")
    long.displayName = String(repeating: "x", count: Limits.textBytes + 1)
    #expect(adopt([long], on: 0, of: harness) == .refused(.unfitProduct("month")))
    let many = (0...Limits.products).map { Fixtures.product("p\($0)", "P1M") }
    #expect(adopt(many, on: 0, of: harness) == .refused(.tooManyProducts))
    #expect(harness.replica(0).count == 0)
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Devices that state entries of a product which count from a date on [F71].
@Suite struct DatedCatalogueTests {
  private static let before = instant("2026-01-15")
  private static let after = instant("2026-02-15")

  private static func month(_ length: String, from: String? = nil) -> Product {
    var product = Fixtures.product("month", length)
    product.from = from.map(instant)
    return product
  }

  private func lengths(_ harness: Harness, _ index: Int) -> [Period?] {
    var lengths: [Period?] = []
    harness.adjust(index) { engine in
      lengths = engine.ledger { ledger in
        [Self.before, Self.after].map { ledger.product("month", at: $0)?.period }
      }
    }
    return lengths
  }

  private func connected(_ count: Int) -> Harness {
    let harness = Harness(count)
    for one in 0..<count {
      for other in (one + 1)..<max(count, one + 1) { harness.connect(one, other) }
    }
    harness.settle()
    return harness
  }

  @Test("F71: what was stated before goes on to count, whoever stated it", arguments: [true, false])
  func added(isAnswer: Bool) {
    let harness = connected(2)
    func state(_ products: [Product], of device: Int, version: UInt64) -> Answer? {
      let request = isAnswer ? Request.putProducts(products) : .addProducts(products, version: version)
      let id = harness.request(request, of: device)
      return harness.answers[id]
    }
    #expect(state([Self.month("P1M")], of: 0, version: 1) == .done(changed: 1))
    harness.settle()
    #expect(state([Self.month("P2M", from: "2026-02-01")], of: 0, version: 2) == .done(changed: 1))
    harness.settle()
    for index in 0..<2 { #expect(lengths(harness, index) == [period("P1M"), period("P2M")]) }
    // Once more changes nothing, nor does the whole file.
    #expect(state([Self.month("P2M", from: "2026-02-01")], of: 0, version: 2) == .done(changed: 0))
    if isAnswer {
      let file = [Self.month("P2M", from: "2026-02-01"), Self.month("P1M")]
      #expect(state(file, of: 1, version: 2) == .done(changed: 0))
    }
    // The other device states the date alone: of an answer there is nothing new.
    #expect(
      state([Self.month("P3M", from: "2026-01-01")], of: 1, version: 3) == .done(changed: 1))
    harness.settle()
    for index in 0..<2 { #expect(lengths(harness, index) == [period("P3M"), period("P3M")]) }
    #expect(state([Self.month("P4M")], of: 0, version: 4) == .done(changed: 1))
    harness.settle()
    for index in 0..<2 { #expect(lengths(harness, index) == [period("P4M"), period("P4M")]) }
    #expect(harness.replica(0).digest == harness.replica(1).digest)
  }

  @Test("F71: a lesser version than what has a date is the entry before it") func lesserVersion() {
    let harness = connected(2)
    harness.request(.addProducts([Self.month("P2M", from: "2026-02-01")], version: 2), of: 0)
    harness.request(.addProducts([Self.month("P1M")], version: 1), of: 0)
    harness.settle()
    for index in 0..<2 { #expect(lengths(harness, index) == [period("P1M"), period("P2M")]) }
    // Nor is it written again.
    let again = harness.request(.addProducts([Self.month("P1M")], version: 1), of: 0)
    #expect(harness.answers[again] == .done(changed: 0))
    // Of a later one that counts for all nothing before is taken.
    harness.request(.addProducts([Self.month("P3M")], version: 3), of: 0)
    let request = harness.request(.addProducts([Self.month("P1M")], version: 1), of: 0)
    #expect(harness.answers[request] == .done(changed: 0))
  }

  @Test("F71: an export brings entries to a device that has others") func imported() {
    let harness = Harness(2)
    harness.request(.addProducts([Self.month("P1M")], version: 1), of: 0)
    harness.request(.addProducts([Self.month("P2M", from: "2026-02-01")], version: 2), of: 1)
    for (source, target) in [(0, 1), (1, 0)] {
      let writes = harness.replica(source).sortedWrites()
        .filter { $0.key.first == RegisterKind.product.rawValue }
        .map { LocalWrite(key: $0.key, stamp: $0.stamp, value: $0.value) }
      let request = harness.request(.write(writes), of: target)
      #expect(harness.answers[request] == .done(changed: 1))
      #expect(lengths(harness, target) == [period("P1M"), period("P2M")])
      let again = harness.request(.write(writes), of: target)
      #expect(harness.answers[again] == .done(changed: 0))
    }
  }

  @Test("F71: an export that shares entries with what is there loses none of either") func shared() {
    let harness = Harness(2)
    func hand(_ source: Int, to target: Int) -> Answer? {
      let writes = harness.replica(source).sortedWrites()
        .filter { $0.key.first == RegisterKind.product.rawValue }
        .map { LocalWrite(key: $0.key, stamp: $0.stamp, value: $0.value) }
      let request = harness.request(.write(writes), of: target)
      return harness.answers[request]
    }
    harness.request(.addProducts([Self.month("P1M")], version: 1), of: 0)
    #expect(hand(0, to: 1) == .done(changed: 1))
    harness.request(.addProducts([Self.month("P2M", from: "2026-02-01")], version: 2), of: 0)
    harness.request(.addProducts([Self.month("P3M", from: "2026-02-02")], version: 3), of: 1)
    harness.request(.addProducts([Self.month("P4M", from: "2026-02-20")], version: 4), of: 1)
    #expect(hand(0, to: 1) == .done(changed: 1) && hand(1, to: 0) == .done(changed: 1))
    for index in 0..<2 {
      harness.adjust(index) { engine in
        let lengths = engine.ledger { $0.entries(of: "month").map(\.period) }
        #expect(lengths == [1, 2, 3, 4].map { period("P\($0)M") }, "device \(index)")
      }
    }
  }

  @Test("F71: what an author has replaced says what purchases were worth") func remembered() {
    let harness = connected(2)
    harness.request(.addProducts([Self.month("P1M")], version: 0), of: 0)
    var bought = Fixtures.buy("1", Self.month("P1M"), "2026-01-15")
    bought.bundleId = Harness.bundleId
    harness.request(.write(SimulatedStore.writes(of: bought)), of: 0)
    harness.settle()
    func revalued(_ index: Int) -> [Int] {
      var counts: [Int] = []
      harness.adjust(index) { engine in counts = engine.ledger { $0.revalued().map(\.count) } }
      return counts
    }
    #expect(revalued(1) == [])
    harness.request(.addProducts([Self.month("P2M")], version: 0), of: 0)
    harness.settle()
    #expect(revalued(0) == [1] && revalued(1) == [1])
    harness.restart(1)
    #expect(revalued(1) == [1])
    harness.connect(0, 1)
    harness.settle()
    harness.request(
      .putProducts([Self.month("P1M"), Self.month("P2M", from: "2026-02-01")]), of: 1)
    harness.settle()
    #expect(revalued(0) == [] && revalued(1) == [])
    for index in 0..<2 { #expect(lengths(harness, index) == [period("P1M"), period("P2M")]) }
  }

  @Test("F71: more entries than a product may have are refused, and nothing is written") func tooMany() {
    let harness = Harness(1)
    let many = (0...Limits.productEntries).map { number in
      var product = Self.month("P1M")
      product.from = Self.before.advanced(byMilliseconds: Int64(number))
      return product
    }
    for request in [Request.addProducts(many, version: 1), .putProducts(many)] {
      let id = harness.request(request, of: 0)
      #expect(harness.answers[id] == .refused(.unfitProduct("month")))
    }
    #expect(harness.replica(0).count == 0)
  }
}

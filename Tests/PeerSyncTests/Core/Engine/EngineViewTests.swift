import PeerSyncCore
import Testing

@Suite struct EngineViewTests {
  /// Whoever looks sees what a copy of the engine would answer, time and again, and leaves the engine as it was.
  @Test func whatIsLentComesBack() {
    let harness = Harness(1)
    harness.request(.addProducts(Fixtures.all, version: 1), of: 0)
    for id in UInt64(1)...3 {
      harness.request(.purchase(PurchaseOrder(Fixtures.threeMonths.id), id: id), of: 0)
      let now = harness.now(0)
      var copy = harness.engines[0]
      let (expected, time) = (copy.ledger { $0.transactions() }, copy.time(at: now))
      #expect(expected.count == id)
      harness.adjust(0) { engine in
        #expect(throws: Refusal.busy) { try engine.look { _ in throw Refusal.busy } }
        for _ in 0..<2 {
          #expect(engine.look { view in view.ledger { $0.transactions() } } == expected)
          #expect(engine.look { view in view.time(at: now) } == time)
          #expect(engine.look { view in view.replica.digest } == copy.replica.digest)
        }
      }
    }
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Numbers of credits that a dishonest member replaces by what no honest one writes.
@Suite struct ReplacedNumberTests {
  private let liar = Author(30)
  private let life = Author(31)

  private func keys(to victim: ReplicaID) -> [RegisterKey] {
    let own = liar.replica
    let named = CreditEntry.spentAgain(life.replica, CreditSpend(id: "s", amount: 1), by: own)
    return [
      .creditRow(credit: "owls", replica: own), .creditTransfer(credit: "owls", from: own, to: victim),
      .creditSpend(credit: "owls", replica: own, slot: 1),
      named.key(of: "owls"),
    ]
  }

  /// Each time all items of the store would be looked at.
  @Test("I11: a member that names a spend with ever other totals has nothing else read anew")
  func namedWithOtherTotals() {
    let harness = Harness.withOwls()
    func held() -> Int64 { harness.rights(of: harness.replica(1).id) }
    let before = held()
    let readings = harness.engines[0].holdings.ledgerCache.readings
    for total in 5...15 {
      harness.perform(1) { engine, _, effects in
        let spend = CreditSpend(id: "s", amount: Int64(1 + total % 2))
        let named = CreditEntry.spentAgain(engine.replica.id, spend, by: engine.replica.id)
        engine.holdings.write([named], total: Int64(total), of: "owls", &effects)
      }
      harness.settle()
      #expect(held() == before - Int64(total))
    }
    #expect(harness.engines[0].holdings.ledgerCache.readings == readings)
    harness.restart(0)
    #expect(held() == before - 15)
  }

  /// Whoever has read a number before it was replaced answers like whoever reads all of them now.
  @Test("I2, F58: it makes no difference when somebody looks", arguments: Seeds.all) func looking(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let harness = Harness(1)
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    harness.request(.addProducts([product], version: 0), of: 0)
    func view() -> LedgerView {
      var view: LedgerView?
      harness.adjust(0) { engine in view = engine.ledger { $0.view(at: Instant(clamping: Harness.wall)) } }
      return view!
    }
    let limit = UInt64(Limits.creditTotal)
    let keys = keys(to: harness.replica(0).id)
    var sequence: UInt64 = 0
    for _ in 0..<40 {
      let session = harness.welcomed(0, as: liar)
      for _ in 0..<random.pick(1...4) {
        sequence += 1
        let spend = CreditSpend(id: "s", amount: Int64(random.pick(1...3)))
        let value = random.chance(10) ? random.pick([[], [7]]) : spend.encoded
        // Numbers have none.
        let key = random.pick(keys)
        let isSpend =
          switch key {
          case .creditSpend, .creditSpendAgain: true
          default: false
          }
        let write = Write(
          key: key.encoded,
          stamp: Stamp(rawValue: random.pick([0, 1, 2, 5, limit - 1, limit, limit + 1, .max])),
          value: isSpend ? value : [],
          dot: Dot(replica: liar.replica, sequence: sequence))
        harness.handle(0, [.received(session, .commit(.signed([write])))])
        if random.chance(2) { _ = view() }
      }
      let before = view()
      harness.handle(0, [.closed(session)])
      harness.restart(0)
      #expect(view() == before, "PEERSYNC_SEED=\(seed)")
    }
  }
}

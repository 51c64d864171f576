import PeerSyncCore

// What devices answer.
extension World {
  /// A device's view is that of a ledger made from scratch, from the same writes in an order of its own: nothing that it
  /// holds is left out, and the order of arrival does not matter. Devices that hold the same are compared with one
  /// fold, so they answer alike.
  func checkView(_ index: Int, _ view: LedgerView, _ held: PlainRegisters) {
    let facts = FactsKey(digest: held.digest, present: viewTime)
    // Comparing a view with itself is quick: its lists are the same buffers.
    if let last = checked.views[index], last.facts == facts, last.view == view { return }
    let fold = checked.folds[facts] ?? fold(held.writes, index)
    checked.note(fold, of: facts)
    guard view == fold else { return reportView(index, held.writes, fold) }
    checked.views[index] = (facts, view)
  }

  /// A device's view is the fold of these writes.
  func checkView(_ index: Int, of writes: [Write]) {
    guard let view = view(of: index) else { return }
    let fold = fold(writes, index)
    if view != fold { reportView(index, writes, fold) }
  }

  /// Says which promise a wrong view breaks.
  private func reportView(_ index: Int, _ writes: [Write], _ expected: LedgerView) {
    let folds = (0..<8).map { _ in fold(writes, index) }
    if !folds.allSatisfy({ $0 == folds[0] }) {
      report(.determinism, "device \(index): the order of arrival matters")
    } else if folds[0] != expected {
      report(.convergence, "device \(index): same digest, other view")
    } else {
      report(.noLostRenewal, "device \(index): its view is not the fold of all purchases")
    }
  }

  private func fold(_ writes: [Write], _ index: Int) -> LedgerView {
    let identity = devices[index].identity
    var ledger = Ledger(environment: identity.environment, bundleId: identity.bundleId)
    let values = Dictionary(writes.map { ($0.key, $0.value) }) { first, _ in first }
    var reader = StoreReader(verifier: .simulated, trustedRoots: SimulatedStore.trustedRoots)
    for write in writes.shuffled(using: &checked.random) {
      ledger.apply(key: write.key[...], value: write.value[...], stamp: write.stamp, &reader) {
        values[$0.encoded]
      }
    }
    return ledger.view(at: viewTime)
  }

  /// Views are compared as of the beginning of the hour: a ledger that has not changed then need not answer anew.
  private var viewTime: Instant { Instant(clamping: Self.wallStart + Int64(time / 3_600_000 * 3_600_000)) }

  func view(of index: Int) -> LedgerView? {
    let instant = viewTime
    return devices[index].engine?.ledger { $0.view(at: instant) }
  }
}

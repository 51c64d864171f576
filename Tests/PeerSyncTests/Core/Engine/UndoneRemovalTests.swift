import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A removal that a more senior device overrules takes nothing away: what the removed device knew meanwhile of credits that were used up
/// stays known.
@Suite struct UndoneRemovalTests {
  private let senior = 0
  private let junior = 1
  private let gone = 2
  private let thief = 3

  /// Four devices in sync, the first the most senior one; one of them holds five owls.
  private func harness(owls holder: Int) -> Harness {
    let harness = Harness(4)
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    harness.request(.addProducts([product], version: 0), of: 0)
    var transaction = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: 1, verification: .simulated)
    transaction.accountToken = CreditHolder(harness.replica(holder).id).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: holder)
    for left in 0..<4 {
      for right in left + 1..<4 { harness.connect(left, right) }
    }
    harness.settle()
    harness.cut()
    return harness
  }

  private func meet(_ harness: Harness, _ left: Int, _ right: Int) {
    harness.connect(left, right)
    harness.settle()
    harness.advance(2 * Limits.beatMilliseconds)
    harness.cut()
  }

  private func remove(_ device: Int, by other: Int, _ harness: Harness) {
    harness.request(.remove(harness.identities[device].device, recoveryKey: nil), of: other)
    #expect(!harness.engines[other].group.isMember(harness.identities[device].key))
  }

  private func spend(_ amount: Int64, _ id: String, by device: Int, _ harness: Harness) -> Answer? {
    let request = harness.request(.spend(Spending(credit: "owls", amount: amount, id: id)), of: device)
    harness.settle()
    return harness.answers[request]
  }

  /// The thief removes the junior, which hears of it; the senior has not heard of that, and removes the thief.
  private func removeForAWhile(_ harness: Harness) {
    remove(junior, by: thief, harness)
    // A device that was removed is told nothing where it calls, and introduces itself.
    harness.connectsDials = true
    harness.request(.setOnline(false), of: senior)
    meet(harness, junior, thief)
    #expect(harness.engines[junior].isRemoved)
    harness.request(.setOnline(false), of: thief)
    remove(thief, by: senior, harness)
    harness.request(.setOnline(true), of: senior)
    meet(harness, senior, junior)
    #expect(!harness.engines[junior].isRemoved)
    harness.connectsDials = false
  }

  private func expectLeft(_ left: Int64, _ harness: Harness) {
    harness.request(.reclaim(credit: "owls"), of: senior)
    meet(harness, senior, junior)
    for device in [senior, junior] {
      harness.adjust(device) { engine in
        let (balance, doubts) = engine.ledger { ($0.balance("owls"), $0.doubts(of: "owls")) }
        #expect(balance == left && doubts.isEmpty)
      }
      harness.expectSaved(device)
    }
  }

  @Test("D44: what a removed device gave away is named by one that was removed itself meanwhile")
  func named() throws {
    let harness = harness(owls: gone)
    remove(gone, by: senior, harness)
    meet(harness, senior, thief)
    harness.connect(junior, gone)
    harness.settle()
    #expect(spend(4, "given", by: junior, harness)?.refusal == nil)
    harness.cut()
    removeForAWhile(harness)
    expectLeft(1, harness)
  }

  @Test("F66: what an earlier life has spent stays spent, and its id known", arguments: [false, true])
  func carried(isRestarted: Bool) throws {
    let harness = harness(owls: junior)
    #expect(spend(2, "early", by: junior, harness)?.refusal == nil)
    harness.perform(junior) { engine, now, effects in
      engine.begin(Author(UInt64(junior + 1), life: 7).incarnation, now: now, &effects)
    }
    removeForAWhile(harness)
    if isRestarted { harness.restart(junior) }
    expectLeft(3, harness)
    // Done again it counts once.
    #expect(spend(2, "early", by: junior, harness)?.refusal == nil)
    expectLeft(3, harness)
  }
}

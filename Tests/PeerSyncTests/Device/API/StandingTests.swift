import PeerSync
import PeerSyncCore
import Testing

/// What a device says of its own standing in its group, and when it ceases to say so.
@Suite struct StandingTests {
  /// Three engines that are all of their group, connected.
  private func three() -> Harness {
    let harness = Harness(3)
    let here = harness.identities.map(\.device)
    for (one, other) in [(0, 1), (1, 2), (0, 2)] { harness.connect(one, other) }
    for member in harness.engines[0].group.members where !here.contains(member.id) {
      harness.request(.remove(member.id, recoveryKey: nil), of: 0)
    }
    harness.settle()
    return harness
  }

  private func told(_ harness: Harness, _ index: Int) -> [String] {
    var told: [Phrase] = []
    harness.adjust(index) { engine in engine.look { told = $0.standing } }
    #expect(told.allSatisfy { $0.text(in: .korean) != $0.text(in: .english) })
    return told.map { $0.text(in: .english) }
  }

  @discardableResult
  private func remove(_ harness: Harness, _ target: Int, by index: Int) -> Answer? {
    let request = harness.request(.remove(harness.identities[target].device, recoveryKey: nil), of: index)
    return harness.answers[request]
  }

  /// Has a device show another one the records by which it is out.
  private func show(_ harness: Harness, _ index: Int, to other: Int) {
    harness.monotonic += Limits.introductionMilliseconds
    harness.connect(index, other) { .introduction(harness.author($0).key.publicKey) }
    harness.settle()
  }

  /// It meets nobody any more that could bring back what it has lost.
  @Test func ofARemovedDeviceNothingElseIsSaid() {
    let harness = three()
    harness.cut()
    harness.disks[1].damage = Damage([.unnamed], lost: VersionVector())
    harness.restart(1)
    #expect(told(harness, 1).count == 1 && told(harness, 1) != [StatusAnswer.wasRemoved])
    remove(harness, 1, by: 0)
    show(harness, 1, to: 0)
    #expect(told(harness, 1) == [StatusAnswer.wasRemoved])
  }

  /// Whoever wrote it is out already.
  @Test func ofARemovedDeviceNobodyIsToldToRemoveItForWhatItTookOver() {
    let harness = three()
    harness.request(.addProducts([Fixtures.credits], version: 1), of: 0)
    let victim = harness.replica(2).id
    harness.perform(1) { engine, _, effects in
      engine.holdings.write([.taken(from: victim, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.settle()
    func oddities() -> [Phrase] {
      var oddities: [Phrase] = []
      harness.adjust(0) { engine in
        engine.look { view in
          _ = view.ledger { $0.creditsHeld }
          oddities = view.oddityWarnings
        }
      }
      return oddities
    }
    #expect(oddities().count == 1)
    remove(harness, 1, by: 0)
    #expect(oddities().isEmpty)
  }
}

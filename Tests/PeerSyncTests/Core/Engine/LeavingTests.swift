import PeerSyncCore
import Testing

/// A device leaves its group.
@Suite struct LeavingTests {
  private func pair() -> Harness {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  private func answer(
    _ harness: Harness, removing target: Int, by index: Int, _ takingBack: TakingBack = .nothing
  ) -> Answer? {
    let device = harness.identities[target].device
    let request = harness.request(.remove(device, recoveryKey: nil, takingBack: takingBack), of: index)
    return harness.answers[request]
  }

  /// Else both would go on with the same credits.
  @Test(arguments: [TakingBack.nothing, .everything]) func whoHasLeftRemovesNobody(takingBack: TakingBack) {
    let harness = pair()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
    harness.settle()
    #expect(answer(harness, removing: 0, by: 1, takingBack) == .refused(.removed))
    let isMember = (0...1).map { harness.engines[0].group.isMember(harness.author($0).key.publicKey) }
    #expect(isMember == [true, false])
  }

  @Test func nobodyLeavesWithWhatTheOthersHaveNotHeardOf() {
    let harness = pair()
    harness.cut()
    harness.write(1, "a", [1])
    #expect(answer(harness, removing: 1, by: 1) == .refused(.notHeardOf))
    harness.connect(0, 1)
    harness.settle()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
    #expect(harness.value(0, "a") == [1])
  }

  @Test func whatTheOthersHaveIsEnoughToLeaveWhileTheyAreAway() {
    let harness = pair()
    harness.write(1, "a", [1])
    harness.settle()
    harness.cut()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
  }
}

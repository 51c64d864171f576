import PeerSyncCore
import Testing

/// A device that was removed has an invitation open: whoever joins there hears that it was that one, and goes on as it is.
@Suite struct RemovedHostTests {
  /// The first has taken in the second, which invites; the others are alone.
  private func inviting(_ count: Int) -> Harness {
    let harness = JoiningTests.pair()
    for index in 2..<count {
      harness.add(isAlone: true)
      harness.start(index)
    }
    #expect(answer(harness, ask(harness, 1, to: 0)) == .done(changed: 1))
    harness.advance(1_000)
    harness.request(.invite(JoiningTests.invitation(harness)), of: 1)
    return harness
  }

  private func ask(_ harness: Harness, _ index: Int, to host: Int) -> RequestID {
    harness.request(.join(harness.address(host), JoiningTests.key), of: index)
  }

  private func answer(_ harness: Harness, _ request: RequestID) -> Answer? {
    harness.settle()
    return harness.answers[request]
  }

  private func removeHost(_ harness: Harness) {
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.settle()
    #expect(harness.engines[1].isRemoved)
  }

  /// The removal is heard of before anybody joins, or at any moment of the joining.
  @Test(arguments: 0..<8) func whoJoinsIsToldWhoWasRemoved(steps: Int) {
    let harness = inviting(3)
    let request = ask(harness, 2, to: 1)
    for _ in 0..<steps { harness.deliver() }
    let joining = harness.wire
    harness.wire = []
    let isAdmitted = harness.engines[1].group.isMember(harness.author(2).key.publicKey)
    removeHost(harness)
    harness.wire = joining
    let answer = answer(harness, request)
    if isAdmitted {
      #expect(answer == .done(changed: 1) || answer == .refused(.notAdmitted(.hostRemoved)))
    } else {
      #expect(answer == .refused(.notAdmitted(.hostRemoved)))
    }
    #expect(!harness.engines[2].isRemoved && (isAdmitted || harness.engines[2].group.members.count == 1))
    #expect(steps > 0 || !isAdmitted)
  }

  /// A member that knows of the removal joins the one that has not heard of it.
  @Test func aMemberThatKnowsMoreTellsIt() {
    let harness = inviting(3)
    harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
    #expect(answer(harness, ask(harness, 2, to: 0)) == .done(changed: 1))
    harness.advance(1_000)
    harness.request(.setOnline(false), of: 1)
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.settle()
    harness.connectsDials = false
    harness.request(.setOnline(true), of: 1)
    harness.settle()
    #expect(!harness.engines[1].isRemoved)
    harness.connectsDials = true
    #expect(answer(harness, ask(harness, 2, to: 1)) == .refused(.notAdmitted(.hostRemoved)))
    #expect(harness.engines[1].isRemoved && !harness.engines[2].isRemoved)
  }
}

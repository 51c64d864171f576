import PeerSyncCore
import Testing

/// Devices that another one takes for members already, by what they have signed, and that do not know so.
@Suite struct ComingBackTests {
  /// Its first attempt was cut short, so the other one sends it a record by which it is a member, and does not prove who it is. And it dies
  /// before the two have met as members.
  @Test func whoDiesOnceItIsBackFindsTheOther() {
    let harness = JoiningTests.pair()
    func join(until isDone: (RequestID) -> Bool) {
      let request = harness.request(.join(harness.address(0), JoiningTests.key), of: 1)
      while !isDone(request), harness.deliver() != nil {}
      #expect(isDone(request))
      harness.cut()
      harness.restart(1)
    }
    join { _ in harness.engines[0].group.members.count == 2 }
    #expect(harness.engines[1].group.members.count == 1)
    harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
    join { harness.answers[$0] == .done(changed: 1) }
    harness.advance(60_000)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }
}

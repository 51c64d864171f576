import PeerSyncCore
import PeerSyncSimulation
import Testing

/// The first device has left. Somebody with its key has it leave once more, as it was when it had let one other device in.
@Suite struct PutOutTests {
  /// The first device has told the third one what it has decided.
  private func met() -> Harness {
    let harness = Harness(3)
    harness.connect(0, 2)
    harness.write(0, "theme", [7])
    harness.settle()
    return harness
  }

  /// What it had decided is set aside by those who are out, and back with them.
  @Test("F62: the recovery key brings those together whom a device has put out", arguments: [false, true])
  func recovered(isRestarted: Bool) throws {
    let harness = met()
    let (first, early, out) = (harness.author(0), harness.author(1), 2)
    harness.advance(2 * Limits.beatMilliseconds)
    let leaves = harness.request(.remove(first.device, recoveryKey: nil), of: 0)
    harness.settle()
    #expect(harness.answers[leaves]?.refusal == nil && harness.engines[out].group.members.count == 39)
    harness.cut()
    let founders = [first, early].map { ($0.key, Harness.device($0).founding) }
    let known = try Membership.united(founders, .simulated)
    let leaving = try known.removal(of: first.key.publicKey, cuts: [], by: first.key)
    let session = harness.welcomed(out, as: early)
    let part = RecordsPart(records: [leaving], isLast: true)
    harness.handle(out, [.received(session, .records(part))])
    #expect(harness.engines[out].group.members.count == 1 && harness.value(out, "theme") == nil)
    if isRestarted { harness.restart(out) }
    let byItself = harness.request(.remove(first.device, recoveryKey: nil), of: out)
    #expect(harness.answers[byItself] == .refused(.unknownDevice))
    #expect(harness.engines[out].above.map(\.device.id) == [first.device])
    let recovers = harness.request(
      .remove(first.device, recoveryKey: .simulated(seed: .max - first.number)), of: out)
    #expect(harness.answers[recovers] == .done(changed: 1))
    #expect(harness.engines[out].group.members.count == 39 && harness.value(out, "theme") == [7])
    harness.expectSaved(out)
    // The others hear of it, whom nobody has told that they were out.
    harness.connect(out, 1)
    harness.settle()
    #expect(harness.engines[1].group == harness.engines[out].group && harness.value(1, "theme") == [7])
  }

  /// It says first that more of it is to be taken than there is, and then leaves as if it had not let this one in.
  @Test(
    "F62: of a device that has put this one out nothing counts that it has said ahead",
    arguments: [false, true])
  func saidAhead(isRestarted: Bool) throws {
    let harness = met()
    let (first, early, out) = (harness.author(0), harness.author(1), 2)
    let last = Dot(replica: first.replica, sequence: harness.replica(out).vector[first.replica])
    harness.cut()
    let ahead = try harness.engines[out].membership.removal(
      of: first.key.publicKey, cuts: [Dot(replica: last.replica, sequence: last.sequence + 3)], by: first.key)
    let founders = [first, early].map { ($0.key, Harness.device($0).founding) }
    let leaving = try Membership.united(founders, .simulated).removal(
      of: first.key.publicKey, cuts: [], by: first.key)
    let session = harness.welcomed(out, as: early)
    for record in [ahead, leaving] {
      harness.handle(out, [.received(session, .records(RecordsPart(records: [record], isLast: true)))])
    }
    #expect(last.sequence > 0 && harness.engines[out].group.members.count == 1)
    if isRestarted { harness.restart(out) }
    let recovers = harness.request(
      .remove(first.device, recoveryKey: .simulated(seed: .max - first.number)), of: out)
    #expect(harness.answers[recovers] == .done(changed: 1))
    let removed = harness.engines[out].group.removed.first { $0.device.key == first.key.publicKey }
    #expect(removed?.cuts == [last] && harness.value(out, "theme") == [7])
  }
}

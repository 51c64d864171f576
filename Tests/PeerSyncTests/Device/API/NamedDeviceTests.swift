import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What a device that has put this one out is called by, where the thief has put others above it that are called alike.
@Suite struct NamedDeviceTests {
  private let stolen = Author(1)

  private var recoveryKey: SigningKey { .simulated(seed: .max - stolen.number) }

  /// The device of the third author, put out by the first one, with devices of the thief's above that one, and one that it has let in.
  private func putOut(calledAlike texts: [String]) throws -> Harness {
    let harness = Harness(3)
    let known = harness.engines[2].membership.records
    let founding = Harness.device(stolen).founding.hash(.simulated)
    let early = try #require(
      known.first { record in
        guard case .merge(let merge) = record.body else { return false }
        return merge.joiner == Harness.device(Author(2)).founding.hash(.simulated)
      }
    ).hash(.simulated)
    var records: [MembershipRecord] = []
    var merges = [early]
    for (number, text) in texts.enumerated() {
      let key = SigningKey.simulated(seed: 7_000 + UInt64(number))
      let thief = MembershipRecord.found(
        name: text, recoveryKey: recoveryKey.publicKey, environment: .sandbox, bundleId: Harness.bundleId,
        by: key)
      let group = thief.hash(.simulated)
      let merge = MembershipRecord.forged(
        .merge(MembershipRecord.Merge(group: group, host: group, joiner: founding)),
        knowing: [early, group, founding],
        by: [key, stolen.key])
      records += [thief, merge]
      merges.append(merge.hash(.simulated))
    }
    let guest = MembershipRecord.found(
      name: "Guest", recoveryKey: recoveryKey.publicKey, environment: .sandbox, bundleId: Harness.bundleId,
      by: .simulated(seed: 8_000))
    let (group, joiner) = (harness.engines[2].group.founding, guest.hash(.simulated))
    let letIn = MembershipRecord.forged(
      .merge(MembershipRecord.Merge(group: group, host: founding, joiner: joiner)),
      knowing: [early, group, founding, joiner],
      by: [stolen.key, .simulated(seed: 8_000)])
    let leaving = MembershipRecord.forged(
      .remove(
        MembershipRecord.Removal(
          author: founding, isByRecoveryKey: false, target: stolen.key.publicKey, cuts: [])), knowing: merges,
      by: [stolen.key])
    var disk = harness.disks[2]
    disk.records = records + [guest, letIn, leaving]
    harness.restart(2, from: disk)
    #expect(harness.engines[2].group.members.map(\.id) == [harness.identities[2].device])
    return harness
  }

  private func look<Result>(
    _ harness: Harness, _ body: (EngineView) throws -> Result
  ) throws -> Result {
    var result: Swift.Result<Result, any Error>?
    harness.adjust(2) { engine in engine.look { view in result = Swift.Result { try body(view) } } }
    return try #require(result).get()
  }

  @Test("F62: the recovery key finds its device among those that are called alike")
  func isFound() throws {
    let id = stolen.device
    let texts = ["Device 1", id.description, id.shortForm]
    let harness = try putOut(calledAlike: texts)
    #expect(Set(harness.engines[2].above.map(\.device.name)) == Set(texts))
    for text in texts + [id.description.lowercased()] {
      let found = try look(harness) { try $0.member(called: text, by: recoveryKey) }
      #expect(found.id == id)
    }
    // An id goes before a name, and of a name that several have the ids are told.
    #expect(throws: Problem.self) { try look(harness) { try $0.member(called: id.description, by: nil) } }
    do {
      _ = try look(harness) { try $0.member(called: "Device 1", by: .simulated(seed: 9)) }
      Issue.record("found by a key that is nobody's")
    } catch let problem as Problem {
      #expect(
        problem.detail.contains("2 devices are called 'Device 1'") && problem.detail.contains(id.description))
    }
    let recovers = harness.request(.remove(id, recoveryKey: recoveryKey), of: 2)
    #expect(harness.answers[recovers] == .done(changed: 1))
  }

  /// Whom it had let in may be disowned though this device never had it for a member, and is told beforehand.
  @Test("F62: whom it had let in can go with it")
  func isDisowned() throws {
    let harness = try putOut(calledAlike: [])
    let host = try look(harness) { try $0.member(called: "Device 1", by: recoveryKey) }
    let guest = try look(harness) { try $0.member(called: "Guest", letInBy: host) }
    let request = harness.request(
      .remove(host.id, recoveryKey: recoveryKey, takingBack: .nothing, disowning: [guest.id]), of: 2)
    #expect(harness.answers[request] == .done(changed: 1))
    #expect(!harness.engines[2].group.hasEverBelonged(guest.key))
    #expect(harness.engines[2].group.members.count > 1)
  }
}

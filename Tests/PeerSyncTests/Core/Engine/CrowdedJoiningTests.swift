import PeerSyncCore
import PeerSyncSimulation
import Testing

/// [F61] A member has filled the room of its branch with other records on each device, so that others have none for whom it let in.
@Suite struct CrowdedJoiningTests {
  private static let crowder = Author(9)

  /// A first device, one that it let in, and one that the crowder let in: the first two do not know the third.
  private func crowded() throws -> Harness {
    let authors = [Author(1), Author(2), Author(3)]
    let devices = (authors + [Self.crowder]).map { ($0.key, Harness.device($0).founding) }
    let (first, second, third, crowder) = (devices[0], devices[1], devices[2], devices[3])
    let known = try Membership.united([first, second, crowder], .simulated)
    let proposal = try known.proposeMerge(
      host: crowder.0.publicKey, joiner: third.0.publicKey, of: Membership([third.1], .simulated))
    let merge = MembershipRecord(
      proposal, host: proposal.signature(by: crowder.0), joiner: proposal.signature(by: third.0))
    let harness = Harness()
    for (place, author) in authors.enumerated() {
      let made = MembershipRecord.unknown(300, by: crowder.0, crowder.1, UInt8(place))
      var disk = HarnessDisk()
      disk.persist(Durable([.records(known.records + (place == 2 ? [third.1, merge] : []) + made)]))
      harness.add(isAlone: true, disk: disk, author: author)
      harness.start(place)
    }
    harness.connectsDials = true
    #expect(harness.engines.map(\.group.members.count) == [3, 3, 4])
    return harness
  }

  private func join(_ harness: Harness, _ index: Int, to host: Int) -> Answer? {
    harness.request(.invite(JoiningTests.invitation(harness)), of: host)
    let request = harness.request(.join(harness.address(host), JoiningTests.key), of: index)
    harness.settle()
    return harness.answers[request]
  }

  /// Neither way the two come to know each other, and whoever joins is told why.
  @Test func whoHasNoRoomSaysSo() throws {
    let harness = try crowded()
    #expect(join(harness, 1, to: 2) == .refused(.notAdmitted(.noRoom)))
    #expect(join(harness, 2, to: 1) == .refused(.notAdmitted(.noRoom)))
    #expect(harness.engines[1].group.members.count == 3)
    let crowder = Harness.device(Self.crowder).founding.hash(.simulated)
    for engine in harness.engines { #expect(engine.crowders.map(\.founding) == [crowder]) }
  }

  /// Once the first device has removed the crowder, the others take in whom that let in.
  @Test func thereIsRoomOnceTheCrowderIsRemoved() throws {
    let harness = try crowded()
    let device = Harness.device(Self.crowder).identity.device
    let removal = harness.request(.remove(device, recoveryKey: nil, takingBack: .everything), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
    for other in [1, 2] {
      harness.connect(other, 0)
      harness.settle()
    }
    #expect(join(harness, 2, to: 1) == .done(changed: 1))
    harness.advance(60_000)
    for engine in harness.engines {
      #expect(engine.group.members.map(\.id) == harness.identities.map(\.device))
      #expect(engine.crowders.isEmpty)
    }
  }

  /// Whoever lets it in takes no device for a member that has no room for the group.
  @Test func whoHasNoRoomItselfIsNotTakenIn() {
    let (harness, joiner) = (Harness(), Author(2))
    var disk = HarnessDisk()
    let made = MembershipRecord.unknown(1_100, by: joiner.key, Harness.device(joiner).founding, 1)
    disk.persist(Durable([.records(made)]))
    for (place, disk) in [HarnessDisk(), disk].enumerated() {
      harness.add(isAlone: true, disk: disk)
      harness.start(place)
    }
    harness.connectsDials = true
    #expect(join(harness, 1, to: 0) == .refused(.notAdmitted(.noRoom)))
    #expect(harness.engines.map(\.group.members.count) == [1, 1])
  }

  /// The room that a joiner had when it agreed is gone once it hears that it was admitted. It had a member beside it all along.
  @Test func whoseRoomIsGoneMeanwhileHasNotJoined() {
    let harness = Harness()
    for place in 0..<3 {
      harness.add(isAlone: true)
      harness.start(place)
    }
    harness.connectsDials = true
    #expect(join(harness, 2, to: 1) == .done(changed: 1))
    harness.advance(1_000)
    var last: [Harness.Envelope] = []
    harness.filter = { envelope in
      guard envelope.message.type == .admitted else { return [envelope] }
      last.append(envelope)
      return []
    }
    harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
    let request = harness.request(.join(harness.address(0), JoiningTests.key), of: 1)
    harness.settle()
    let joiner = harness.author(1)
    let made = MembershipRecord.unknown(1_100, by: joiner.key, Harness.device(joiner).founding, 1)
    let session = harness.welcomed(1, as: harness.author(2))
    for part in RecordsPart.parts(of: made) { harness.handle(1, [.received(session, .records(part))]) }
    #expect(harness.engines[1].membership.count == Limits.membershipRecords)
    for envelope in last { harness.handle(1, [.received(envelope.session, envelope.message)]) }
    #expect(harness.answers[request] == .refused(.notAdmitted(.noRoom)))
  }
}

import PeerSyncCore
import Testing

/// What a member passes on of authors that are no members here, as when somebody has used up the room for the records of their branch.
@Suite struct UnknownAuthorTests {
  private let stranger = Author(48)
  private let member = Author(8)

  private func inSync() -> Harness {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  /// The session of the second engine on which the first speaks.
  private func session(_ harness: Harness) throws -> SessionID {
    try #require(harness.sent.last { $0.to == 1 && $0.from == 0 }?.session)
  }

  /// What a device sends to one that knows nothing, that takes the stranger for a member.
  private func delta(of commits: [Commit]) -> SignedBatch {
    var sender = Author(20).emptyReplica
    for commit in commits { _ = sender.merge(commit.batch, ceiling: Stamp(rawValue: .max)) }
    var (batch, progress) = (SignedBatch(), DeltaProgress(heads: []))
    sender.fill(&batch, from: sender.names(beyond: VersionVector()), &progress, upTo: 1 << 20)
    return batch
  }

  private func receive(_ commits: [Commit], claims: [Dot], _ harness: Harness) throws -> Effects {
    let (session, hash) = (try session(harness), harness.replica(1).vectorHash)
    let end = DeltaEnd(delta: 9, chunks: 1, baseHash: hash, claims: claims)
    return harness.handle(
      1,
      [
        .received(session, .delta(DeltaChunk(delta: 9, index: 0, commits: delta(of: commits)))),
        .received(session, .deltaEnd(end)),
      ])
  }

  /// The session goes on, what members have written is here and claimed, and nothing of the stranger is.
  @Test func theRestOfADeltaIsTaken() throws {
    let harness = inSync()
    let writes = SyncTests.writes(3, by: 8)
    let theirs = Commit.signed(SyncTests.writes(2, by: 48))
    let claims = [member.replica, stranger.replica].sorted()
      .map { Dot(replica: $0, sequence: $0 == member.replica ? 3 : 2) }
    let effects = try receive([Commit.signed(writes), theirs], claims: claims, harness)
    #expect(effects.closings.isEmpty && harness.engines[1].readySessions == 1)
    #expect(writes.allSatisfy { harness.replica(1).register($0.key)?.value == $0.value })
    #expect(
      harness.replica(1).vector[member.replica] == 3 && harness.replica(1).vector[stranger.replica] == 0)
    #expect(harness.replica(1).reach(of: stranger.replica) == 0 && harness.replica(1).count == 3)
    harness.expectSaved(1)
  }

  /// A write of the stranger may have taken the register of one that is left out: it is not claimed, nor is what comes after it.
  @Test func whatIsNotThereIsNotClaimed() throws {
    let harness = inSync()
    var writes = SyncTests.writes(4, by: 8)
    writes[3].key = writes[2].key
    writes[3].stamp = Stamp(rawValue: writes[3].stamp.rawValue + 1)
    let own = [Commit.signed(Array(writes[..<2])), Commit.signed([writes[2]]), Commit.signed([writes[3]])]
    let theirs = Commit.signed(SyncTests.writes(1, by: 48))
    let claims = [member.replica, stranger.replica].sorted()
      .map { Dot(replica: $0, sequence: $0 == member.replica ? 4 : 1) }
    _ = try receive(own + [theirs], claims: claims, harness)
    #expect(harness.closeReasons.isEmpty && harness.replica(1).vector[member.replica] == 2)
    #expect(harness.replica(1).register(writes[3].key)?.value == writes[3].value)
    // Without a stranger it is.
    let other = inSync()
    _ = try receive(own, claims: [Dot(replica: member.replica, sequence: 4)], other)
    #expect(other.replica(1).vector[member.replica] == 4)
  }

  /// It is not asked for again each time, but once the stranger may be a member.
  @Test func nobodyAsksForIt() throws {
    let harness = inSync()
    let claims = [Dot(replica: stranger.replica, sequence: 1)]
    _ = try receive([Commit.signed(SyncTests.writes(1, by: 48))], claims: claims, harness)
    let told = ToldVector(
      VersionVector(harness.replica(1).vector.entries + claims),
      fingerprints: Array(repeating: 0, count: harness.replica(1).vector.entries.count + 1))
    func asks() throws -> Bool {
      harness.handle(1, [.received(try session(harness), .vector(told))]).messages
        .contains { if case .vector = $0.1 { true } else { false } }
    }
    #expect(try !asks() && harness.engines[1].knowingStrangers == [harness.identities[0].device])
    harness.request(.remove(Author(40).device, recoveryKey: nil), of: 1)
    #expect(try asks() && harness.engines[1].knowingStrangers.isEmpty)
  }

  /// A member has used up the room of its branch on each device, with other records.
  @Test func recordsWithoutRoomAreSaid() throws {
    let harness = inSync()
    let founding = Harness.device(member).founding.hash(.simulated)
    let made = (0...Limits.membershipBranchRecords).map { number in
      let body = MembershipRecord.Body.other(
        kind: 200, author: founding, payload: [UInt8(number >> 8), UInt8(number & 255)])
      let bytes = MembershipRecord(parents: [founding], body: body, signatures: []).signedBytes
      return MembershipRecord(parents: [founding], body: body, signatures: [member.key.sign(bytes)])
    }
    func receive(_ records: some Collection<MembershipRecord>) throws -> [Message] {
      let part = RecordsPart(records: Array(records), isLast: true)
      return harness.handle(1, [.received(try session(harness), .records(part))]).messages.map(\.1)
    }
    let (known, rest) = (made.prefix(200), made.dropFirst(200))
    #expect(try receive(known).isEmpty && harness.engines[1].knowingStrangers.isEmpty)
    // They are looked at once the device has rested from the first ones.
    harness.monotonic += 1000
    #expect(try receive(rest).isEmpty && harness.closeReasons.isEmpty)
    #expect(harness.engines[1].knowingStrangers == [harness.identities[0].device])
    #expect(harness.engines[1].peers.first { $0.isConnected }?.isInSync == false)
    // Once there may be room the peer is asked for what it knows.
    harness.request(.remove(member.device, recoveryKey: nil), of: 1)
    #expect(
      harness.sent.contains {
        if case .recordHashes = $0.message { $0.from == 1 } else { false }
      })
    #expect(harness.engines[1].knowingStrangers.isEmpty)
    harness.settle()
    #expect(harness.engines[1].peers.first { $0.isConnected }?.isInSync == true)
  }

  @Test func evidenceAgainstOneIsLeftOut() throws {
    let harness = inSync()
    let heads = [UInt64(1), 2].map { stranger.head(1, 3, ContentHash(words: ($0, 0, 0, 0))) }
    let fork = try #require(Fork(author: stranger.incarnation, heads[0], heads[1]))
    let effects = harness.handle(1, [.received(try session(harness), .forks([fork]))])
    #expect(effects.closings.isEmpty && effects.durable.isEmpty && harness.replica(1).forks.isEmpty)
  }
}

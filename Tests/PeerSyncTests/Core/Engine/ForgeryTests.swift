import PeerSyncCore
import Testing

/// What a member says that its author never wrote.
@Suite struct ForgeryTests {
  private func inSync(_ count: Int = 2) -> Harness {
    let harness = Harness(count)
    for index in 1..<count { harness.connect(index - 1, index) }
    harness.settle()
    harness.expectConverged()
    return harness
  }

  /// The session of an engine on which another speaks.
  private func session(_ harness: Harness, from: Int = 0, to: Int = 1) throws -> SessionID {
    try #require(harness.sent.last { $0.to == to && $0.from == from }?.session)
  }

  private func write(_ author: Author, _ sequence: UInt64, _ value: UInt8 = 1) -> Write {
    var write = SyncTests.writes(1, by: 8)[0]
    write.dot = Dot(replica: author.replica, sequence: sequence)
    write.value = [value]
    return write
  }

  /// A commit under one device's name with another's signature.
  private func forged(_ name: Author, by liar: Author, _ sequence: UInt64) throws -> SignedBatch {
    let batch = try #require(Author(8).emptyReplica.forging(write(name, sequence), name, liar))
    return batch.batch
  }

  private func expectRefused(_ harness: Harness, _ effects: Effects, _ session: SessionID) {
    #expect(effects.closings.map(\.1) == [.forged] && effects.closings.map(\.0) == [session])
    #expect(effects.notices.contains(.refused(session, .forged)))
  }

  enum Way: CaseIterable { case commit, delta, items }

  private func message(_ way: Way, _ batch: SignedBatch) throws -> Message {
    switch way {
    case .commit: .commit(try Commit(batch))
    case .delta: .delta(DeltaChunk(delta: 1, index: 0, commits: batch))
    case .items: .items(RangeItems(range: .all, wantsReply: true, commits: batch))
    }
  }

  /// Under another member's name, under that of the receiver, and under that of nobody.
  @Test(arguments: Way.allCases, [UInt64(1), 2, 40]) func aCommitThatItsAuthorDidNotSign(
    way: Way, name: UInt64
  ) throws {
    let harness = inSync()
    let session = try session(harness)
    let before = (harness.replica(1).digest, harness.replica(1).vector)
    let batch = try forged(Author(name), by: Author(30), 7)
    let effects = harness.handle(1, [.received(session, try message(way, batch))])
    expectRefused(harness, effects, session)
    #expect(harness.replica(1).digest == before.0 && harness.replica(1).vector == before.1)
    #expect(effects.durable.isEmpty)
  }

  /// Good ones before it are taken, and are durable.
  @Test func whatCameBeforeAForgeryCounts() throws {
    let harness = inSync()
    let session = try session(harness)
    let good = Commit.signed([write(Author(8), 1)]).batch
    let batch = SignedBatch.joined([good, try forged(Author(9), by: Author(30), 1)])
    harness.handle(1, [.received(session, .delta(DeltaChunk(delta: 1, index: 0, commits: batch)))])
    #expect(harness.replica(1).register(write(Author(8), 1).key)?.value == [1])
    #expect(harness.closeReasons == [.forged])
    harness.expectSaved(1)
  }

  /// It is left out. Whoever sends it may know more members: that is no forgery.
  @Test(arguments: Way.allCases) func aKeyThatNoMemberHas(way: Way) throws {
    let harness = inSync()
    let session = try session(harness)
    let before = (harness.replica(1).digest, harness.replica(1).vector)
    let stranger = Commit.signed([write(Author(48), 1)])
    let effects = harness.handle(1, [.received(session, try message(way, stranger.batch))])
    #expect(effects.closings.isEmpty && effects.durable.isEmpty)
    #expect(harness.replica(1).digest == before.0 && harness.replica(1).vector == before.1)
    #expect(harness.replica(1).register(write(Author(48), 1).key) == nil)
  }

  // MARK: Claims

  private func end(_ harness: Harness, _ claims: [Dot], chunks: UInt64 = 0) -> Message {
    .deltaEnd(DeltaEnd(delta: 1, chunks: chunks, baseHash: harness.replica(1).vectorHash, claims: claims))
  }

  @Test func aClaimThatNothingBacks() throws {
    let harness = inSync()
    let session = try session(harness)
    let before = harness.replica(1).vector
    let invented = Dot(replica: Author(8).replica, sequence: 1)
    let effects = harness.handle(1, [.received(session, end(harness, [invented]))])
    expectRefused(harness, effects, session)
    #expect(harness.replica(1).vector == before)
  }

  /// One beyond what the author has signed: its next write would never be asked for.
  @Test func aClaimBeyondTheHead() throws {
    for beyond in [UInt64(0), 1] {
      let harness = inSync()
      let session = try session(harness)
      let commit = Commit.signed([write(Author(8), 1)]).batch
      let claim = Dot(replica: Author(8).replica, sequence: 1 + beyond)
      harness.handle(1, [.received(session, .delta(DeltaChunk(delta: 1, index: 0, commits: commit)))])
      harness.handle(1, [.received(session, end(harness, [claim], chunks: 1))])
      #expect(harness.closeReasons == (beyond == 0 ? [] : [.forged]))
      #expect(harness.replica(1).vector[Author(8).replica] == 1 - beyond)
    }
  }

  /// A head alone backs what it reaches: nothing of it need be alive.
  @Test func aHeadBacksAClaim() throws {
    let harness = Harness(start: false)
    let replaced = SyncTests.writes(3, by: 8)
    var disk = HarnessDisk(replaced)
    let newer = Write(
      key: replaced[2].key, stamp: Stamp(rawValue: replaced[2].stamp.rawValue + 1), value: [1],
      dot: Dot(replica: Author(9).replica, sequence: 1))
    disk.registers[newer.register] = newer
    disk.claims.advance(newer.dot.replica, to: 1)
    disk.proofs = PersistedProofs((replaced + [newer]).map { Commit.signed([$0]) })
    harness.add(disk: disk)
    harness.add()
    for index in 0...1 { harness.start(index) }
    harness.connect(0, 1)
    harness.settle()
    harness.expectConverged()
    #expect(harness.replica(1).vector[Author(8).replica] == 3)
    // And the receiver can back it in turn.
    let third = harness.add()
    harness.start(third)
    harness.connect(1, third)
    harness.settle()
    #expect(harness.replica(third).vector[Author(8).replica] == 3)
  }

  // MARK: Relays

  /// What a relay may do to a message.
  private func twisted(_ message: Message, _ random: inout SeededGenerator) -> [Message] {
    switch random.below(9) {
    case 0: return []
    case 1: return [message, message]
    default: break
    }
    switch message {
    case .commit(let commit):
      return (try? Commit(twisted(commit.batch, &random))).map { [.commit($0)] } ?? []
    case .delta(let chunk):
      let commits = twisted(chunk.commits, &random)
      return [.delta(DeltaChunk(delta: chunk.delta, index: chunk.index, commits: commits))]
    case .deltaEnd(let end):
      let claims = end.claims.map {
        Dot(replica: $0.replica, sequence: $0.sequence + UInt64(random.below(3)))
      }
      return [
        .deltaEnd(DeltaEnd(delta: end.delta, chunks: end.chunks, baseHash: end.baseHash, claims: claims))
      ]
    default: return [message]
    }
  }

  private func twisted(_ batch: SignedBatch, _ random: inout SeededGenerator) -> SignedBatch {
    var commits = batch.separated
    switch random.below(5) {
    case 0: commits.shuffle(using: &random)
    case 1: if let commit = commits.first { commits.append(commit) }
    case 2:
      var bytes = batch.bytes
      guard !bytes.isEmpty else { return batch }
      bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
      return (try? SignedBatch(decoding: bytes[...])) ?? batch
    case 3:
      let liar = Author(30)
      let victim = random.pick([Author(1), Author(3)])
      let made = write(victim, UInt64(1 + random.below(20)), 77)
      if let commit = liar.emptyReplica.forging(made, victim, liar) { commits.append(commit.batch) }
    default: break
    }
    return .joined(commits)
  }

  /// Two honest devices that know each other only through a relay, which drops, alters, invents and reorders: nothing that
  /// nobody wrote is ever held or claimed; and once they meet they agree.
  @Test(arguments: Seeds.all) func aRelayThatLies(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<8 {
      let harness = inSync(3)
      harness.connectsDials = true
      harness.adjust(1) { $0.holdings.outbox.chunkBytes = 300 }
      harness.filter = { envelope in
        guard envelope.from == 1 else { return [envelope] }
        return self.twisted(envelope.message, &random).map {
          Harness.Envelope(
            from: envelope.from, fromSession: envelope.fromSession, to: envelope.to,
            session: envelope.session,
            message: $0)
        }
      }
      for number in 0..<12 {
        harness.write(random.pick([0, 2]), "k\(random.below(8))", [UInt8(number)])
        if random.chance(1, of: 3) { harness.advance(2_000) }
        expectHonest(harness, seed)
      }
      harness.advance(Limits.beatMilliseconds)
      expectHonest(harness, seed)
      harness.filter = { [$0] }
      harness.cut()
      harness.connect(0, 2)
      harness.advance(3 * Limits.beatMilliseconds)
      #expect(harness.replica(0).digest == harness.replica(2).digest, "seed \(seed)")
      #expect(harness.replica(0).vector == harness.replica(2).vector, "seed \(seed)")
    }
  }

  private func expectHonest(_ harness: Harness, _ seed: UInt64) {
    let made = Set(harness.history)
    for index in [0, 2] {
      let replica = harness.replica(index)
      #expect(Set(replica.sortedWrites()).isSubset(of: made), "seed \(seed)")
      for entry in replica.vector.entries {
        let last = made.filter { $0.dot.replica == entry.replica }.map(\.dot.sequence).max() ?? 0
        #expect(entry.sequence <= last, "seed \(seed)")
      }
    }
  }
}

extension Replica {
  /// A commit under one author's name with another's signature.
  fileprivate func forging(_ write: Write, _ name: Author, _ liar: Author) -> Commit? {
    var replica = name.emptyReplica
    return replica.seal(WriteBatch([write]), by: liar.key)
  }
}

import PeerSyncCore
import Testing

@Suite struct SyncTests {
  /// Two engines that have met and are in sync.
  private func inSync() -> Harness {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    harness.expectConverged()
    return harness
  }

  static func writes(_ count: Int, by author: UInt64, value: Int = 20) -> [Write] {
    (1...UInt64(count)).map { sequence in
      Write(
        key: RegisterKey.value(key: "\(author)/\(sequence)").encoded,
        stamp: Stamp(Instant(clamping: Harness.wall - 1_000), counter: UInt16(sequence % 1_000)),
        value: Array(repeating: UInt8(truncatingIfNeeded: sequence), count: value),
        dot: Dot(replica: Author(author).replica, sequence: sequence))
    }
  }

  // MARK: What it costs

  @Test func nothingDiffers() {
    let harness = inSync()
    harness.cut()
    let start = harness.sent.count
    harness.connect(1, 0)
    harness.settle()
    let sync = harness.sent[start...].filter { ![.hello, .welcome, .time].contains($0.message.type) }
    #expect(sync.allSatisfy { $0.message.type == .summary })
    #expect(sync.reduce(0) { $0 + Frame.encode($1.message).count } <= 64)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  /// Ten writes among 10,000: one and a half round trips after the welcome, and no write that both have.
  @Test func aSmallDifference() {
    let harness = Harness(start: false)
    let shared = HarnessDisk(Self.writes(10_000, by: 8))
    for _ in 0..<2 { harness.start(harness.add(disk: shared)) }
    for number in 0..<10 { harness.write(0, "new \(number)", [1]) }
    harness.connect(0, 1)
    while harness.engines[1].readySessions == 0 { harness.halfRound() }
    for _ in 0..<3 { harness.halfRound() }
    #expect(harness.replica(0).digest == harness.replica(1).digest)
    #expect(harness.replica(0).vector == harness.replica(1).vector)
    harness.settle()
    harness.expectConverged()
    // The ten, and the member register of each side.
    #expect(harness.deltaWrites.count == 10)
  }

  /// Devices that were in sync before open with what is new: half a round trip after the welcome.
  @Test(arguments: [0, 1])
  func aReunion(dialler: Int) {
    let harness = inSync()
    harness.cut()
    harness.write(dialler, "new", [1])
    let start = harness.sent.count
    harness.connect(dialler, 1 - dialler)
    while harness.engines[dialler].readySessions == 0 { harness.halfRound() }
    harness.halfRound()
    #expect(harness.value(1 - dialler, "new") == [1])
    #expect(harness.replica(0).vector == harness.replica(1).vector)
    harness.settle()
    harness.expectConverged()
    #expect(harness.deltaWrites(since: start).count == 1)
  }

  @Test func aReunionWithNewsOnBothSides() {
    let harness = inSync()
    harness.cut()
    harness.write(0, "a", [1])
    harness.write(1, "b", [2])
    harness.connect(0, 1)
    harness.settle()
    harness.expectConverged()
    #expect(harness.value(0, "b") == [2] && harness.value(1, "a") == [1])
  }

  // MARK: What is claimed

  /// A peer that was restored from an older disk under its old name: what it once acknowledged it no longer has, and a
  /// delta computed against that must not be taken for complete.
  @Test(arguments: [0, 1])
  func aReunionWithAnOlderDisk(restored: Int) {
    let other = 1 - restored
    let harness = inSync()
    let old = harness.disks[restored]
    harness.write(other, "lost", [1])
    harness.settle()
    harness.expectConverged()
    harness.cut()
    harness.restart(restored, from: old)
    harness.write(other, "new", [2])
    harness.connect(0, 1)
    while harness.deliver() != nil { harness.expectClaimsHold() }
    #expect(harness.value(restored, "lost") == [1] && harness.value(restored, "new") == [2])
    harness.expectConverged()
  }

  enum Fate: CaseIterable { case lost, doubled, late }

  /// Pieces of a delta that are lost, come twice or come late: what they bring is kept, what they promise is not believed.
  @Test(arguments: Fate.allCases, 0..<6)
  func aTornDelta(fate: Fate, piece: Int) {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(Self.writes(40, by: 8)))
    harness.add()
    harness.adjust(0) { $0.holdings.outbox.chunkBytes = 300 }
    for index in 0...1 { harness.start(index) }
    var pieces = 0
    var held: [Harness.Envelope] = []
    harness.filter = { envelope in
      guard envelope.from == 0, [.delta, .deltaEnd].contains(envelope.message.type) else { return [envelope] }
      defer { pieces += 1 }
      guard pieces == piece else { return [envelope] + held.popAll() }
      switch fate {
      case .lost: return []
      case .doubled: return [envelope, envelope]
      case .late:
        held = [envelope]
        return []
      }
    }
    harness.connect(0, 1)
    while harness.deliver() != nil { harness.expectClaimsHold() }
    #expect(pieces > 6)
    // A doubled piece is a gap in the count as well: no claim, though nothing is missing.
    #expect(harness.replica(1).vector[Author(8).replica] == 0)
    harness.advance(2 * Limits.beatMilliseconds)
    harness.expectConverged()
    harness.expectClaimsHold()
  }

  /// A delta of many pieces while both sides write.
  @Test func writingDuringADelta() {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(Self.writes(100, by: 8)))
    harness.add(disk: HarnessDisk(Self.writes(100, by: 9)))
    for index in 0...1 {
      harness.adjust(index) {
        $0.holdings.outbox.chunkBytes = 200
        $0.queueLimit = 600
      }
      harness.start(index)
    }
    harness.connect(0, 1)
    var number = 0
    var written: Set<RegisterID> = []
    while harness.deliver() != nil {
      number += 1
      // Overwriting what this side has decided, and deciding beside what is on its way.
      if number % 5 == 0, number < 300 {
        // Longer and longer, so that registers move and memory is given back.
        let value = Array(repeating: UInt8(number % 250), count: 2 * number)
        let (index, key) = (number / 5 % 2, "8/\(number % 20 + 1)")
        harness.write(index, key, value)
        written.insert(
          RegisterID(key: RegisterKey.value(key: key).encoded, author: harness.identities[index].replica))
      }
      if number % 9 == 0 { harness.expectClaimsHold() }
    }
    harness.advance(2 * Limits.beatMilliseconds)
    harness.expectConverged()
    #expect(harness.replica(0).count == 200 + written.count)
  }

  /// A vector that comes while a delta waits for its queue is answered as soon as that delta has gone.
  @Test func aVectorDuringADelta() throws {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(Self.writes(500, by: 8)))
    harness.add()
    harness.add(disk: HarnessDisk(Self.writes(5, by: 9)))
    harness.adjust(0) {
      $0.holdings.outbox.chunkBytes = 1_000
      $0.queueLimit = 4_000
    }
    for index in 0...2 { harness.start(index) }
    harness.drains = false
    harness.connect(0, 1)
    harness.settle()
    let waiting = try #require(harness.sent.last { $0.from == 0 }?.fromSession)
    // News by a delta from another side: asked, the second engine tells its vector while it still takes in the first delta.
    harness.connect(2, 0)
    harness.settle()
    #expect(harness.replica(1).count < 500)
    harness.drains = true
    harness.handle(0, [.drained(waiting)])
    harness.settle()
    #expect(harness.replica(1).digest == harness.replica(0).digest)
    #expect(harness.replica(1).vector == harness.replica(0).vector)
  }

  /// A write (A) was replaced by another device's write (B). One device has only A, another has B and claims both. The
  /// delta of the second is torn, and it is never seen again: claiming A's author now, B's later, would lose the register.
  @Test(arguments: 0..<2)
  func aReplacedWriteWhoseHoldersDiffer(lost: Int) {
    var replaced = SyncTests.writes(2, by: 8)
    for place in 0...1 { replaced[place].key[0] = RegisterKey.laterKind }
    let replacement = Write(
      key: replaced[0].key, stamp: Stamp(rawValue: replaced[0].stamp.rawValue + 1), value: [42],
      dot: Dot(replica: Author(9).replica, sequence: 1))
    let harness = Harness(start: false)
    harness.add()
    harness.add(disk: HarnessDisk(replaced))
    var both = HarnessDisk(replaced)
    both.registers[replacement.register] = replacement
    both.claims.advance(replacement.dot.replica, to: 1)
    both.proofs = PersistedProofs((replaced + [replacement]).map { Commit.signed([$0]) })
    harness.add(disk: both)
    harness.adjust(2) { $0.holdings.outbox.chunkBytes = 1 }
    for index in 0...2 { harness.start(index) }
    var pieces = 0
    harness.filter = { envelope in
      guard envelope.from == 2, envelope.message.type == .delta else { return [envelope] }
      defer { pieces += 1 }
      return pieces == lost ? [] : [envelope]
    }
    harness.connect(0, 2)
    harness.settle()
    #expect(pieces == 2 && harness.replica(0).vector[replaced[0].dot.replica] == 0)
    // The second device disappears for good; the first is met.
    harness.cut()
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.replica(0).vector[replaced[0].dot.replica] == 2)
    #expect(
      harness.replica(0).register(replaced[0].key) != nil
        && harness.replica(0).register(replaced[1].key) != nil)
  }

  /// A delta counts for every vector that was told on the session: telling the next one under load does not void it.
  @Test func aDeltaForAnEarlierVectorCounts() throws {
    let harness = inSync()
    let session = try #require(harness.sent.last { $0.to == 1 }?.session)
    let base = harness.replica(1).vector
    let probe = Message.summary(Summary(isProbe: true, vectorHash: 1, digest: Digest()))
    harness.handle(1, [.received(session, probe)])
    harness.write(1, "a", [1])
    harness.handle(1, [.received(session, probe)])
    harness.write(1, "b", [1])
    let writes = SyncTests.writes(1, by: 8)
    var batch = WriteBatch()
    batch.append(writes[0])
    let end = DeltaEnd(delta: 1, chunks: 1, baseHash: base.hash, claims: [writes[0].dot])
    harness.handle(1, [.received(session, .delta(DeltaChunk(delta: 1, index: 0, commits: .signed(batch))))])
    harness.handle(1, [.received(session, .deltaEnd(end))])
    #expect(harness.replica(1).vector.contains(writes[0].dot))
    let unknown = DeltaEnd(
      delta: 2, chunks: 0, baseHash: 77, claims: [Dot(replica: writes[0].dot.replica, sequence: 9)])
    harness.handle(1, [.received(session, .deltaEnd(unknown))])
    #expect(harness.replica(1).vector[writes[0].dot.replica] == 1)
  }

  // MARK: What is durable

  private func piece(_ index: UInt64, _ write: Write) -> Message {
    var batch = WriteBatch()
    batch.append(write)
    return .delta(DeltaChunk(delta: 1, index: index, commits: .signed(batch)))
  }

  private func versions(_ count: UInt64) -> [Write] {
    (1...count).map { version in
      var write = SyncTests.writes(1, by: 7 + version)[0]
      write.key = RegisterKey.value(key: "same").encoded
      write.stamp = Stamp(Instant(clamping: Harness.wall), counter: UInt16(version))
      return write
    }
  }

  /// Pieces of a delta wait in memory; what wins a register later reaches the disk later all the same.
  @Test func theDiskEndsWithWhatMemoryHolds() throws {
    let harness = inSync()
    let session = try #require(harness.sent.last { $0.to == 1 }?.session)
    let versions = versions(3)
    var batch = WriteBatch()
    batch.append(versions[1])
    let commit = Message.commit(Commit.signed(batch))
    harness.handle(
      1,
      [piece(0, versions[0]), commit, piece(1, versions[2])].map { .received(session, $0) })
    harness.expectSaved(1)
  }

  @Test func aPieceAloneWaitsForTheEnd() throws {
    let harness = inSync()
    let session = try #require(harness.sent.last { $0.to == 1 }?.session)
    let write = versions(1)[0]
    let effects = harness.handle(1, [.received(session, piece(0, write))])
    #expect(effects.durable.isEmpty && !harness.engines[1].isSaved)
    let end = DeltaEnd(delta: 1, chunks: 1, baseHash: harness.replica(1).vectorHash, claims: [write.dot])
    #expect(harness.handle(1, [.received(session, .deltaEnd(end))]).durable.writes.count == 1)
    harness.expectSaved(1)
  }

  /// Neither has anything left to tell: nothing would ever take its place.
  @Test func aDeltaWhoseEndIsLostHoldsNothingUp() throws {
    let harness = inSync()
    let session = try #require(harness.sent.last { $0.to == 1 }?.session)
    harness.handle(1, [.received(session, piece(0, versions(1)[0]))])
    let alike = Message.summary(harness.engines[1].holdings.summary(isProbe: false))
    harness.handle(1, [.received(session, alike)])
    harness.expectSaved(1)
  }

  /// A purchase that is known already from a piece in memory: acknowledged, so it has to be on the disk.
  @Test func whatIsAcknowledgedIsDurable() throws {
    let harness = inSync()
    let session = try #require(harness.sent.last { $0.to == 1 }?.session)
    let write = versions(1)[0]
    harness.handle(1, [.received(session, piece(0, write))])
    #expect(harness.write(1, "same", write.value, stamp: write.stamp) == .done(changed: 0))
    #expect(harness.disks[1].registers[write.register] == write)
  }

  @Test func theEndOfASessionSavesWhatItBrought() throws {
    let harness = inSync()
    let session = try #require(harness.sent.last { $0.to == 1 }?.session)
    harness.handle(1, [.received(session, piece(0, versions(1)[0]))])
    harness.cut()
    harness.expectSaved(1)
  }

  // MARK: Clocks

  /// Writes of a device whose clock is an hour ahead: not applied, not claimed, not lost.
  @Test(arguments: [true, false]) func heldBackUntilTheClockAllows(isDialler: Bool) {
    let harness = Harness(2)
    if isDialler { harness.connect(0, 1) } else { harness.connect(1, 0) }
    harness.settle()
    harness.skew[0] = 3_600_000
    harness.write(0, "early", [1])
    harness.settle()
    let author = harness.identities[0].replica
    let before = harness.replica(1).vector[author]
    #expect(harness.value(0, "early") == [1] && harness.value(1, "early") == nil)
    #expect(before < harness.replica(0).vector[author])
    #expect(harness.notices.contains { $0.notice == .heldBack(harness.identities[0].device, writes: 1) })
    harness.advance(5 * Limits.beatMilliseconds)
    #expect(harness.value(1, "early") == nil && harness.replica(1).vector[author] == before)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.skew[1] = 3_600_000 - Limits.clockDriftMilliseconds
    harness.advance(2 * Limits.beatMilliseconds)
    #expect(harness.value(1, "early") == [1])
    harness.expectConverged()
  }

  // MARK: Requests

  @Test func aBatchIsWrittenWholeOrNotAtAll() {
    let harness = Harness(1)
    let session = harness.open(0)
    _ = session
    harness.restart(0, from: full(harness))
    let writes = (0..<3).map { LocalWrite(key: RegisterKey.value(key: "k\($0)").encoded, value: [1]) }
    let request = harness.request(.write(writes), of: 0)
    #expect(harness.answers[request] == .refused(.full))
    #expect(harness.value(0, "k0") == nil)
    #expect(harness.write(0, "k0", [1]) == .done(changed: 1))
  }

  /// A disk with room for two more writes of its device.
  private func full(_ harness: Harness) -> HarnessDisk {
    var disk = harness.disks[0]
    disk.claims.advance(harness.identities[0].replica, to: Limits.sequence - 3)
    return disk
  }
}

extension Harness {
  /// Writes that travelled in deltas.
  var deltaWrites: [Write] { deltaWrites(since: 0) }

  func deltaWrites(since start: Int) -> [Write] {
    sent[start...].flatMap { envelope -> [Write] in
      if case .delta(let chunk) = envelope.message { chunk.commits.writes } else { [] }
    }
  }
}

extension Array {
  /// All elements, which are gone then.
  mutating func popAll() -> [Element] {
    defer { self = [] }
    return self
  }
}

import PeerSyncCore
import Testing

@Suite struct ReplicaTests {
  private static let ceiling = Stamp(rawValue: .max)

  private func id(_ number: UInt64) -> ReplicaID { Author(number).replica }

  private func dot(_ replica: UInt64, _ sequence: UInt64) -> Dot {
    Dot(replica: id(replica), sequence: sequence)
  }

  private func write(_ replica: UInt64, _ sequence: UInt64, key: UInt8, stamp: UInt64) -> Write {
    Write(
      key: [RegisterKey.laterKind, key], stamp: Stamp(rawValue: stamp), value: [key],
      dot: dot(replica, sequence))
  }

  private func commit(_ replica: UInt64, _ sequences: ClosedRange<UInt64>) throws -> Commit {
    let writes = sequences.map { write(replica, $0, key: UInt8($0), stamp: $0) }
    return try #require(Author(replica).commit(writes))
  }

  /// Takes a commit in as an engine does.
  private func take(_ commit: Commit, _ replica: inout Replica) -> [Dot] {
    #expect(replica.merge(commit.batch, ceiling: Self.ceiling).isWhole)
    return replica.claim(commit)
  }

  // MARK: Writing

  @Test func ownWritesTakeTheNextDotAndClaimIt() {
    var replica = Author(1).emptyReplica
    let first = replica.write(key: [1], stamp: Stamp(rawValue: 1), value: [1])
    let second = replica.write(key: [2], stamp: Stamp(rawValue: 1), value: [1])
    #expect(first?.dot == dot(1, 1) && second?.dot == dot(1, 2))
    #expect(replica.vector == VersionVector([dot(1, 2)]) && replica.vectorHash == replica.vector.hash)
  }

  /// Writing again changes nothing, nor does a write that loses: no dot is spent.
  @Test func writingAgainChangesNothing() {
    var replica = Author(1).emptyReplica
    _ = replica.write(key: [1], stamp: Stamp(rawValue: 2), value: [1])
    let before = replica.digest
    #expect(replica.write(key: [1], stamp: Stamp(rawValue: 2), value: [1]) == nil)
    #expect(replica.write(key: [1], stamp: Stamp(rawValue: 1), value: [9]) == nil)
    #expect(replica.digest == before && replica.vector == VersionVector([dot(1, 1)]))
  }

  @Test func theLastSequenceIsNotPassed() {
    var replica = Author(1).emptyReplica
    replica.restore(claim: dot(1, Limits.sequence - 3))
    #expect(replica.hasRoom(forWrites: 2, bytes: 0) && !replica.hasRoom(forWrites: 3, bytes: 0))
    #expect(replica.write(key: [1], stamp: Stamp(rawValue: 1), value: []) != nil)
    #expect(
      replica.write(key: [2], stamp: Stamp(rawValue: 1), value: [])?.dot.sequence == Limits.sequence - 1)
    #expect(replica.write(key: [3], stamp: Stamp(rawValue: 1), value: []) == nil)
  }

  /// Whatever peers say of this replica's own writes, no dot is used twice and nothing traps.
  @Test(arguments: [1, 5, Limits.sequence - 1, Limits.sequence])
  func aClaimOnOneselfOnlySkipsDots(sequence: UInt64) throws {
    var replica = Author(1).emptyReplica
    let first = replica.write(key: [1], stamp: Stamp(rawValue: 1), value: [])
    _ = replica.claim([dot(1, sequence)])
    let second = replica.write(key: [2], stamp: Stamp(rawValue: 2), value: [])
    #expect(first?.dot == dot(1, 1))
    #expect(second.map { $0.dot.sequence > sequence } ?? (sequence >= Limits.sequence - 1))
    _ = take(try commit(1, 2...9), &replica)
    let third = replica.write(key: [3], stamp: Stamp(rawValue: 2), value: [])
    #expect(third.map { $0.dot.sequence > 9 } ?? (sequence >= Limits.sequence - 1))
  }

  /// A restored backup meets a late write of its earlier life: that dot and those before it are never used again, and
  /// nothing is claimed until the rest has come.
  @Test func ownWritesGoOnBehindWhatWasForgotten() throws {
    var replica = Author(1).emptyReplica
    _ = replica.write(key: [1], stamp: Stamp(rawValue: 1), value: [])
    #expect(take(try commit(1, 4...5), &replica) == [])
    let made = replica.write(key: [2], stamp: Stamp(rawValue: 9), value: [])
    let next = replica.write(key: [3], stamp: Stamp(rawValue: 9), value: [])
    #expect(made?.dot == dot(1, 6) && next?.dot == dot(1, 7) && replica.vector == VersionVector([dot(1, 1)]))
    #expect(take(try commit(1, 2...3), &replica) == [dot(1, 7)])
  }

  @Test func whatIsTooFarAheadIsLeftOut() {
    var replica = Author(1).emptyReplica
    var batch = WriteBatch()
    let value = RegisterKey.value(key: "a").encoded
    batch.append(Write(key: value, stamp: Stamp(rawValue: 11), value: [1], dot: dot(2, 1)))
    // No clock judges what no clock has stamped.
    batch.append(write(2, 2, key: 2, stamp: 99))
    let outcome = replica.merge(batch, ceiling: Stamp(rawValue: 10))
    #expect(
      outcome.heldBack == 1 && !outcome.isWhole && outcome.won.writes == [write(2, 2, key: 2, stamp: 99)])
    #expect(outcome.heldBackLatest == VersionVector([dot(2, 1)]) && outcome.greatestStamp == nil)
    #expect(replica.register(value) == nil && replica.count == 1)
    #expect(replica.merge(batch, ceiling: Stamp(rawValue: 11)).isWhole && replica.count == 2)
    let counts = { (own: [ReplicaID], ceiling: UInt64) in
      replica.registers.standing(under: value, Counting(own: own, ceiling: Stamp(rawValue: ceiling))) != nil
    }
    #expect(!counts([], 10) && counts([], 11) && counts([id(2)], 10) && counts([id(9), id(2)], 10))
    // Taken by a clock that was wrong as well, it is held back from then on.
    _ = replica.claim([dot(2, 2)])
    replica.holdBack([Write(key: value, stamp: Stamp(rawValue: 11), value: [1], dot: dot(2, 1))])
    #expect(replica.count == 1 && replica.vector == VersionVector())
  }

  // MARK: Claiming commits

  @Test func commitsInOrder() throws {
    var replica = Author(1).emptyReplica
    #expect(take(try commit(2, 1...3), &replica) == [dot(2, 3)])
    #expect(take(try commit(2, 4...4), &replica) == [dot(2, 4)])
    #expect(take(try commit(2, 1...3), &replica) == [])
    #expect(replica.vector == VersionVector([dot(2, 4)]) && replica.vectorHash == replica.vector.hash)
  }

  @Test func aGapIsNotClaimed() throws {
    var replica = Author(1).emptyReplica
    #expect(take(try commit(2, 2...3), &replica) == [])
    #expect(replica.vector == VersionVector() && replica.count == 2)
    #expect(take(try commit(2, 5...6), &replica) == [])
    #expect(take(try commit(2, 1...1), &replica) == [dot(2, 3)])
    #expect(take(try commit(2, 4...4), &replica) == [dot(2, 6)])
  }

  @Test func commitsInAnyOrder() throws {
    var random = SeededGenerator(seed: 1)
    let commits = try (0..<UInt64(20)).map { try commit(2, ($0 * 3 + 1)...($0 * 3 + 3)) }
    for _ in 0..<200 {
      var replica = Author(1).emptyReplica
      var seen: Set<UInt64> = []
      for commit in (commits + commits.prefix(5)).shuffled(using: &random) {
        _ = take(commit, &replica)
        seen.insert((commit.first - 1) / 3)
        let whole = (0..<UInt64(20)).first { !seen.contains($0) } ?? 20
        #expect(replica.vector[id(2)] == whole * 3)
      }
    }
  }

  /// Early commits are remembered up to a number; the rest comes again with a delta.
  @Test func earlyCommitsAreBounded() throws {
    var replica = Author(1).emptyReplica
    var batch = WriteBatch()
    for sequence in UInt64(2)...2_000 {
      batch = WriteBatch()
      batch.append(write(2, sequence, key: 1, stamp: sequence))
      _ = take(Commit.signed(batch), &replica)
    }
    #expect(replica.vector == VersionVector())
    _ = take(try commit(2, 1...1), &replica)
    #expect(replica.vector[id(2)] == 1)
    #expect(replica.claim([dot(2, 1_800)]) == [dot(2, 2_000)])
  }

  // MARK: Claiming deltas

  @Test func aDeltaMovesAllItsEntries() throws {
    var replica = Author(1).emptyReplica
    _ = take(try commit(2, 1...5), &replica)
    _ = take(try commit(3, 8...9), &replica)
    #expect(replica.claim([dot(2, 3), dot(3, 7), dot(4, 1)]) == [dot(3, 9), dot(4, 1)].sorted())
    #expect(replica.vector == VersionVector([dot(2, 5), dot(3, 9), dot(4, 1)]))
    #expect(replica.vectorHash == replica.vector.hash)
  }

  /// All or none: a vector that the wire does not let through would end every session.
  @Test func claimsNeverNameTooManyReplicas() throws {
    var replica = Author(1).emptyReplica
    let most = (1...UInt64(Limits.replicas - 1)).map { dot($0, 1) }
    #expect(replica.claim(most).count == most.count)
    #expect(replica.claim([dot(5_000, 1), dot(5_001, 1)]) == [])
    #expect(replica.vector.entries.count == Limits.replicas - 1)
    #expect(replica.claim([dot(1, 2), dot(5_000, 1)]) == [dot(1, 2), dot(5_000, 1)].sorted())
    #expect(take(try commit(5_001, 1...1), &replica) == [])
    #expect(replica.vector.entries.count == Limits.replicas)
  }

  // MARK: Laws

  private func expectSame(_ left: Replica, _ right: Replica, seed: UInt64) {
    #expect(left.digest == right.digest && left.count == right.count, "seed \(seed)")
    #expect(left.sortedWrites() == right.sortedWrites(), "seed \(seed)")
  }

  private func merged(_ batches: [WriteBatch]) -> Replica {
    var replica = Author(1).emptyReplica
    for batch in batches { _ = replica.merge(batch, ceiling: Self.ceiling) }
    return replica
  }

  /// Commutative, associative, idempotent: any order, any split, any repetition of the same writes is the same state.
  @Test(arguments: Seeds.all) func mergingObeysTheLaws(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let writes = RegisterMapTests.writes(random.below(120), keys: 1 + random.below(20), &random)
      let whole = merged([batch(writes)])
      expectSame(whole, merged(split(writes.shuffled(using: &random), &random)), seed: seed)
      let repeated = writes + writes.prefix(random.below(writes.count + 1))
      expectSame(whole, merged(split(repeated.shuffled(using: &random), &random)), seed: seed)
      // Merging what a merged replica holds is merging all that it was told.
      expectSame(whole, merged(split(whole.sortedWrites().shuffled(using: &random), &random)), seed: seed)
    }
  }

  @Test(arguments: Seeds.all) func mergingAgainWinsNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let batch = batch(RegisterMapTests.writes(1 + random.below(60), keys: 10, &random))
      var replica = merged([batch])
      let before = replica.digest
      #expect(replica.merge(batch, ceiling: Self.ceiling).won.isEmpty, "seed \(seed)")
      #expect(replica.digest == before, "seed \(seed)")
    }
  }

  /// Putting what was won onto a disk, one batch after another, ends with what the registers hold.
  @Test(arguments: Seeds.all) func whatWonIsTheState(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var replica = Author(1).emptyReplica
      var disk: [RegisterID: Write] = [:]
      for batch in split(RegisterMapTests.writes(80, keys: 10, &random), &random) {
        for write in replica.merge(batch, ceiling: Self.ceiling).won.writes { disk[write.register] = write }
      }
      #expect(Set(replica.sortedWrites()) == Set(disk.values), "seed \(seed)")
    }
  }

  private func batch(_ writes: some Sequence<Write>) -> WriteBatch {
    var batch = WriteBatch()
    for write in writes { batch.append(write) }
    return batch
  }

  private func split(_ writes: [Write], _ random: inout SeededGenerator) -> [WriteBatch] {
    var batches: [WriteBatch] = []
    var rest = writes[...]
    while !rest.isEmpty {
      let count = 1 + random.below(rest.count)
      batches.append(batch(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return batches
  }
}

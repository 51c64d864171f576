import PeerSyncCore
import Testing

/// Whatever is merged, replaced and merged again: the proofs are those of the writes, in memory as on a disk.
@Suite struct ProofTests {
  private static let ceiling = Stamp(rawValue: .max)
  private let own = Author(1)

  private func dot(_ author: UInt64, _ sequence: UInt64) -> Dot {
    Dot(replica: Author(author).replica, sequence: sequence)
  }

  private func write(_ author: UInt64, _ sequence: UInt64, key: Int, stamp: Int) -> Write {
    Write(
      key: [RegisterKey.laterKind, UInt8(key)], stamp: Stamp(rawValue: UInt64(stamp)),
      value: [UInt8(sequence & 0xff)],
      dot: dot(author, sequence))
  }

  /// Commits of some authors, in the order of their sequences.
  private func commits(_ random: inout SeededGenerator, authors: UInt64 = 3, keys: Int = 12) -> [Commit] {
    (2..<(2 + authors)).flatMap { author -> [Commit] in
      var next: UInt64 = 1
      return (0..<(2 + random.below(12))).map { _ in
        let count = UInt64(random.pick([1, 1, 2, 5, 9]))
        defer { next += count }
        return .signed(
          (next..<(next + count)).map {
            write(author, $0, key: random.below(keys), stamp: random.below(30))
          })
      }
    }
  }

  /// A disk has lost a commit and kept its writes. Whoever brings the commit again has one of them no more: it is proven here all the
  /// same, by its hash, unless it is another one.
  @Test(arguments: [true, false]) func aCommitProvesWhatItsSenderLacks(isSame: Bool) throws {
    let author = Author(2)
    let first = [write(2, 1, key: 0, stamp: 1), write(2, 2, key: 1, stamp: 1)]
    let later = [write(2, 3, key: 0, stamp: 2)]
    var sender = Author(3).emptyReplica
    for writes in [first, later] {
      #expect(sender.merge(Commit.signed(writes).batch, ceiling: Self.ceiling).forgery == nil)
    }
    var damaged = own.emptyReplica
    damaged.restore(.incarnation(author.incarnation, replica: author.replica))
    var held = first[0]
    if !isSame { held.value = [7, 7] }
    held.withView { damaged.restore($0) }
    #expect(damaged.unproven == [held])
    // What it is sent is the first commit alone, with the hash of what was replaced.
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    let names = sender.names(beyond: VersionVector([dot(2, 1)])).prefix(1)
    sender.fill(&batch, from: Array(names), &progress, upTo: .max)
    #expect(damaged.merge(batch, ceiling: Self.ceiling).forgery == nil)
    #expect(damaged.unproven == (isSame ? [] : [held]))
    if !isSame { damaged.remove(held.register) }
    let (sent, isDamaged) = everything(&damaged)
    var receiver = Author(4).emptyReplica
    #expect(!isDamaged && receiver.merge(sent, ceiling: Self.ceiling).forgery == nil)
    #expect(Set(receiver.sortedWrites()) == Set(isSame ? first : [first[1]]))
  }

  /// What a replica has put on its disk.
  private struct Disk {
    var registers: [RegisterID: Write] = [:]
    var proofs = PersistedProofs()

    mutating func take(_ won: WriteBatch, _ replica: inout Replica) {
      for write in won.writes { registers[write.register] = write }
      for change in replica.takeProofChanges() { proofs.apply(change) }
    }

    func replica(_ author: Author) -> Replica {
      var replica = author.emptyReplica
      for change in proofs.all { replica.restore(change) }
      for write in registers.values { write.withView { replica.restore($0) } }
      return replica
    }
  }

  /// Everything a replica would send to one that knows nothing.
  private func everything(_ replica: inout Replica) -> (SignedBatch, isDamaged: Bool) {
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    replica.fill(&batch, from: replica.names(beyond: VersionVector()), &progress, upTo: .max)
    let heads = (2..<UInt64(8)).map { Author($0).replica }.filter { replica.reach(of: $0) > 0 }
      .map { Dot(replica: $0, sequence: replica.reach(of: $0)) }
    replica.fill(&batch, withHeadsFor: heads, &progress, upTo: .max)
    return (batch, progress.isDamaged)
  }

  @Test(arguments: Seeds.all) func proofsAreThoseOfTheWrites(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let commits = commits(&random)
      var (replica, disk) = (own.emptyReplica, Disk())
      for commit in (commits + commits.prefix(random.below(9))).shuffled(using: &random) {
        let outcome = replica.merge(commit.batch, ceiling: Self.ceiling)
        #expect(outcome.isWhole, "seed \(seed)")
        disk.take(outcome.won, &replica)
        if random.chance(1, of: 3),
          let made = replica.write(
            key: [RegisterKey.laterKind, UInt8(random.below(12))],
            stamp: Stamp(rawValue: UInt64(random.below(40))), value: [9])
        {
          #expect(replica.seal(WriteBatch([made]), by: own.key) != nil)
          disk.take(WriteBatch([made]), &replica)
        }
        #expect(disk.proofs.fit(disk.registers.values), "seed \(seed)")
      }
      expectSendsAllOfIt(&replica, disk, seed)
    }
  }

  private func expectSendsAllOfIt(_ replica: inout Replica, _ disk: Disk, _ seed: UInt64) {
    #expect(Set(replica.sortedWrites()) == Set(disk.registers.values), "seed \(seed)")
    let (batch, isDamaged) = everything(&replica)
    #expect(!isDamaged && Set(batch.writes).isSuperset(of: replica.sortedWrites()), "seed \(seed)")
    var restored = disk.replica(own)
    #expect(everything(&restored).0 == batch, "seed \(seed)")
    var other = Author(20).emptyReplica
    let outcome = other.merge(batch, ceiling: Self.ceiling)
    #expect(outcome.isWhole && other.digest == replica.digest, "seed \(seed)")
    #expect(everything(&other).0 == batch, "seed \(seed)")
    let (items, damaged) = replica.items(in: .all, upTo: .max)
    #expect(damaged == 0 && Set(items.writes) == Set(replica.sortedWrites()), "seed \(seed)")
  }

  /// A bit anywhere in what comes: nothing that its author did not sign gets in.
  /// A disk that has lost rows leaves whole commits, and writes that no commit proves; nothing in between, which nobody could be sent.
  @Test(arguments: Seeds.all) func whatIsLostLeavesNoPartOfACommit(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      var (replica, disk) = (own.emptyReplica, Disk())
      for commit in commits(&random).shuffled(using: &random) {
        disk.take(replica.merge(commit.batch, ceiling: Self.ceiling).won, &replica)
      }
      for register in disk.registers.keys.sorted() where random.chance(1, of: 8) {
        disk.registers[register] = nil
      }
      var spoilt = PersistedProofs()
      for change in disk.proofs.all {
        if case .incarnation = change {} else if random.chance(1, of: 8) { continue }
        spoilt.apply(change)
      }
      disk.proofs = spoilt
      var loaded = disk.replica(own)
      loaded.settle(keepsClaims: false)
      let unproven = Set(loaded.unproven.map(\.dot))
      var kept = PersistedProofs()
      for case .proven(let changes) in loaded.everything.changes {
        for change in changes { kept.apply(change) }
      }
      #expect(kept.fit(loaded.sortedWrites().filter { !unproven.contains($0.dot) }), "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all) func oneBitChanged(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let commits = commits(&random, authors: 2)
      let made = Set(commits.flatMap { $0.batch.writes })
      var holder = own.emptyReplica
      for commit in commits { _ = holder.merge(commit.batch, ceiling: Self.ceiling) }
      var bytes = everything(&holder).0.bytes
      bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
      guard let batch = try? SignedBatch(decoding: bytes[...]) else { continue }
      var replica = Author(20).emptyReplica
      let outcome = replica.merge(batch, ceiling: Self.ceiling)
      #expect(outcome.forgery == .signature, "seed \(seed)")
      #expect(Set(replica.sortedWrites()).isSubset(of: made), "seed \(seed)")
      for author in UInt64(2)...3 {
        let last = commits.filter { $0.author == Author(author).incarnation }.map(\.last).max() ?? 0
        #expect(replica.reach(of: Author(author).replica) <= last, "seed \(seed)")
      }
    }
  }

  @Test func onlyMembersWrite() {
    var replica = own.emptyReplica
    replica.authors = Authors(members: [Author(2).key.publicKey])
    let stranger = replica.merge(Commit.signed([write(3, 1, key: 1, stamp: 1)]).batch, ceiling: Self.ceiling)
    #expect(stranger.strangers == [Author(3).replica] && stranger.forgery == nil && replica.count == 0)
    #expect(!stranger.isWhole && stranger.isWholeOfMembers && replica.reach(of: Author(3).replica) == 0)
    #expect(
      replica.merge(Commit.signed([write(2, 1, key: 1, stamp: 1)]).batch, ceiling: Self.ceiling).isWhole)
  }

  /// The commonest case is small: a purchase is a commit of its own.
  @Test func aHeadIsAllThatIsKeptOfWhatIsGone() {
    var (replica, disk) = (own.emptyReplica, Disk())
    for sequence in UInt64(1)...50 {
      let commit = Commit.signed([write(2, sequence, key: 1, stamp: Int(sequence))])
      disk.take(replica.merge(commit.batch, ceiling: Self.ceiling).won, &replica)
    }
    disk.take(
      replica.merge(Commit.signed([write(3, 1, key: 1, stamp: 99)]).batch, ceiling: Self.ceiling).won,
      &replica)
    #expect(disk.proofs.commits.count == 2 && disk.proofs.replaced.isEmpty)
    #expect(disk.proofs.commits[dot(2, 50)]?.root != nil && disk.proofs.commits[dot(3, 1)]?.root == nil)
    #expect(replica.isBacked(dot(2, 50)) && !replica.isBacked(dot(2, 51)))
  }

  /// A write that was held back is a hash at first, and comes alive when the clock allows.
  @Test func whatWasHeldBackComesAlive() {
    let value = RegisterKey.value(key: "a").encoded
    var first = write(2, 1, key: 1, stamp: 50)
    first.key = value
    let commit = Commit.signed([first, write(2, 2, key: 2, stamp: 1)])
    var (replica, disk) = (own.emptyReplica, Disk())
    let held = replica.merge(commit.batch, ceiling: Stamp(rawValue: 10))
    disk.take(held.won, &replica)
    #expect(held.heldBack == 1 && replica.count == 1 && disk.proofs.fit(disk.registers.values))
    let revivals = replica.revivals
    disk.take(replica.merge(commit.batch, ceiling: Self.ceiling).won, &replica)
    #expect(replica.count == 2 && disk.proofs.fit(disk.registers.values) && disk.proofs.replaced.isEmpty)
    #expect(replica.revivals > revivals)
  }

  /// What was held back takes its register from an older write of the same commit, which the sender has no more.
  @Test func whatWasHeldBackReplacesOneOfItsOwnCommit() {
    let writes = [(UInt64(1), 1), (2, 50)].map { sequence, stamp in
      var made = write(2, sequence, key: 0, stamp: stamp)
      made.key = RegisterKey.value(key: "a").encoded
      return made
    }
    let commit = Commit.signed(writes)
    var (replica, disk) = (own.emptyReplica, Disk())
    disk.take(replica.merge(commit.batch, ceiling: Stamp(rawValue: 10)).won, &replica)
    #expect(replica.sortedWrites() == [writes[0]] && disk.proofs.fit(disk.registers.values))
    var sender = Author(3).emptyReplica
    #expect(sender.merge(commit.batch, ceiling: Self.ceiling).won.writes == writes)
    let (sent, _) = everything(&sender)
    disk.take(replica.merge(sent, ceiling: Self.ceiling).won, &replica)
    #expect(replica.sortedWrites() == [writes[1]] && disk.proofs.fit(disk.registers.values))
    #expect(disk.proofs.replaced.keys.map(\.sequence) == [1])
  }

  /// The same, where its commit had become a root since the disk was written last: the hash on the disk goes all the same.
  @Test func whatComesAliveOfARootLeavesNoHashOnTheDisk() {
    var held = write(2, 2, key: 2, stamp: 50)
    held.key = RegisterKey.value(key: "a").encoded
    let commit = Commit.signed([write(2, 1, key: 1, stamp: 1), held])
    var (replica, disk) = (own.emptyReplica, Disk())
    disk.take(replica.merge(commit.batch, ceiling: Stamp(rawValue: 10)).won, &replica)
    #expect(disk.proofs.replaced.keys.map(\.sequence) == [2])
    let rival = Commit.signed([write(3, 1, key: 1, stamp: 9)])
    var won = replica.merge(rival.batch, ceiling: Self.ceiling).won.writes
    won += replica.merge(commit.batch, ceiling: Self.ceiling).won.writes
    #expect(won.map(\.dot) == [dot(3, 1), dot(2, 2)])
    disk.take(WriteBatch(won), &replica)
    #expect(disk.proofs.fit(disk.registers.values))
    #expect(disk.proofs.replaced.keys.map(\.sequence) == [1])
  }

  /// Many commits in no order at all: as one by one.
  @Test func manyCommitsInAnyOrder() {
    var random = SeededGenerator(seed: 7)
    let commits = (1...3_000).map {
      Commit.signed([write(2, $0, key: Int($0 % 200), stamp: random.below(1_000))])
    }
    var (one, other) = (own.emptyReplica, own.emptyReplica)
    for commit in commits { _ = one.merge(commit.batch, ceiling: Self.ceiling) }
    for commit in commits.shuffled(using: &random) { _ = other.merge(commit.batch, ceiling: Self.ceiling) }
    #expect(everything(&one).0 == everything(&other).0 && one.digest == other.digest)
  }

  /// What a disk has changed is not passed on by a repair.
  @Test func aDiskThatLiesDoesNotSpread() {
    var (replica, disk) = (own.emptyReplica, Disk())
    let commits = [
      Commit.signed([write(2, 1, key: 1, stamp: 1), write(2, 2, key: 2, stamp: 1)]),
      Commit.signed([write(3, 1, key: 3, stamp: 1)]),
    ]
    for commit in commits { disk.take(replica.merge(commit.batch, ceiling: Self.ceiling).won, &replica) }
    disk.registers[write(2, 1, key: 1, stamp: 1).register]?.value = [66]
    var spoilt = disk.replica(own)
    let (items, damaged) = spoilt.items(in: .all, upTo: .max)
    #expect(damaged == 1 && items.writes == [write(3, 1, key: 3, stamp: 1)])
  }
}

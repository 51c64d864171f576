import PeerSyncCore
import Testing

@Suite struct CutTests {
  private static let ceiling = Stamp(rawValue: .max)
  private let own = Author(1)

  private func dot(_ author: UInt64, _ sequence: UInt64) -> Dot {
    Dot(replica: Author(author).replica, sequence: sequence)
  }

  private func write(
    _ author: UInt64, _ sequence: UInt64, key: Int, stamp: Int, kind: RegisterKind = .value
  ) -> Write {
    Write(
      key: [kind.rawValue, UInt8(key)], stamp: Stamp(rawValue: UInt64(stamp)), value: [UInt8(stamp)],
      dot: dot(author, sequence))
  }

  private func take(_ commit: Commit, _ replica: inout Replica) {
    if replica.merge(commit.batch, ceiling: Self.ceiling).isWhole { _ = replica.claim(commit) }
  }

  private func cut(_ author: UInt64, at sequence: UInt64, _ replica: inout Replica) -> CutOutcome {
    replica.apply([Author(author).replica: sequence], own: own.key.publicKey)
  }

  @Test func whatIsBeyondIsVoid() {
    var replica = own.emptyReplica
    take(.signed([write(2, 1, key: 1, stamp: 1), write(2, 2, key: 2, stamp: 2)]), &replica)
    take(.signed([write(3, 1, key: 3, stamp: 1)]), &replica)
    let outcome = cut(2, at: 1, &replica)
    #expect(outcome.voided == [dot(2, 1)] && outcome.removed == 1)
    #expect(outcome.isLowered && outcome.kept.isEmpty)
    #expect(replica.registers[write(2, 2, key: 2, stamp: 2).register] == nil)
    // Of the author alone the entry falls.
    #expect(replica.count == 2 && replica.vector == VersionVector([dot(2, 1), dot(3, 1)]))
    // And stays out, whoever sends it.
    let again = replica.merge(Commit.signed([write(2, 3, key: 4, stamp: 9)]).batch, ceiling: Self.ceiling)
    #expect(again.void == 1 && !again.isWhole && replica.count == 2)
    #expect(replica.claim([dot(2, 3), dot(3, 1)]).isEmpty)
    #expect(cut(2, at: 5, &replica).isEmpty && cut(2, at: 1, &replica).isEmpty)
  }

  /// Of each life what it wrote first, and of those with more than their share as much as of each other.
  @Test(arguments: Seeds.all)
  func loweredCuts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let counts = (2..<2 + UInt64(random.pick(1...5))).map { ($0, random.below(9)) }
      var replica = own.emptyReplica
      for (author, count) in counts where count > 0 {
        take(.signed((1...count).map { write(author, UInt64($0), key: $0, stamp: 1) }), &replica)
      }
      let cuts = counts.map { dot($0.0, UInt64($0.1)) }
      let most = random.below(30)
      let lowered = replica.lowered(cuts, leaving: most).sorted()
      // One after another, as long as there is room: the plain way.
      var left = counts.map { ($0.0, 0) }
      var room = most
      while room > 0, zip(left, counts).contains(where: { $0.1 < $1.1 }) {
        let fewest = zip(left, counts).enumerated().filter { $1.0.1 < $1.1.1 }
          .min { ($0.element.0.1, $0.element.1.1) < ($1.element.0.1, $1.element.1.1) }
        guard let place = fewest?.offset else { break }
        left[place].1 += 1
        room -= 1
      }
      #expect(lowered.reduce(0) { $0 + $1.sequence } == UInt64(left.reduce(0) { $0 + $1.1 }))
      for (author, count) in counts {
        let kept = lowered.first { $0.replica == Author(author).replica }?.sequence ?? 0
        let fair = left.first { $0.0 == author }?.1 ?? 0
        #expect(kept <= UInt64(count) && abs(Int(kept) - fair) <= 1)
      }
    }
  }

  /// What came ahead of its turn and is void by then is not claimed once its turn comes.
  @Test func whatWaitsForItsTurnIsVoidAsWell() {
    let commits = (1...3).map { Commit.signed([write(2, $0, key: Int($0), stamp: Int($0))]) }
    var replica = own.emptyReplica
    for commit in [commits[0], commits[2]] { take(commit, &replica) }
    let outcome = cut(2, at: 2, &replica)
    #expect(outcome.voided == [dot(2, 2)] && outcome.removed == 1)
    take(commits[1], &replica)
    #expect(replica.count == 2 && replica.vector == VersionVector([dot(2, 2)]))
  }

  /// A removal that was overruled: what it had voided comes again and counts. A fork's cut stays.
  @Test func whatNothingCallsForIsLifted() throws {
    let commits: [Commit] = [
      .signed([write(2, 1, key: 1, stamp: 1)]), .signed([write(2, 2, key: 2, stamp: 2)]),
      .signed([write(2, 3, key: 3, stamp: 3)]),
    ]
    var replica = own.emptyReplica
    for commit in commits { take(commit, &replica) }
    _ = cut(2, at: 1, &replica)
    let others = [own, Author(3)].map(\.key.publicKey)
    replica.authors = Authors(members: others, removed: [(Author(2).key.publicKey, [dot(2, 2)], nil)])
    replica.liftCuts()
    for commit in commits { take(commit, &replica) }
    #expect(replica.count == 2 && replica.vector == VersionVector([dot(2, 2)]))
    replica.authors = Authors(members: others + [Author(2).key.publicKey])
    replica.liftCuts()
    for commit in commits { take(commit, &replica) }
    #expect(replica.count == 3 && replica.vector == VersionVector([dot(2, 3)]))
    let heads = [UInt64(1), 2].map { Author(3).head(5, 6, ContentHash(words: ($0, 0, 0, 0))) }
    let fork = try #require(Fork(author: Author(3).incarnation, heads[0], heads[1]))
    #expect(try replica.add(fork))
    _ = cut(3, at: fork.cut, &replica)
    replica.liftCuts()
    let void = replica.merge(Commit.signed([write(3, 5, key: 9, stamp: 9)]).batch, ceiling: Self.ceiling)
    #expect(void.void == 1 && replica.count == 3)
  }

  /// Any member may remove whom it has let in, and name replicas of others: it neither cuts those of members nor lifts the cut of one that
  /// was removed before.
  @Test("F60: a removal cuts replicas of the removed device alone, whatever others it names")
  func whatOthersAreNamed() {
    let devices = [own, Author(2), Author(3), Author(4)]
    let authors = Authors(
      members: [own, Author(3)].map(\.key.publicKey),
      removed: [
        (Author(4).key.publicKey, [dot(4, 1)], nil),
        (Author(2).key.publicKey, [dot(2, 2), dot(3, 1), dot(4, 1_000_000)], nil),
      ])
    let cuts = authors.cuts(of: devices.map { ($0.replica, $0.key.publicKey) })
    #expect(cuts == [Author(2).replica: 2, Author(4).replica: 1])
    // Nor those of one that was not met before.
    var replica = own.emptyReplica
    replica.authors = authors
    replica.liftCuts()
    _ = replica.apply(replica.removalCuts, own: own.key.publicKey)
    for author in [UInt64(2), 3, 4] {
      for sequence in 1...3 as ClosedRange<UInt64> {
        take(.signed([write(author, sequence, key: Int(author * 8 + sequence), stamp: 1)]), &replica)
      }
    }
    #expect(replica.vector == VersionVector([dot(2, 2), dot(3, 3), dot(4, 1)]))
  }

  /// Evidence of a fork may come first, with a cut beyond that of the removal.
  @Test func aForkThatIsMetFirstKeepsTheCutOfARemoval() throws {
    let heads = [UInt64(1), 2].map { Author(2).head(100, 101, ContentHash(words: ($0, 0, 0, 0))) }
    let fork = try #require(Fork(author: Author(2).incarnation, heads[0], heads[1]))
    var replica = own.emptyReplica
    replica.authors = Authors(
      members: [own.key.publicKey], removed: [(Author(2).key.publicKey, [dot(2, 2)], nil)])
    #expect(try replica.add(fork))
    _ = cut(2, at: fork.cut, &replica)
    for sequence in 1...3 as ClosedRange<UInt64> {
      take(.signed([write(2, sequence, key: Int(sequence), stamp: 1)]), &replica)
    }
    #expect(replica.vector == VersionVector([dot(2, 2)]))
  }

  /// Nothing of it was alive: the entry sinks, and nothing has to come again.
  @Test func whatIsGoneAnywayOnlyLowersTheEntry() {
    var replica = own.emptyReplica
    take(.signed([write(2, 1, key: 1, stamp: 1)]), &replica)
    take(.signed([write(2, 2, key: 2, stamp: 2)]), &replica)
    take(.signed([write(2, 3, key: 2, stamp: 3)]), &replica)
    _ = cut(2, at: 2, &replica)
    #expect(replica.vector == VersionVector([dot(2, 2)]))
    let outcome = cut(2, at: 1, &replica)
    #expect(outcome.isLowered && outcome.voided.isEmpty)
    #expect(replica.vector == VersionVector([dot(2, 1)]))
    #expect(replica.isBacked(dot(2, 1)))
  }

  @Test func whatTheStoreSignedIsKept() {
    var replica = own.emptyReplica
    take(
      .signed([
        write(2, 1, key: 1, stamp: 1, kind: .transaction).named,
        write(2, 2, key: 1, stamp: 2, kind: .renewalInfo).named,
      ]),
      &replica)
    #expect(cut(2, at: 0, &replica).kept.map(\.dot).sorted() == [dot(2, 1), dot(2, 2)])
  }

  /// What this device wrote in an earlier life is its own, whatever its kind.
  @Test func ownWritesAreKept() throws {
    var replica = own.emptyReplica
    let earlier = Author(1, life: 7)
    var old = write(2, 1, key: 1, stamp: 1)
    old.dot = Dot(replica: earlier.replica, sequence: 1)
    take(try #require(earlier.commit([old])), &replica)
    let outcome = replica.apply([earlier.replica: 0], own: own.key.publicKey)
    #expect(outcome.kept == [old] && replica.count == 0)
  }

  /// The replica in use is cut for others only, until the device continues as another.
  @Test func theReplicaInUseGoesOn() {
    var replica = own.emptyReplica
    let made = replica.write(key: [8, 1], stamp: Stamp(rawValue: 1), value: [1])
    #expect(replica.apply([own.replica: 0], own: own.key.publicKey).isEmpty && replica.count == 1)
    let next = Author(1, life: 1)
    let hasBegun = replica.begin(next.incarnation)
    #expect(hasBegun && replica.id == next.replica)
    let outcome = replica.apply([own.replica: 0], own: own.key.publicKey)
    #expect(outcome.kept == [made].compactMap { $0 } && replica.count == 0)
    #expect(
      replica.write(key: [8, 1], stamp: Stamp(rawValue: 1), value: [1])?.dot
        == Dot(replica: next.replica, sequence: 1))
  }

  /// A commit across the cut: its writes up to there count, the others are hashes from then on.
  @Test func aCommitAcrossTheCut() {
    let commit = Commit.signed((1...4).map { write(2, $0, key: Int($0), stamp: 1) })
    var (early, late) = (own.emptyReplica, own.emptyReplica)
    take(commit, &early)
    _ = cut(2, at: 2, &early)
    _ = cut(2, at: 2, &late)
    #expect(late.merge(commit.batch, ceiling: Self.ceiling).void == 2)
    #expect(early.digest == late.digest && early.count == 2)
    // Passed on without the void ones, it proves the others and is whole.
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    early.fill(&batch, from: early.names(beyond: VersionVector()), &progress, upTo: .max)
    var third = Author(20).emptyReplica
    _ = third.apply([Author(2).replica: 2], own: Author(20).key.publicKey)
    #expect(third.merge(batch, ceiling: Self.ceiling).isWhole && third.digest == early.digest)
    #expect(third.isBacked(dot(2, 2)))
  }

  /// Cuts before, between and after the writes that they void, in any order: what was not void is the same.
  @Test(arguments: Seeds.all) func theOrderDoesNotMatter(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let commits = (2...UInt64(4)).flatMap { author in
        (0..<UInt64(8)).map { place in
          Commit.signed(
            (1...3).map { write(author, place * 3 + $0, key: random.below(200), stamp: random.below(50)) })
        }
      }
      let cuts = (0..<4).map { _ in (UInt64(2 + random.below(3)), UInt64(random.below(25))) }
      let replicas = (0..<3).map { _ in
        var replica = own.emptyReplica
        let steps = commits.indices.map { ($0, true) } + cuts.indices.map { ($0, false) }
        for (index, isCommit) in steps.shuffled(using: &random) {
          if isCommit {
            take(commits[index], &replica)
          } else {
            _ = cut(cuts[index].0, at: cuts[index].1, &replica)
          }
        }
        // What void writes had replaced comes again, by a repair.
        for commit in commits { _ = replica.merge(commit.batch, ceiling: Self.ceiling, isRepair: true) }
        return replica
      }
      let lowest = Dictionary(cuts, uniquingKeysWith: min)
      let valid = commits.flatMap { $0.batch.writes }.filter { write in
        lowest.allSatisfy { author, cut in
          write.dot.replica != Author(author).replica || write.dot.sequence <= cut
        }
      }
      var expected = own.emptyReplica
      for write in valid { write.withView { expected.restore($0) } }
      for replica in replicas { #expect(replica.digest == expected.digest, "seed \(seed)") }
    }
  }

  /// Heads of two branches, both void: each backs claims up to the cut, and neither is news or stands in the way.
  @Test func aVoidHeadBacksUpToTheCut() {
    let shared = Commit.signed([write(2, 1, key: 1, stamp: 1)])
    var replicas = (0..<2).map { branch in
      var replica = own.emptyReplica
      take(shared, &replica)
      take(.signed([write(2, 2, key: 2, stamp: 2 + branch)]), &replica)
      // All of it is replaced: heads are what is left.
      take(.signed([write(3, 1, key: 1, stamp: 9), write(3, 2, key: 2, stamp: 9)]), &replica)
      _ = cut(2, at: 1, &replica)
      return replica
    }
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    replicas[0].fill(&batch, withHeadsFor: [dot(2, 1)], &progress, upTo: .max)
    #expect(batch.count == 1 && !progress.isDamaged)
    let outcome = replicas[1].merge(batch, ceiling: Self.ceiling)
    #expect(outcome.isWhole && replicas[1].isBacked(dot(2, 1)))
    var third = Author(20).emptyReplica
    _ = third.apply([Author(2).replica: 1], own: Author(20).key.publicKey)
    #expect(third.merge(batch, ceiling: Self.ceiling).isWhole && third.isBacked(dot(2, 1)))
  }

  // MARK: Forks

  @Test func twoCommitsForOneSequenceAreEvidence() throws {
    var replica = own.emptyReplica
    take(.signed([write(2, 1, key: 1, stamp: 1)]), &replica)
    take(.signed((2...4).map { write(2, $0, key: 2, stamp: 2) }), &replica)
    let outcome = replica.merge(
      Commit.signed((3...5).map { write(2, $0, key: 3, stamp: 3) }).batch, ceiling: Self.ceiling)
    let fork = try #require(outcome.forks.first)
    #expect(fork.cut == 1 && fork.isProven(.simulated) && !outcome.isWhole && outcome.won.isEmpty)
    let isNew = try replica.add(fork)
    let isNewAgain = try replica.add(fork)
    #expect(isNew && !isNewAgain && replica.forkedReplicas == [Author(2).replica])
    var other = Author(20).emptyReplica
    let isNewThere = try other.add(fork)
    #expect(isNewThere)
  }

  /// The same sequences, the same signature scheme, other contents.
  @Test func theSameSpanWithOtherContents() {
    var replica = own.emptyReplica
    take(.signed([write(2, 1, key: 1, stamp: 1)]), &replica)
    let other = replica.merge(Commit.signed([write(2, 1, key: 1, stamp: 2)]).batch, ceiling: Self.ceiling)
    #expect(other.forks.count == 1 && replica.register([8, 1])?.stamp == Stamp(rawValue: 1))
    let same = replica.merge(Commit.signed([write(2, 1, key: 1, stamp: 1)]).batch, ceiling: Self.ceiling)
    #expect(same.isWhole)
  }

  /// Evidence is two commits that overlap, differ, and are signed.
  @Test func whatIsNoEvidence() throws {
    let author = Author(2)
    let (one, other) = (ContentHash(words: (1, 1, 1, 1)), ContentHash(words: (2, 2, 2, 2)))
    let head = author.head(1, 3, one)
    #expect(Fork(author: author.incarnation, head, head) == nil)
    #expect(Fork(author: author.incarnation, head, author.head(4, 5, other)) == nil)
    let forged = try #require(Fork(author: author.incarnation, head, Author(3).head(2, 5, other)))
    var replica = own.emptyReplica
    #expect(throws: PeerSyncCore.Forgery.signature) { try replica.add(forged) }
    let good = try #require(Fork(author: author.incarnation, author.head(2, 5, other), head))
    #expect(good.one == head && good.isProven(.simulated))
    replica.authors = Authors(members: [])
    #expect(try !replica.add(good) && replica.forks.isEmpty)
  }

  /// Of several proofs the one that cuts most is kept.
  @Test func theLowestCutIsKept() throws {
    let author = Author(2)
    func fork(_ first: UInt64) throws -> Fork {
      let heads = [UInt64(1), 2].map { author.head(first, first + 2, ContentHash(words: ($0, 0, 0, 0))) }
      return try #require(Fork(author: author.incarnation, heads[0], heads[1]))
    }
    var replica = own.emptyReplica
    let news = try [fork(5), fork(9), fork(3), fork(4)].map { try replica.add($0) }
    #expect(news == [true, false, true, false] && replica.forks.map(\.cut) == [2])
  }
}

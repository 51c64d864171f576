import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Commits of which nothing is alive: kept as heads, as long as a member may hold another branch of their author's life [F66].
@Suite struct CommitHeadTests {
  private static let (phone, tablet) = (Author(1), Author(2))

  /// A replica that has written one value over and over, each time as a commit of its own.
  private func replica(
    _ count: UInt8, limit: Int = Limits.commitHeads, members: [Author] = [phone, tablet]
  ) -> Replica {
    var replica = Self.phone.emptyReplica
    replica.authors = Authors(members: members.map(\.key.publicKey))
    replica.headLimit = limit
    for number in 1...count { write(number, &replica) }
    return replica
  }

  private func write(_ number: UInt8, _ replica: inout Replica) {
    let key = RegisterKey.value(key: "line").encoded
    let made = replica.write(key: key, stamp: Stamp(rawValue: UInt64(number)), value: [number])
    var batch = WriteBatch()
    if let made { batch.append(made) }
    #expect(replica.seal(batch, by: Self.phone.key) != nil)
  }

  private func kept(_ replica: Replica) -> [UInt64] {
    replica.heads(beyond: VersionVector(), common: nil).map(\.sequence)
  }

  @Test func oneThatHasOthersKeepsThem() {
    #expect(kept(replica(5)) == [1, 2, 3, 4])
    #expect(kept(replica(5, members: [Self.phone])).isEmpty)
    #expect(replica(5).inventory.commits == 5)
    #expect(replica(5, members: [Self.phone]).inventory.commits == 1)
  }

  @Test func theOldestMakeRoom() {
    #expect(kept(replica(9, limit: 3)) == [6, 7, 8])
    #expect(replica(9, limit: 3).inventory.commits == 4)
  }

  @Test func whatEverybodyHasComePastIsDropped() {
    var replica = replica(6)
    let vectors = [4, 2].map { VersionVector([Dot(replica: Self.phone.replica, sequence: $0)]) }
    replica.dropHeads(knownTo: vectors)
    #expect(kept(replica) == [3, 4, 5])
    replica.dropHeads(knownTo: vectors + [VersionVector()])
    #expect(kept(replica) == [3, 4, 5])
    replica.dropHeads(knownTo: [vectors[0]])
    #expect(kept(replica) == [5])
  }

  /// The others take nothing of a device that does not belong to the group any more, and refuse who sends it.
  @Test func ofWhoDoesNotBelongToTheGroupNoneAreSent() {
    var replica = replica(5)
    replica.authors = Authors(members: [Self.tablet, Author(3)].map(\.key.publicKey))
    #expect(kept(replica).isEmpty)
    replica.authors = Authors(
      members: [Self.tablet, Author(3)].map(\.key.publicKey),
      removed: [
        (key: Self.phone.key.publicKey, cuts: [Dot(replica: Self.phone.replica, sequence: 5)], counted: nil)
      ])
    #expect(kept(replica) == [1, 2, 3, 4])
  }

  /// The disk has lost the proof of a write that its author has replaced since, elsewhere: the head says nothing of its content.
  @Test func aHeadProvesNoWriteThatIsHere() throws {
    let author = replica(1)
    var damaged = Self.tablet.emptyReplica
    damaged.authors = author.authors
    let write = try #require(author.sortedWrites().first)
    for case .proven(let changes) in author.everything.changes {
      for change in changes { if case .incarnation = change { damaged.restore(change) } }
    }
    write.withView { damaged.restore($0) }
    #expect(damaged.unproven == [write])
    var overwritten = replica(2)
    let heads = overwritten.heads(beyond: author.vector, common: nil)
    var (batch, progress) = (SignedBatch(), DeltaProgress(heads: heads))
    overwritten.fill(&batch, from: [], &progress, upTo: .max)
    #expect(damaged.merge(batch, ceiling: Stamp(rawValue: .max)).forgery == nil)
    #expect(damaged.unproven == [write])
  }

  @Test func theyAreSentFromWhereBothWereAlike() {
    let replica = replica(9)
    let vectors = [UInt64(5), 3].map { VersionVector([Dot(replica: Self.phone.replica, sequence: $0)]) }
    #expect(replica.heads(beyond: vectors[0], common: vectors[1]).map(\.sequence) == [4, 5, 6, 7, 8])
    #expect(replica.heads(beyond: vectors[1], common: vectors[0]).map(\.sequence) == [4, 5, 6, 7, 8])
    #expect(replica.heads(beyond: replica.vector, common: nil).isEmpty)
  }

  /// A replica that has written lines 2 to `last`, each as a commit of its own.
  private func lines(upTo last: Int, value: UInt8 = 1) -> Replica {
    var replica = replica(1)
    for number in 2...last {
      let key = RegisterKey.value(key: "line \(number)").encoded
      var batch = WriteBatch()
      if let made = replica.write(key: key, stamp: Stamp(rawValue: 9), value: [value]) { batch.append(made) }
      #expect(replica.seal(batch, by: Self.phone.key) != nil)
    }
    return replica
  }

  /// Two that stand at one sequence by one commit need not show it to each other; of two branches the commits are not one.
  @Test func whoHoldsTheCommitAtWhichItStandsIsNotShownIt() {
    let (holder, other, replica) = (lines(upTo: 3), lines(upTo: 3, value: 2), lines(upTo: 4))
    #expect(holder.told.vector == other.vector && holder.told != other.told)
    #expect(replica.heads(beyond: holder.vector, common: nil, told: holder.told).isEmpty)
    for told in [other.told, holder.vector.told, lines(upTo: 2).told] {
      #expect(replica.heads(beyond: holder.vector, common: nil, told: told).map(\.sequence) == [3])
    }
    // Of what nobody holds alive any more all is shown.
    let told = self.replica(3).told
    let shown = self.replica(5).heads(beyond: told.vector, common: nil, told: told)
    #expect(shown.map(\.sequence) == [1, 2, 3, 4])
  }

  /// The commit at which the receiver stands contradicts another branch, although nothing was written over.
  @Test func whereTheReceiverStandsIsShown() {
    let replica = lines(upTo: 4)
    let vector = VersionVector([Dot(replica: Self.phone.replica, sequence: 3)])
    #expect(replica.heads(beyond: vector, common: nil).map(\.sequence) == [3])
    // Both were alike there.
    #expect(replica.heads(beyond: vector, common: vector).isEmpty)
    #expect(replica.heads(beyond: VersionVector(), common: nil).isEmpty)
  }

  @Test func aDiskKeepsThem() {
    var replica = replica(5)
    var proofs = PersistedProofs()
    for change in replica.takeProofChanges() { proofs.apply(change) }
    #expect(proofs.fit(replica.sortedWrites()))
    var again = Self.phone.emptyReplica
    again.authors = replica.authors
    for change in proofs.all { again.restore(change) }
    for write in replica.sortedWrites() { write.withView { again.restore($0) } }
    again.restore(claim: Dot(replica: Self.phone.replica, sequence: 5))
    again.settle(keepsClaims: true)
    #expect(kept(again) == [1, 2, 3, 4])
    again.dropHeads(knownTo: [again.vector])
    for change in again.takeProofChanges() { proofs.apply(change) }
    #expect(proofs.commits.count == 1 && proofs.fit(replica.sortedWrites()))
  }

  /// Whoever gets them holds them as evidence: another branch is known by its first commit.
  @Test func anotherBranchIsFoundWhereItParts() {
    var (one, other) = (replica(2), replica(2))
    write(3, &one)
    write(4, &one)
    write(5, &other)
    write(6, &other)
    write(7, &other)
    var batch = SignedBatch()
    var progress = DeltaProgress(heads: other.heads(beyond: one.vector, common: nil))
    other.fill(&batch, from: other.names(beyond: one.vector), &progress, upTo: .max)
    var tablet = Self.tablet.emptyReplica
    tablet.authors = one.authors
    var held = SignedBatch()
    var sent = DeltaProgress(heads: one.heads(beyond: VersionVector(), common: nil))
    one.fill(&held, from: one.names(beyond: VersionVector()), &sent, upTo: .max)
    #expect(tablet.merge(held, ceiling: Stamp(rawValue: .max)).isWhole)
    #expect(tablet.merge(batch, ceiling: Stamp(rawValue: .max)).forks.map(\.cut) == [2])
  }
}

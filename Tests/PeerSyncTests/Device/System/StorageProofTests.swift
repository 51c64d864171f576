import PeerSync
import Testing

/// The database keeps proofs as the plain dictionaries of the simulator do.
@Suite struct StorageProofTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory
  private let own = Author(3)
  private static let ceiling = Stamp(rawValue: .max)

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory(home.path)
    try Storage.create(directory, .third)
  }

  /// What a replica that has merged at random would make durable, step by step.
  private func steps(_ random: inout SeededGenerator, _ replica: inout Replica) -> [Durable] {
    var next: [UInt64: UInt64] = [:]
    return (0..<60).map { _ in
      var durable = Durable()
      let author = UInt64(5 + random.below(3))
      let first = next[author] ?? 1
      let count = UInt64(random.pick([1, 1, 3, 7]))
      next[author] = first + count
      let commit = Commit.signed(
        (first..<(first + count)).map { sequence in
          Write(
            key: [RegisterKind.value.rawValue, UInt8(random.below(15))],
            stamp: Stamp(rawValue: UInt64(random.below(50))), value: random.bytes(random.below(40)),
            dot: Dot(replica: Author(author).replica, sequence: sequence))
        })
      durable.append(.written(replica.merge(commit.batch, ceiling: Self.ceiling).won))
      durable.append(.claimed(replica.claim(commit)))
      if random.chance(1, of: 12) {
        let authors = random.chance(2) ? [author] : Array(5..<8)
        cut(
          Dictionary(uniqueKeysWithValues: authors.map { (Author($0).replica, UInt64(random.below(60))) }),
          &replica, &durable)
      }
      durable.append(.proven(replica.takeProofChanges()))
      return durable
    }
  }

  private func cut(_ cuts: [ReplicaID: UInt64], _ replica: inout Replica, _ durable: inout Durable) {
    let outcome = replica.apply(cuts, own: own.key.publicKey)
    guard !outcome.isEmpty else { return }
    durable.append(.voided(outcome.voided))
    durable.append(.vector(replica.vector))
  }

  private func everything(_ replica: inout Replica) -> SignedBatch {
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    replica.fill(&batch, from: replica.names(beyond: VersionVector()), &progress, upTo: .max)
    let claims = replica.vector.entries
    replica.fill(&batch, withHeadsFor: claims, &progress, upTo: .max)
    #expect(!progress.isDamaged)
    return batch
  }

  @Test(arguments: Seeds.all) func whatWasPersistedIsLoaded(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var replica = own.emptyReplica
    let steps = steps(&random, &replica)
    var disk = PersistedProofs()
    for durable in steps { durable.proofs.forEach { disk.apply($0) } }
    try persist(steps, &random)
    let storage = try Storage(directory)
    var loaded = try storage.loaded().replica
    #expect(loaded.sortedWrites() == replica.sortedWrites(), "seed \(seed)")
    #expect(loaded.vector == replica.vector, "seed \(seed)")
    #expect(everything(&loaded) == everything(&replica), "seed \(seed)")
    #expect(try storage.database.integer("SELECT count(*) FROM commits") == Int64(disk.commits.count))
    #expect(try storage.database.integer("SELECT count(*) FROM replaced") == Int64(disk.replaced.count))
    #expect(disk.fit(replica.sortedWrites()))
  }

  /// One transaction each, or several in one.
  private func persist(_ steps: [Durable], _ random: inout SeededGenerator) throws {
    let storage = try Storage(directory)
    var pending = Durable()
    for durable in steps {
      pending.append(durable)
      guard random.chance(1, of: 2) else { continue }
      try storage.persist(pending)
      pending = Durable()
    }
    try storage.persist(pending)
  }

  @Test func forksAndTheOwnReplicaAreLoaded() throws {
    var random = SeededGenerator(seed: 1)
    let fork = Fork.generate(&random)
    let next = Author(3, life: 9)
    let forked = fork.author.replica(.simulated)
    try Storage(directory).persist(
      Durable([
        .proven([
          .incarnation(next.incarnation, replica: next.replica), .incarnation(fork.author, replica: forked),
          .forked(fork, replica: forked),
        ]), .replica(next.replica),
      ]))
    let kept = try Storage(directory).loaded()
    let (identity, replica) = (kept.identity, kept.replica)
    #expect(identity.replica == next.replica && replica.id == next.replica)
    #expect(replica.forks == [fork] && replica.incarnation(of: next.replica) == next.incarnation)
  }

  /// A purchase is a commit of its own: what its proof takes on the disk.
  @Test func aProofOfOneWriteIsSmall() throws {
    var replica = own.emptyReplica
    var durable = Durable()
    for sequence in UInt64(1)...2_000 {
      let write = Write.numbered(sequence)
      durable.append(.written(replica.merge(Commit.signed([write]).batch, ceiling: Self.ceiling).won))
    }
    durable.append(.proven(replica.takeProofChanges()))
    let storage = try Storage(directory)
    try storage.persist(durable)
    let bytes = try storage.database.integer(
      "SELECT sum(length(signature) + coalesce(length(root), 0)) FROM commits")
    #expect(bytes == 2_000 * 64)
    #expect(try storage.database.integer("SELECT count(*) FROM replaced") == 0)
  }
}

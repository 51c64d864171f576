import PeerSyncCore

/// A device whose commits tests make up.
struct Author {
  let number: UInt64
  let key: SigningKey
  let incarnation: Incarnation
  let replica: ReplicaID

  /// The device whose key it is.
  var device: DeviceID { DeviceID(of: key.publicKey, .simulated) }

  init(_ number: UInt64, life: UInt64 = 0) {
    self.number = number
    key = .simulated(seed: number)
    incarnation = Incarnation(key: key.publicKey, nonce: Nonce(high: life, low: number))
    replica = incarnation.replica(.simulated)
  }

  /// The author of a replica that ``init(_:life:)`` gave.
  static func of(_ replica: ReplicaID) -> Author? { known[replica] }

  private static let known: [ReplicaID: Author] = Dictionary(
    uniqueKeysWithValues: (UInt64(0)...UInt64(Limits.replicas)).map { Author($0) }.map { ($0.replica, $0) })

  /// An empty replica that this author writes under.
  var emptyReplica: Replica {
    var replica = Replica(id: replica, cryptography: .simulated)
    replica.restore(.incarnation(incarnation, replica: self.replica))
    return replica
  }

  /// Consecutive writes as one commit; nil when they are none of this author's.
  func commit(_ writes: [Write]) -> Commit? {
    var replica = emptyReplica
    guard writes.allSatisfy({ $0.dot.replica == self.replica }) else { return nil }
    return replica.seal(WriteBatch(writes), by: key)
  }

  /// Numbers of the credit "owls" that this author has signed, one each, with what shows it.
  func proofs(of entries: [CreditEntry]) -> [(number: Write, proof: [UInt8])] {
    let writes = entries.enumerated().map { place, entry in
      Write(
        key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: entry.value,
        dot: Dot(replica: replica, sequence: UInt64(place) + 1))
    }
    return commit(writes).map { NumberProof.proofs(in: $0.batch, .simulated) } ?? []
  }
}

extension WriteBatch {
  init(_ writes: [Write]) {
    self.init()
    for write in writes { append(write) }
  }
}

extension Commit {
  /// Consecutive writes of a known author as one commit.
  static func signed(_ writes: [Write]) -> Commit {
    guard let author = writes.first.flatMap({ Author.of($0.dot.replica) }), let commit = author.commit(writes)
    else { fatalError("no commit") }
    return commit
  }

  static func signed(_ batch: WriteBatch) -> Commit { signed(batch.writes) }
}

extension SignedBatch {
  /// Writes of known authors, each as a commit of its own.
  static func signed(_ writes: [Write]) -> SignedBatch {
    joined(writes.map { Commit.signed([$0]).batch })
  }

  static func signed(_ batch: WriteBatch) -> SignedBatch { signed(batch.writes) }

  /// Batches one behind another.
  static func joined(_ batches: [SignedBatch]) -> SignedBatch {
    var result = SignedBatch()
    for batch in batches { result.append(contentsOf: batch) }
    return result
  }

  /// The writes in full.
  var writes: [Write] { writes { $0.replica(.simulated) } }
}

extension PersistedProofs {
  /// What a disk keeps that holds these commits and the registers that they have won.
  init(_ commits: [Commit]) {
    self.init()
    var replica = Replica(id: ReplicaID(high: 0, low: 0), cryptography: .simulated)
    for commit in commits { _ = replica.merge(commit.batch, ceiling: Stamp(rawValue: .max)) }
    for change in replica.takeProofChanges() { apply(change) }
  }
}

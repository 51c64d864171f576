// Proofs: incarnations beside the replicas, commits of which a write is alive or that are heads, the hashes of their
// replaced writes, and evidence of forks.
//
// A replaced write is a row of its own, so that replacing one write of a commit of many rewrites no more than that.
extension Storage {
  func write(_ change: ProofChange) throws(StorageError) {
    switch change {
    case .incarnation(let incarnation, let replica): try update(replica) { $0.incarnation = incarnation }
    case .commit(let kept): try write(kept, number(of: kept.replica))
    case .dropped(let replica, let span):
      let number = try number(of: replica)
      try run(statements.proofs.drop, number, span.lowerBound)
      try removeHashes(number, span)
    case .voided(let replica, let span):
      let number = try number(of: replica)
      statements.proofs.void.bind(3, bits: span.upperBound)
      try run(statements.proofs.void, number, span.lowerBound)
      try removeHashes(number, span)
    case .replaced(let dot, let hash): try write(hash, dot)
    case .alive(let dot): try run(statements.proofs.revive, number(of: dot.replica), dot.sequence)
    case .forked(let fork, let replica):
      statements.proofs.fork.add(try number(of: replica))
      statements.proofs.fork.add(copying: fork.encoded)
      try statements.proofs.fork.run()
    case .forgotten(let replica): try forget(replica)
    }
    statistics.rows += 1
  }

  private func forget(_ replica: ReplicaID) throws(StorageError) {
    guard let number = replicas.removeValue(forKey: replica)?.number else { return }
    isSecondCopyOld = true
    for statement in [statements.proofs.forgetFork, statements.proofs.forgetReplica] {
      statement.bind(1, number)
      try statement.run()
    }
  }

  private func write(_ kept: PersistedCommit, _ number: Int64) throws(StorageError) {
    let row = statements.proofs.commit
    row.add(number)
    row.add(bits: kept.first)
    row.add(Int64(kept.count))
    row.add(copying: kept.signature.signature.bytes)
    row.add(copying: kept.root?.bytes)
    try row.run()
    // A root stands for all of the hashes.
    if kept.root != nil, kept.count > 1 { try removeHashes(number, kept.first...kept.last) }
  }

  private func write(_ hash: ContentHash, _ dot: Dot) throws(StorageError) {
    let row = statements.proofs.replaced
    row.add(try number(of: dot.replica))
    row.add(bits: dot.sequence)
    row.add(copying: hash.bytes)
    try row.run()
  }

  private func removeHashes(_ number: Int64, _ span: ClosedRange<UInt64>) throws(StorageError) {
    statements.proofs.dropHashes.bind(3, bits: span.upperBound)
    try run(statements.proofs.dropHashes, number, span.lowerBound)
  }

  private func run(_ statement: Statement, _ number: Int64, _ sequence: UInt64) throws(StorageError) {
    statement.bind(1, number)
    statement.bind(2, bits: sequence)
    try statement.run()
  }
}

/// The statements for proofs, compiled once.
final class ProofStatements {
  let commit: RowWriter
  let drop: Statement
  let void: Statement
  let replaced: RowWriter
  let revive: Statement
  let dropHashes: Statement
  let fork: RowWriter
  let forgetFork: Statement
  let forgetReplica: Statement

  init(_ database: Database) throws(StorageError) {
    commit = try RowWriter(.commits, database)
    drop = try database.prepare("DELETE FROM commits WHERE replica = ? AND first = ?")
    void = try database.prepare("DELETE FROM commits WHERE replica = ? AND first BETWEEN ? AND ?")
    replaced = try RowWriter(.replaced, database)
    revive = try database.prepare("DELETE FROM replaced WHERE replica = ? AND sequence = ?")
    dropHashes = try database.prepare("DELETE FROM replaced WHERE replica = ? AND sequence BETWEEN ? AND ?")
    fork = try RowWriter(.forks, database)
    forgetFork = try database.prepare("DELETE FROM forks WHERE replica = ?")
    forgetReplica = try database.prepare("DELETE FROM replicas WHERE number = ?")
  }
}

// MARK: - Loading

extension Storage {
  func loadProofs(into replica: inout Replica, _ ids: [Int64: ReplicaID]) throws(StorageError) {
    try scan(.commits) { row in
      let root = row.bytes(4)
      guard let id = ids[row.integer(0)], let signature = Signature(row.bytes(3)),
        (1...Int64(Limits.commitWrites)).contains(row.integer(2)), root.isEmpty || root.count == 32
      else { return false }
      replica.restore(
        .commit(
          PersistedCommit(
            replica: id, first: row.bits(1), count: Int(row.integer(2)), signature: FlatSignature(signature),
            root: ContentHash(row.bytes(4)))))
      return true
    }
    try scan(.replaced) { row in
      guard let id = ids[row.integer(0)], let hash = ContentHash(row.bytes(2)) else { return false }
      replica.restore(.replaced(Dot(replica: id, sequence: row.bits(1)), hash))
      return true
    }
    try scan(.forks) { row in
      guard let id = ids[row.integer(0)], let fork = try? Fork(decoding: Array(row.bytes(1))) else {
        return false
      }
      replica.restore(.forked(fork, replica: id))
      return true
    }
  }
}

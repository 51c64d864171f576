// Proofs: incarnations beside the replicas, commits of which a write is alive or that are heads, the hashes of their
// replaced writes, and evidence of forks.
//
// A replaced write is a row of its own, so that replacing one write of a commit of many rewrites no more than that.
extension Store {
  func write(_ change: ProofChange) throws(StoreError) {
    switch change {
    case .incarnation(let incarnation, let replica): try write(incarnation, number(of: replica))
    case .commit(let kept): try write(kept, number(of: kept.replica))
    case .dropped(let replica, let span):
      let number = try number(of: replica)
      try run(statements.proofs.drop, number, span.lowerBound)
      try removeHashes(number, span)
    case .replaced(let dot, let hash): try write(hash, dot)
    case .alive(let dot): try run(statements.proofs.revive, number(of: dot.replica), dot.sequence)
    case .forked(let fork, let replica):
      statements.proofs.fork.bind(1, try number(of: replica))
      statements.proofs.fork.bind(2, copying: fork.encoded)
      try statements.proofs.fork.run()
    }
    statistics.rows += 1
  }

  private func write(_ incarnation: Incarnation, _ number: Int64) throws(StoreError) {
    let statement = statements.proofs.incarnation
    statement.bind(1, number)
    statement.bind(2, copying: incarnation.key.bytes)
    statement.bind(3, incarnation.nonce)
    try statement.run()
  }

  private func write(_ kept: KeptCommit, _ number: Int64) throws(StoreError) {
    let statement = statements.proofs.commit
    statement.bind(1, number)
    statement.bind(2, bits: kept.first)
    statement.bind(3, Int64(kept.count))
    statement.bind(4, copying: kept.signature.signature.bytes)
    statement.bind(5, copying: kept.root?.bytes)
    try statement.run()
    // A root stands for all of the hashes.
    if kept.root != nil, kept.count > 1 { try removeHashes(number, kept.first...kept.last) }
  }

  private func write(_ hash: ContentHash, _ dot: Dot) throws(StoreError) {
    statements.proofs.replaced.bind(3, copying: hash.bytes)
    try run(statements.proofs.replaced, number(of: dot.replica), dot.sequence)
  }

  private func removeHashes(_ number: Int64, _ span: ClosedRange<UInt64>) throws(StoreError) {
    statements.proofs.dropHashes.bind(3, bits: span.upperBound)
    try run(statements.proofs.dropHashes, number, span.lowerBound)
  }

  private func run(_ statement: Statement, _ number: Int64, _ sequence: UInt64) throws(StoreError) {
    statement.bind(1, number)
    statement.bind(2, bits: sequence)
    try statement.run()
  }
}

/// The statements for proofs, compiled once.
final class ProofStatements {
  let incarnation: Statement
  let commit: Statement
  let drop: Statement
  let replaced: Statement
  let revive: Statement
  let dropHashes: Statement
  let fork: Statement

  init(_ database: Database) throws(StoreError) {
    incarnation = try database.prepare("UPDATE replicas SET key = ?2, nonce = ?3 WHERE number = ?1")
    commit = try database.prepare("REPLACE INTO commits VALUES (?, ?, ?, ?, ?)")
    drop = try database.prepare("DELETE FROM commits WHERE replica = ? AND first = ?")
    replaced = try database.prepare("REPLACE INTO replaced VALUES (?, ?, ?)")
    revive = try database.prepare("DELETE FROM replaced WHERE replica = ? AND sequence = ?")
    dropHashes = try database.prepare("DELETE FROM replaced WHERE replica = ? AND sequence BETWEEN ? AND ?")
    fork = try database.prepare("REPLACE INTO forks VALUES (?, ?)")
  }
}

// MARK: - Loading

extension Store {
  func loadProofs(into replica: inout Replica, _ ids: [Int64: ReplicaID]) throws(StoreError) {
    try loadCommits(into: &replica, ids)
    try loadReplaced(into: &replica, ids)
    try loadForks(into: &replica, ids)
  }

  private func loadCommits(into replica: inout Replica, _ ids: [Int64: ReplicaID]) throws(StoreError) {
    let row = try database.prepare("SELECT replica, first, count, signature, root FROM commits")
    while try row.step() {
      let root = row.bytes(4)
      guard let id = ids[row.integer(0)], let signature = Signature(row.bytes(3)),
        (1...Int64(Limits.commitWrites)).contains(row.integer(2)), root.isEmpty || root.count == 32
      else { throw database.damaged("commits") }
      replica.restore(
        .commit(
          KeptCommit(
            replica: id, first: row.bits(1), count: Int(row.integer(2)), signature: FlatSignature(signature),
            root: ContentHash(row.bytes(4)))))
    }
  }

  private func loadReplaced(into replica: inout Replica, _ ids: [Int64: ReplicaID]) throws(StoreError) {
    let row = try database.prepare("SELECT replica, sequence, hash FROM replaced")
    while try row.step() {
      guard let id = ids[row.integer(0)], let hash = ContentHash(row.bytes(2)) else {
        throw database.damaged("replaced")
      }
      replica.restore(.replaced(Dot(replica: id, sequence: row.bits(1)), hash))
    }
  }

  private func loadForks(into replica: inout Replica, _ ids: [Int64: ReplicaID]) throws(StoreError) {
    let row = try database.prepare("SELECT replica, evidence FROM forks")
    while try row.step() {
      guard let id = ids[row.integer(0)], let fork = try? Fork(decoding: Array(row.bytes(1))) else {
        throw database.damaged("forks")
      }
      replica.restore(.forked(fork, replica: id))
    }
  }

  /// The incarnation of a row of `replicas`; nil when none was stored.
  static func incarnation(_ row: Statement, key: Int32, nonce: Int32) -> Incarnation? {
    guard let key = PublicKey(row.bytes(key)), let nonce = row.identifier(nonce, Nonce.self) else {
      return nil
    }
    return Incarnation(key: key, nonce: nonce)
  }
}

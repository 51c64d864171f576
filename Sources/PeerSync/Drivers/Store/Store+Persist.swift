extension Store {
  /// Makes everything durable: one transaction, one sync.
  ///
  /// - Throws: ``StoreError``; nothing of it is kept then, and the store is dead.
  ///
  /// - Parameter host: the marker to remember; nil: as it is
  package func persist(_ durable: Durable, host: String? = nil) throws(StoreError) {
    // Nobody tidied for long: the log must not grow without bound.
    if database.logPages >= 2 * Database.checkpointPages { try checkpoint() }
    try guarded { () throws(StoreError) in try commit(durable, host) }
    statistics.commits += 1
  }

  private func commit(_ durable: Durable, _ host: String?) throws(StoreError) {
    try statements.begin.run()
    do throws(StoreError) {
      try write(durable)
      if let host {
        statements.host.bind(1, host)
        try statements.host.run()
      }
      try statements.commit.run()
    } catch {
      // SQLite has rolled back by itself after most failures; then this one fails, which changes nothing.
      try? statements.rollback.run()
      throw error
    }
  }

  private func write(_ durable: Durable) throws(StoreError) {
    for (writes, removed) in durable.steps {
      try write(joined(writes))
      for key in removed { try remove(key) }
    }
    for change in durable.proofs { try write(change) }
    if let vector = durable.vector { try write(vector) }
    for claim in durable.claims { try write(claim) }
    if let replica = durable.replica {
      statements.ownReplica.bind(1, replica)
      try statements.ownReplica.run()
    }
    for entry in durable.addresses { try write(entry) }
    for record in durable.records {
      statements.record.bind(1, copying: record.encoded)
      try statements.record.run()
    }
    if let change = durable.invitation { try write(change) }
    if let group = durable.group {
      statements.group.bind(1, group)
      try statements.group.run()
    }
    if let time = durable.time { try write(time) }
    for contact in durable.contacts {
      statements.contact.bind(1, contact.device)
      statements.contact.bind(2, contact.seen.milliseconds)
      try statements.contact.run()
    }
    if let isOnline = durable.isOnline {
      statements.online.bind(1, isOnline ? 1 : 0)
      try statements.online.run()
    }
  }

  private func write(_ change: InvitationChange) throws(StoreError) {
    try statements.noInvitation.run()
    guard case .open(let invitation) = change else { return }
    statements.invitation.bind(1, copying: invitation.key.bytes)
    statements.invitation.bind(2, invitation.expires.milliseconds)
    statements.invitation.bind(3, Int64(invitation.triesLeft))
    try statements.invitation.run()
  }

  /// One batch of all, so that the rows are sorted together. The usual single one is not copied.
  private func joined(_ batches: ArraySlice<WriteBatch>) -> WriteBatch {
    batches.dropFirst().reduce(into: batches.first ?? WriteBatch()) { $0.append(contentsOf: $1) }
  }

  private func write(_ batch: WriteBatch) throws(StoreError) {
    // A handful lands on as many pages in any order.
    guard batch.count >= 32 else {
      return try batch.forEach { (write: borrowing WriteView) throws(StoreError) in
        try insert(Row(write, number: try number(of: write.replica)))
      }
    }
    let failure: StoreError? = batch.bytes.withUnsafeBytes { _ in
      // The rows point into the batch, whose bytes stay in place in here.
      do throws(StoreError) {
        try insertSorted(batch)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }

  private func insertSorted(_ batch: WriteBatch) throws(StoreError) {
    var rows: [Row] = []
    rows.reserveCapacity(batch.count)
    try batch.forEach { (write: borrowing WriteView) throws(StoreError) in
      rows.append(Row(write, number: try number(of: write.replica)))
    }
    for index in KeyOrder.indices(of: rows) { try insert(rows[index]) }
  }

  private func insert(_ row: Row) throws(StoreError) {
    let statement = statements.register
    statement.bind(1, row.key)
    statement.bind(2, row.number)
    statement.bind(3, bits: row.sequence)
    statement.bind(4, bits: row.stamp)
    statement.bind(5, row.value)
    try statement.run()
    statistics.rows += 1
  }

  private func remove(_ key: [UInt8]) throws(StoreError) {
    statements.remove.bind(1, copying: key)
    try statements.remove.run()
    statistics.rows += 1
  }

  /// Sets the whole version vector: what it does not name is at 0.
  private func write(_ vector: VersionVector) throws(StoreError) {
    try statements.unclaim.run()
    for claim in vector.entries { try write(claim) }
  }

  private func write(_ claim: Dot) throws(StoreError) {
    statements.claim.bind(1, try number(of: claim.replica))
    statements.claim.bind(2, bits: claim.sequence)
    try statements.claim.run()
  }

  private func write(_ entry: AddressEntry) throws(StoreError) {
    let statement = statements.address
    statement.bind(1, entry.device)
    statement.bind(2, entry.address.host)
    statement.bind(3, Int64(entry.address.port))
    statement.bind(4, bits: entry.stamp.rawValue)
    try statement.run()
  }

  /// The number that stands for a replica in the rows; a new one is given, and stored by the same transaction.
  func number(of replica: ReplicaID) throws(StoreError) -> Int64 {
    if let known = replicaNumbers[replica] { return known }
    let number = Int64(replicaNumbers.count) + 1
    statements.replica.bind(1, number)
    statements.replica.bind(2, replica)
    try statements.replica.run()
    replicaNumbers[replica] = number
    return number
  }
}

/// The statements of a transaction, compiled once.
final class StoreStatements {
  let begin: Statement
  let commit: Statement
  let rollback: Statement
  let register: Statement
  let replica: Statement
  let claim: Statement
  let address: Statement
  let group: Statement
  let online: Statement
  let ownReplica: Statement
  let remove: Statement
  let unclaim: Statement
  let proofs: ProofStatements
  let host: Statement
  let record: Statement
  let invitation: Statement
  let noInvitation: Statement
  let floor: Statement
  let contact: Statement

  init(_ database: Database) throws(StoreError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    rollback = try database.prepare("ROLLBACK")
    // REPLACE on a table without rowid, index or trigger is one descent of the tree; an upsert is two.
    register = try database.prepare("REPLACE INTO registers VALUES (?, ?, ?, ?, ?)")
    replica = try database.prepare("INSERT INTO replicas(number, id, claimed) VALUES (?, ?, 0)")
    claim = try database.prepare("UPDATE replicas SET claimed = ?2 WHERE number = ?1")
    address = try database.prepare("REPLACE INTO addresses VALUES (?, ?, ?, ?)")
    group = try database.prepare("UPDATE identity SET group_id = ?")
    online = try database.prepare("UPDATE identity SET online = ?")
    ownReplica = try database.prepare("UPDATE identity SET replica = ?")
    remove = try database.prepare("DELETE FROM registers WHERE key = ?")
    unclaim = try database.prepare("UPDATE replicas SET claimed = 0")
    proofs = try ProofStatements(database)
    host = try database.prepare("UPDATE identity SET host = ?")
    record = try database.prepare("INSERT INTO membership(record) VALUES (?)")
    invitation = try database.prepare("INSERT INTO invitation VALUES (?, ?, ?)")
    noInvitation = try database.prepare("DELETE FROM invitation")
    floor = try database.prepare("UPDATE time SET floor = ?, signed = ?, peer = ?")
    contact = try database.prepare("REPLACE INTO contacts VALUES (?, ?)")
  }
}

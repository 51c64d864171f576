extension Storage {
  /// Makes everything durable: one transaction, one sync.
  ///
  /// - Throws: ``StorageError``; nothing of it may be acknowledged then, and the storage is dead.
  ///
  /// - Parameter host: the marker to remember; nil: as it is
  package func persist(_ durable: Durable, host: String? = nil) throws(StorageError) {
    // Nobody tidied for long: the log must not grow without bound.
    if database.logPages >= 2 * Database.checkpointPages { try checkpoint() }
    try guarded { () throws(StorageError) in try commit(durable, host) }
    statistics.commits += 1
  }

  private func commit(_ durable: Durable, _ host: String?) throws(StorageError) {
    try inTransaction { () throws(StorageError) in
      try write(durable)
      try change { $0.host = host ?? $0.host }
    }
    try keepSecondCopy()
  }

  func inTransaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    // A log that was cut short would look whole again once it is written to.
    try database.requireInPlace()
    try statements.begin.run()
    do throws(StorageError) {
      try body()
      try countRows()
      water.count += 1
      try water.write(statements.highWater)
      try statements.commit.run()
    } catch {
      // SQLite has rolled back by itself after most failures; then this one fails, which changes nothing.
      try? statements.rollback.run()
      throw error
    }
    // Before anything is acknowledged, or written beside it.
    try database.requireInPlace()
    if let mark { try highWater?.write(mark) }
  }

  private func change(_ body: (inout IdentityRow) -> Void) throws(StorageError) {
    guard var changed = identity else { return }
    body(&changed)
    guard changed != identity else { return }
    identity = changed
    isSecondCopyOld = true
    try changed.write(statements.identity)
  }

  func write(_ durable: Durable) throws(StorageError) {
    // Up to the next removal writes wait, so that all are sorted together.
    var waiting: [WriteBatch] = []
    for change in durable.changes {
      switch change {
      case .written(let batch): waiting.append(batch)
      case .removed(let registers):
        try write(joined(waiting))
        waiting = []
        // In the order of their keys, so that each page of the tree is written once.
        for register in registers.sorted() { try remove(register) }
      case .voided(let cuts):
        try write(joined(waiting))
        waiting = []
        try void(beyond: cuts)
      case .vector(let vector): try write(vector)
      case .claimed(let dots): for dot in dots { try write(dot) }
      case .proven(let proofs): for proof in proofs { try write(proof) }
      // It tells of all that the ledger has come to: below.
      case .counted: break
      case .replica(let replica): try self.change { $0.replica = replica }
      case .records(let records): for record in records { try write(record) }
      case .membership(let all):
        try database.prepare("DELETE FROM membership", changing: .membership).run()
        records = []
        for record in all { try write(record) }
      case .invitation(let invitation): try write(invitation)
      case .group(let group): try self.change { $0.group = group }
      case .addresses(let entries): for entry in entries { try write(entry) }
      case .online(let isOnline): try self.change { $0.isOnline = isOnline }
      case .time(let time): try write(time)
      case .contacts(let contacts): for contact in contacts { try write(contact) }
      case .repaired: try statements.noDamage.run()
      case .caughtUp: water.setBack = nil
      case .setAside(let setAside): try write(setAside)
      case .known(let entries): for entry in entries { try statements.known.write(entry) }
      }
    }
    try write(joined(waiting))
    if durable.changesLedger { try write(durable.inventory) }
  }

  private func write(_ contact: KnownPeer.Contact) throws(StorageError) {
    statements.contact.add(contact.device)
    statements.contact.add(contact.seen.milliseconds)
    try statements.contact.run()
  }

  private func write(_ setAside: SetAside) throws(StorageError) {
    try database.prepare("DELETE FROM set_aside", changing: .setAside).run()
    let row = try RowWriter(.setAside, database)
    for (place, part) in setAside.parts.enumerated() {
      row.add(Int64(place))
      row.add(part.replica)
      row.add(copying: part.commits)
      try row.run()
    }
  }

  private func write(_ record: MembershipRecord) throws(StorageError) {
    records.append(record.encoded)
    isSecondCopyOld = true
    statements.record.add(Int64(records.count))
    statements.record.add(copying: record.encoded)
    try statements.record.run()
  }

  private func write(_ change: InvitationChange) throws(StorageError) {
    try statements.noInvitation.run()
    guard case .open(let invitation) = change else { return }
    statements.invitation.add(1)
    statements.invitation.add(copying: invitation.key.bytes)
    statements.invitation.add(invitation.expires.milliseconds)
    statements.invitation.add(Int64(invitation.triesLeft))
    try statements.invitation.run()
  }

  /// One batch of all, so that the rows are sorted together. The usual single one is not copied.
  private func joined(_ batches: [WriteBatch]) -> WriteBatch {
    batches.dropFirst().reduce(into: batches.first ?? WriteBatch()) { $0.append(contentsOf: $1) }
  }

  private func write(_ batch: WriteBatch) throws(StorageError) {
    // A handful lands on as many pages in any order.
    guard batch.count >= 32 else {
      return try batch.forEach { (write: borrowing WriteView) throws(StorageError) in
        try insert(Row(write, number: try number(of: write.replica)))
      }
    }
    let failure: StorageError? = batch.bytes.withUnsafeBytes { _ in
      // The rows point into the batch, whose bytes stay in place in here.
      do throws(StorageError) {
        try insertSorted(batch)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }

  private func insertSorted(_ batch: WriteBatch) throws(StorageError) {
    var rows: [Row] = []
    rows.reserveCapacity(batch.count)
    try batch.forEach { (write: borrowing WriteView) throws(StorageError) in
      rows.append(Row(write, number: try number(of: write.replica)))
    }
    for index in KeyOrder.indices(of: rows) { try insert(rows[index]) }
  }

  private func insert(_ row: Row) throws(StorageError) {
    let statement = statements.register
    statement.add(row.key)
    statement.add(row.author)
    statement.add(row.number)
    statement.add(bits: row.sequence)
    statement.add(bits: row.stamp)
    statement.add(row.value)
    try statement.run()
    statistics.rows += 1
  }

  private func remove(_ register: RegisterID) throws(StorageError) {
    statements.remove.bind(1, copying: register.key)
    let author: Int64 = if let author = register.author { try number(of: author) } else { 0 }
    statements.remove.bind(2, author)
    try statements.remove.run()
    statistics.rows += 1
  }

  /// One walk through all rows, in the order in which they lie: a member may have filled the ledger, and to look each of its registers
  /// up takes three times as long.
  private func void(beyond cuts: [Dot]) throws(StorageError) {
    let void = try statements.void(in: database)
    for cut in cuts {
      void.cut.bind(1, try number(of: cut.replica))
      void.cut.bind(2, bits: cut.sequence)
      try void.cut.run()
    }
    try void.remove.run()
    statistics.rows += database.changedRows
    try void.noCuts.run()
  }

  /// Sets the whole version vector: what it does not name is at 0.
  private func write(_ vector: VersionVector) throws(StorageError) {
    for row in replicas.values where row.claimed > 0 && vector[row.id] == 0 {
      try update(row.id) { $0.claimed = 0 }
    }
    for claim in vector.entries { try write(claim) }
  }

  private func write(_ claim: Dot) throws(StorageError) {
    try update(claim.replica) { $0.claimed = claim.sequence }
  }

  private func write(_ entry: KnownPeer.Listening) throws(StorageError) {
    addresses[entry.device] = entry
    isSecondCopyOld = true
    let row = statements.address
    row.add(entry.device)
    row.add(entry.text)
    row.add(bits: entry.stamp.rawValue)
    try row.run()
  }

  /// The number that stands for a replica in the rows; a new one is given, and stored by the same transaction.
  func number(of replica: ReplicaID) throws(StorageError) -> Int64 {
    if let known = replicas[replica] { return known.number }
    try update(replica) { _ in }
    return replicas[replica]?.number ?? 0
  }

  /// Changes the row of a replica, which is made if there is none.
  func update(_ replica: ReplicaID, _ body: (inout ReplicaRow) -> Void) throws(StorageError) {
    var row = replicas[replica] ?? ReplicaRow(number: lastNumber + 1, id: replica)
    lastNumber = max(lastNumber, row.number)
    body(&row)
    let before = replicas[replica]
    guard row != before else { return }
    replicas[replica] = row
    if row.incarnation != before?.incarnation || before == nil { isSecondCopyOld = true }
    try row.write(statements.replica)
  }
}

/// The statements of a transaction, compiled once.
final class StorageStatements {
  let begin: Statement
  let commit: Statement
  let rollback: Statement
  let identity: RowWriter
  let register: RowWriter
  let replica: RowWriter
  let address: RowWriter
  let remove: Statement
  /// Compiled when they are needed: they have a table of their own, and a database that is only looked at takes none.
  private var void: VoidStatements?
  let proofs: ProofStatements
  let record: RowWriter
  let invitation: RowWriter
  let noInvitation: Statement
  let time: TimeStatements
  let contact: RowWriter
  let damage: RowWriter
  let noDamage: Statement
  let highWater: RowWriter
  let known: KnownStatements
  let counts: CountStatements

  init(_ database: Database) throws(StorageError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    rollback = try database.prepare("ROLLBACK")
    identity = try RowWriter(.identity, database)
    register = try RowWriter(.registers, database)
    replica = try RowWriter(.replicas, database)
    address = try RowWriter(.addresses, database)
    remove = try database.prepare("DELETE FROM registers WHERE key = ? AND author = ?")
    proofs = try ProofStatements(database)
    record = try RowWriter(.membership, database)
    invitation = try RowWriter(.invitation, database)
    noInvitation = try database.prepare("DELETE FROM invitation", changing: .invitation)
    time = try TimeStatements(database)
    contact = try RowWriter(.contacts, database)
    damage = try RowWriter(.damage, database)
    noDamage = try database.prepare("DELETE FROM damage", changing: .damage)
    highWater = try RowWriter(.highWater, database)
    known = try KnownStatements(database)
    counts = try CountStatements(database)
  }

  func void(in database: Database) throws(StorageError) -> VoidStatements {
    // A transaction that failed has taken it along.
    try database.execute(VoidStatements.table)
    if let void { return void }
    let statements = try VoidStatements(database)
    void = statements
    return statements
  }
}

/// Takes the rows of several replicas beyond their cuts out in one walk: a removed device may have a thousand lives.
final class VoidStatements {
  let cut: Statement
  let remove: Statement
  let noCuts: Statement

  fileprivate static let table =
    "CREATE TEMP TABLE IF NOT EXISTS cuts(replica INTEGER PRIMARY KEY, sequence INTEGER NOT NULL)"

  fileprivate init(_ database: Database) throws(StorageError) {
    cut = try database.prepare(
      """
      INSERT INTO temp.cuts VALUES (?, ?)
      ON CONFLICT DO UPDATE SET sequence = min(sequence, excluded.sequence)
      """)
    remove = try database.prepare(
      """
      DELETE FROM registers
      WHERE sequence > (SELECT cuts.sequence FROM temp.cuts WHERE cuts.replica = registers.replica)
      """)
    noCuts = try database.prepare("DELETE FROM temp.cuts")
  }
}

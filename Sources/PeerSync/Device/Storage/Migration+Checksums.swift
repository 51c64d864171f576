extension Migration {
  /// Each row gets a checksum. No table has a rowid or an index of its own, which no checksum would cover.
  static let checksums = Migration(
    name: "7 checksums",
    sql: """
      ALTER TABLE identity RENAME TO identity_before;
      ALTER TABLE replicas RENAME TO replicas_before;
      ALTER TABLE registers RENAME TO registers_before;
      ALTER TABLE commits RENAME TO commits_before;
      ALTER TABLE replaced RENAME TO replaced_before;
      ALTER TABLE forks RENAME TO forks_before;
      ALTER TABLE membership RENAME TO membership_before;
      ALTER TABLE invitation RENAME TO invitation_before;
      ALTER TABLE contacts RENAME TO contacts_before;
      ALTER TABLE addresses RENAME TO addresses_before;
      ALTER TABLE time RENAME TO time_before;
      CREATE TABLE identity(
        place INTEGER PRIMARY KEY, device BLOB NOT NULL, replica BLOB NOT NULL, group_id BLOB NOT NULL,
        name TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL, online INTEGER NOT NULL,
        host TEXT, checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE replicas(
        number INTEGER PRIMARY KEY, id BLOB NOT NULL, claimed INTEGER NOT NULL, key BLOB, nonce BLOB,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE registers(
        key BLOB PRIMARY KEY, replica INTEGER NOT NULL, sequence INTEGER NOT NULL, stamp INTEGER NOT NULL,
        value BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE commits(
        replica INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, signature BLOB NOT NULL,
        root BLOB, checksum INTEGER NOT NULL, PRIMARY KEY(replica, first)) WITHOUT ROWID;
      CREATE TABLE replaced(
        replica INTEGER NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL, checksum INTEGER NOT NULL,
        PRIMARY KEY(replica, sequence)) WITHOUT ROWID;
      CREATE TABLE forks(
        replica INTEGER PRIMARY KEY, evidence BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE membership(
        place INTEGER PRIMARY KEY, record BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE invitation(
        place INTEGER PRIMARY KEY, key BLOB NOT NULL, expires INTEGER NOT NULL, tries_left INTEGER NOT NULL,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE contacts(
        device BLOB PRIMARY KEY, seen INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE addresses(
        device BLOB PRIMARY KEY, host TEXT NOT NULL, port INTEGER NOT NULL, stamp INTEGER NOT NULL,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE time(
        place INTEGER PRIMARY KEY, made INTEGER, floor INTEGER, signed INTEGER, peer BLOB,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE inventory(
        place INTEGER PRIMARY KEY, registers INTEGER NOT NULL, digest BLOB NOT NULL, commits INTEGER NOT NULL,
        hashes INTEGER NOT NULL, replica BLOB NOT NULL, used INTEGER NOT NULL,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE damage(
        place INTEGER PRIMARY KEY, what TEXT NOT NULL, lost BLOB NOT NULL, is_final INTEGER NOT NULL,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      """,
    copies: [
      (
        .identity,
        ["1", "device", "replica", "group_id", "name", "environment", "bundle_id", "online", "host"]
      ),
      (.replicas, ["number", "id", "claimed", "key", "nonce"]),
      (.registers, ["key", "replica", "sequence", "stamp", "value"]),
      (.commits, ["replica", "first", "count", "signature", "root"]),
      (.replaced, ["replica", "sequence", "hash"]),
      (.forks, ["replica", "evidence"]), (.membership, ["place", "record"]),
      (.invitation, ["1", "key", "expires", "tries_left"]), (.contacts, ["device", "seen"]),
      (.addresses, ["device", "host", "port", "stamp"]), (.time, ["1", "made", "floor", "signed", "peer"]),
    ])
}

extension Database {
  /// Copies the rows of a table as it was before, each with its checksum, and drops that.
  func copy(_ table: StorageTable, _ columns: [String]) throws(StorageError) {
    let writer = try RowWriter(table, self, width: columns.count)
    let row = try prepare("SELECT \(columns.joined(separator: ", ")) FROM \(table.name)_before")
    while try row.step() {
      for column in columns.indices { writer.add(Int32(truncatingIfNeeded: column), of: row) }
      try writer.run()
    }
    try execute("DROP TABLE \(table.name)_before")
  }

  /// Refuses tables that are not those that the migrations make: their descriptions were altered.
  func requireSchema(_ plan: MigrationPlan = .device) throws(StorageError) {
    let expected = try Database(path: ":memory:")
    try expected.migrate(plan)
    guard try schema() == expected.schema() else {
      throw .corrupt(
        path: path, message: StorageReason(Phrase("the description of a table was altered", "테이블의 설명이 바뀜")))
    }
  }

  private func schema() throws(StorageError) -> [String] {
    let row = try prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
    var schema: [String] = []
    while try row.step() { schema.append((0..<4).map { row.text($0) }.joined(separator: "|")) }
    return schema
  }
}

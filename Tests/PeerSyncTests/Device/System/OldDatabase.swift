import PeerSync

/// Databases as earlier versions have left them.
enum OldDatabase {
  /// Makes a database that has seen the first few migrations.
  static func make(_ path: String, migrations count: Int, _ fill: (Database) throws -> Void) throws {
    let database = try Database(path: path)
    try database.execute("CREATE TABLE migrations(name TEXT NOT NULL UNIQUE)")
    for migration in Migration.all.prefix(count) {
      try database.execute(migration.sql)
      try database.execute("INSERT INTO migrations VALUES ('\(migration.name)')")
    }
    try fill(database)
    try database.execute("PRAGMA application_id = \(0x5053_6e63); PRAGMA user_version = \(count)")
  }

  /// Takes the last migrations back: the identity does not say whether the clock may be accepted.
  static func takeBackAcceptance(_ database: Database) throws {
    try database.execute(
      """
      ALTER TABLE identity RENAME TO identity_after;
      CREATE TABLE identity(
        place INTEGER PRIMARY KEY, device BLOB NOT NULL, replica BLOB NOT NULL, group_id BLOB NOT NULL,
        name TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL, online INTEGER NOT NULL,
        host TEXT, checksum INTEGER NOT NULL) WITHOUT ROWID;
      DROP TABLE counts;
      DELETE FROM migrations WHERE name LIKE '13 %' OR name LIKE '14 %' OR name LIKE '15 %' OR name LIKE '16 %'
      """)
    let writer = try RowWriter(.identity, database, width: 9)
    let row = try database.prepare(
      """
      SELECT place, device, replica, group_id, name, environment, bundle_id, online, host FROM identity_after
      """)
    while try row.step() {
      for column in 0..<Int32(9) { writer.add(column, of: row) }
      try writer.run()
    }
    try database.execute("DROP TABLE identity_after")
  }
}

extension Identifier {
  var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }
}

extension Database {
  func insert(_ bytes: [UInt8], _ sql: String) throws {
    let statement = try prepare(sql)
    statement.bind(1, copying: bytes)
    try statement.run()
  }

  func insert(_ sql: String, _ device: DeviceID, _ replica: ReplicaID, _ group: GroupID) throws {
    let statement = try prepare(sql)
    statement.bind(1, device)
    statement.bind(2, replica)
    statement.bind(3, group)
    try statement.run()
  }
}

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

/// A change of the database's schema. Named, and never edited once released: a later change is a new migration.
package struct Migration: Sendable {
  package let name: String
  package let sql: String
  /// Tables that the SQL has renamed with `_before` behind their names, and made anew: their rows are copied, each with its
  /// checksum. With each the columns that were there, in the order of the new ones.
  var copies: [(table: StorageTable, columns: [String])] = []

  package init(name: String, sql: String, copies: [(table: StorageTable, columns: [String])] = []) {
    self.name = name
    self.sql = sql
    self.copies = copies
  }

  /// All, in the order in which they apply. Append only.
  package static let all = [
    Migration(
      name: "1 identity, registers, replicas, addresses",
      sql: """
        CREATE TABLE identity(
          device BLOB NOT NULL, replica BLOB NOT NULL, group_id BLOB NOT NULL,
          name TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL,
          online INTEGER NOT NULL);
        CREATE TABLE replicas(
          number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, claimed INTEGER NOT NULL);
        CREATE TABLE registers(
          key BLOB PRIMARY KEY, replica INTEGER NOT NULL, sequence INTEGER NOT NULL,
          stamp INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE addresses(
          device BLOB PRIMARY KEY, host TEXT NOT NULL, port INTEGER NOT NULL,
          stamp INTEGER NOT NULL) WITHOUT ROWID;
        """),
    Migration(
      name: "2 signed commits",
      sql: """
        ALTER TABLE replicas ADD COLUMN key BLOB;
        ALTER TABLE replicas ADD COLUMN nonce BLOB;
        CREATE TABLE commits(
          replica INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
          signature BLOB NOT NULL, root BLOB, PRIMARY KEY(replica, first)) WITHOUT ROWID;
        CREATE TABLE replaced(
          replica INTEGER NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
          PRIMARY KEY(replica, sequence)) WITHOUT ROWID;
        CREATE TABLE forks(replica INTEGER PRIMARY KEY, evidence BLOB NOT NULL);
        """),
    Migration(name: "3 host", sql: "ALTER TABLE identity ADD COLUMN host TEXT"),
    Migration(
      name: "4 membership, invitation",
      sql: """
        CREATE TABLE membership(place INTEGER PRIMARY KEY, record BLOB NOT NULL);
        CREATE TABLE invitation(
          key BLOB NOT NULL, expires INTEGER NOT NULL, tries_left INTEGER NOT NULL);
        """),
    Migration(
      name: "5 trusted time",
      // One row: when the device was made, the floor of trusted time, and who vouched for it: the store, by a date it
      // signed, or a peer.
      sql: """
        CREATE TABLE time(made INTEGER, floor INTEGER, signed INTEGER, peer BLOB);
        INSERT INTO time VALUES (NULL, NULL, NULL, NULL);
        """),
    Migration(
      name: "6 contacts",
      // When each device was last heard from, by the wall clock then.
      sql: "CREATE TABLE contacts(device BLOB PRIMARY KEY, seen INTEGER NOT NULL) WITHOUT ROWID"),
    checksums,
    Migration(
      name: "8 high-water mark, set aside",
      // See HighWaterMark; and void commits that wait for their author.
      sql: """
        CREATE TABLE high_water(
          place INTEGER PRIMARY KEY, id BLOB, count INTEGER NOT NULL, set_back INTEGER, file INTEGER NOT NULL,
          starts INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE set_aside(
          place INTEGER PRIMARY KEY, replica BLOB NOT NULL, commits BLOB NOT NULL,
          checksum INTEGER NOT NULL) WITHOUT ROWID;
        """),
    Migration(
      name: "9 a register per author",
      // Of what devices decide (kinds 3, 4, 5 and 8) each author has a row; of the rest there is one, by author 0.
      sql: """
        ALTER TABLE registers RENAME TO registers_before;
        CREATE TABLE registers(
          key BLOB NOT NULL, author INTEGER NOT NULL, replica INTEGER NOT NULL, sequence INTEGER NOT NULL,
          stamp INTEGER NOT NULL, value BLOB NOT NULL, checksum INTEGER NOT NULL,
          PRIMARY KEY(key, author)) WITHOUT ROWID;
        """,
      copies: [
        (
          .registers,
          [
            "key", "CASE WHEN substr(key, 1, 1) IN (x'03', x'04', x'05', x'08') THEN replica ELSE 0 END",
            "replica", "sequence", "stamp", "value",
          ]
        )
      ]),
    Migration(
      name: "10 running time, bounds",
      // How long the device has run, what a person decided about the time, and what each peer vouches for. In the table of before
      // the floor is the store's from now on, and the peer empty: until its row is written anew it is the one floor for all.
      sql: """
        CREATE TABLE running(
          place INTEGER PRIMARY KEY, ran INTEGER NOT NULL, accepted INTEGER, may_accept INTEGER NOT NULL,
          checksum INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE bounds(
          device BLOB PRIMARY KEY, since INTEGER, origin INTEGER, vouched INTEGER,
          checksum INTEGER NOT NULL) WITHOUT ROWID;
        """),
    Migration(
      name: "11 several addresses",
      // All addresses of a device, HOST:PORT, with a space between two.
      sql: """
        ALTER TABLE addresses RENAME TO addresses_before;
        CREATE TABLE addresses(
          device BLOB PRIMARY KEY, addresses TEXT NOT NULL, stamp INTEGER NOT NULL,
          checksum INTEGER NOT NULL) WITHOUT ROWID;
        """,
      copies: [
        (
          .addresses,
          [
            "device",
            "CASE WHEN instr(host, ':') THEN '[' || host || ']:' || port ELSE host || ':' || port END",
            "stamp",
          ]
        )
      ]),
    Migration(
      name: "12 what was known",
      // Of each replica whose writes came in an hour since 1970: how far it was known when that hour began. The replica of zeros says
      // in which hour this begins.
      sql: """
        CREATE TABLE known(
          hour INTEGER NOT NULL, replica BLOB NOT NULL, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL,
          PRIMARY KEY(hour, replica)) WITHOUT ROWID;
        """),
    Migration(
      name: "13 whether the clock may be accepted",
      // With what a device cannot do without: it was beside the running time, which is lost sooner.
      sql: """
        ALTER TABLE identity RENAME TO identity_before;
        CREATE TABLE identity(
          place INTEGER PRIMARY KEY, device BLOB NOT NULL, replica BLOB NOT NULL, group_id BLOB NOT NULL,
          name TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL, online INTEGER NOT NULL,
          host TEXT, may_accept INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
        """,
      copies: [
        (
          .identity,
          [
            "place", "device", "replica", "group_id", "name", "environment", "bundle_id", "online", "host",
            "COALESCE((SELECT may_accept FROM running), 1)",
          ]
        )
      ]),
    Migration(
      name: "14 by how much bounds were ahead",
      // By how many milliseconds those were that fell last, and the device's last write by then: what was decided under wrong stamps
      // keeps its order by it.
      sql: """
        ALTER TABLE running RENAME TO running_before;
        CREATE TABLE running(
          place INTEGER PRIMARY KEY, ran INTEGER NOT NULL, accepted INTEGER, may_accept INTEGER NOT NULL,
          lead INTEGER, replica BLOB, sequence INTEGER, checksum INTEGER NOT NULL) WITHOUT ROWID;
        """,
      copies: [(.running, ["place", "ran", "accepted", "may_accept", "NULL", "NULL", "NULL"])]),
    Migration(
      name: "15 when bounds fell",
      // By the device's clock. Of those of before it is not known, so that they are forgotten.
      sql: """
        ALTER TABLE running RENAME TO running_before;
        CREATE TABLE running(
          place INTEGER PRIMARY KEY, ran INTEGER NOT NULL, accepted INTEGER, may_accept INTEGER NOT NULL,
          lead INTEGER, replica BLOB, sequence INTEGER, fell INTEGER, checksum INTEGER NOT NULL) WITHOUT ROWID;
        """,
      copies: [(.running, ["place", "ran", "accepted", "may_accept", "NULL", "NULL", "NULL", "NULL"])]),
    Migration(
      name: "16 counts of rows",
      // How many rows each table has that the inventory says nothing of, by the table's number: a checksum does not tell that a row is
      // missing.
      sql: """
        CREATE TABLE counts_before AS
          SELECT 1 AS number, (SELECT count(*) FROM identity) AS count
          UNION ALL SELECT 7, (SELECT count(*) FROM membership)
          UNION ALL SELECT 8, (SELECT count(*) FROM invitation)
          UNION ALL SELECT 9, (SELECT count(*) FROM contacts)
          UNION ALL SELECT 10, (SELECT count(*) FROM addresses)
          UNION ALL SELECT 11, (SELECT count(*) FROM time)
          UNION ALL SELECT 12, (SELECT count(*) FROM inventory)
          UNION ALL SELECT 13, (SELECT count(*) FROM damage)
          UNION ALL SELECT 15, (SELECT count(*) FROM set_aside)
          UNION ALL SELECT 16, (SELECT count(*) FROM running)
          UNION ALL SELECT 17, (SELECT count(*) FROM bounds)
          UNION ALL SELECT 18, (SELECT count(*) FROM known);
        CREATE TABLE counts(
          number INTEGER PRIMARY KEY, count INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
        """,
      copies: [(.counts, ["number", "count"])]),
  ]
}

/// All changes that the database of one kind of program has seen.
package struct MigrationPlan: Sendable {
  /// Tells the databases of different programs apart.
  let applicationID: Int64
  let migrations: [Migration]

  package init(applicationID: Int64, migrations: [Migration]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// A device's: "PSnc".
  package static let device = MigrationPlan(applicationID: 0x5053_6e63, migrations: Migration.all)
}

extension Database {
  /// Brings the database to the schema that this program knows, in one transaction.
  ///
  /// - Returns: whether what it says of itself was as it should be
  @discardableResult package func migrate(_ plan: MigrationPlan = .device) throws(StorageError) -> Bool {
    let isNamed = try integer("PRAGMA application_id") == plan.applicationID
    let applied = try appliedMigrations(plan)
    let known = plan.migrations.map(\.name)
    // They are appended to and never changed, so that a name is known by its place.
    if applied.count > known.count { throw .newer(path: path, migration: applied[known.count]) }
    if applied.count < known.count { try apply(Array(plan.migrations.dropFirst(applied.count)), plan) }
    return applied.elementsEqual(known.prefix(applied.count)) && (isNamed || applied.isEmpty)
  }

  /// Whether an older version made it, which knew fewer changes.
  func isOlder(than plan: MigrationPlan = .device) throws(StorageError) -> Bool {
    let applied = try appliedMigrations(plan).count
    return applied > 0 && applied < plan.migrations.count
  }

  /// Names the database and what was applied as they should be. Within a transaction.
  func restoreNames(_ plan: MigrationPlan = .device) throws(StorageError) {
    try execute("DELETE FROM migrations; PRAGMA application_id = \(plan.applicationID)")
    let record = try prepare("INSERT INTO migrations VALUES (?)")
    for migration in plan.migrations {
      record.bind(1, migration.name)
      try record.run()
    }
  }

  private func appliedMigrations(_ plan: MigrationPlan) throws(StorageError) -> [String] {
    let tables = try integer("SELECT count(*) FROM sqlite_schema")
    guard tables > 0 else { return [] }
    // One bit may have been altered; another program's differs in many.
    let found = try integer("PRAGMA application_id")
    let altered = UInt32(truncatingIfNeeded: found ^ plan.applicationID).nonzeroBitCount
    guard altered <= 1 else { throw .foreign(path: path) }
    let statement = try prepare("SELECT name FROM migrations ORDER BY rowid")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  private func apply(_ migrations: [Migration], _ plan: MigrationPlan) throws(StorageError) {
    try execute("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS migrations(name TEXT NOT NULL UNIQUE)")
    let record = try prepare("INSERT INTO migrations VALUES (?)")
    for migration in migrations {
      try execute(migration.sql)
      for (table, columns) in migration.copies { try copy(table, columns) }
      record.bind(1, migration.name)
      try record.run()
    }
    try execute(
      """
      PRAGMA application_id = \(plan.applicationID);
      PRAGMA user_version = \(plan.migrations.count);
      COMMIT
      """)
  }
}

// How much there is: each row tells whether it was altered, and these whether one is missing.
extension Storage {
  /// Writes how much there is now; nil: nobody has counted.
  func write(_ inventory: Inventory?) throws(StorageError) {
    guard let inventory else { return try statements.counts.noInventory.run() }
    let row = statements.counts.inventory
    row.add(1)
    row.add(Int64(inventory.registers))
    row.add(Identifier<NonceKind>(high: inventory.digest.high, low: inventory.digest.low))
    row.add(Int64(inventory.commits))
    row.add(Int64(inventory.hashes))
    row.add(inventory.replica)
    row.add(bits: inventory.used)
    try row.run()
  }

  func loadInventory() throws(StorageError) -> Inventory? {
    var inventory: Inventory?
    try scan(.inventory) { row in
      guard let registers = Int(exactly: row.integer(1)), let digest = row.identifier(2, Nonce.self),
        let commits = Int(exactly: row.integer(3)), let hashes = Int(exactly: row.integer(4)),
        let replica = row.identifier(5, ReplicaID.self)
      else { return false }
      inventory = Inventory(
        registers: registers, digest: Digest(high: digest.high, low: digest.low), commits: commits,
        hashes: hashes,
        replica: replica, used: row.bits(6))
      return true
    }
    return inventory
  }

  /// Reads how many rows each table should have.
  func loadCounts() throws(StorageError) {
    try scan(.counts) { row in
      guard let table = StorageTable(rawValue: row.bits(0)), table.isCounted,
        let count = Int(exactly: row.integer(1)), count >= 0
      else { return false }
      rowCounts[table] = count
      return true
    }
    for table in StorageTable.counted where rowCounts[table] == nil { findings.leaveOut(.counts) }
  }

  /// Writes how many rows the tables have that were changed.
  func countRows() throws(StorageError) {
    for table in StorageTable.counted where database.changed.contains(table) {
      statements.counts.rows.add(bits: table.rawValue)
      statements.counts.rows.add(try database.integer("SELECT count(*) FROM \(table.name)"))
      try statements.counts.rows.run()
    }
    database.changed = []
  }
}

/// The statements that write how much there is.
final class CountStatements {
  let inventory: RowWriter
  let noInventory: Statement
  let rows: RowWriter

  init(_ database: Database) throws(StorageError) {
    inventory = try RowWriter(.inventory, database)
    noInventory = try database.prepare("DELETE FROM inventory", changing: .inventory)
    rows = try RowWriter(.counts, database)
  }
}

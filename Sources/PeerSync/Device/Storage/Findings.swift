/// What did not fit when the storage was read.
struct Findings {
  /// Rows that were left out, by table.
  private var counts: [StorageTable: Int] = [:]
  /// The keys of the registers among them, as they were found.
  private var keys: [[UInt8]] = []
  private var others: [DiskLoss] = []
  /// Whether something is gone that says what this device knows.
  private(set) var concernsLedger = false
  /// Whether a number of this device's own credits may be gone: then it could give out rights twice.
  private(set) var concernsCredits = false

  /// Most registers that are named.
  private static let keysLimit = 16

  var isEmpty: Bool { counts.isEmpty && others.isEmpty }

  func concerns(_ table: StorageTable) -> Bool { counts[table] != nil }

  mutating func leaveOut(_ table: StorageTable, count: Int = 1) {
    counts[table, default: 0] += count
    if table.isLedger { concernsLedger = true }
  }

  mutating func leaveOut(register key: [UInt8]) {
    leaveOut(.registers)
    let known = try? RegisterKey(decoding: key[...])
    if known?.kind ?? .credit == .credit { concernsCredits = true }
    if keys.count < Self.keysLimit { keys.append(key) }
  }

  /// Rows are missing, and nobody can tell which.
  mutating func missRows() {
    others.append(.unnamed)
    (concernsLedger, concernsCredits) = (true, true)
  }

  /// Something that is not a row, and is put right.
  mutating func note(_ what: DiskLoss) { others.append(what) }

  /// What of it is told.
  var losses: [DiskLoss] {
    let tables = StorageTable.allCases.compactMap { table in
      counts[table].map { count -> DiskLoss in
        table == .registers ? .registers(count: count, keys: keys) : .rows(table: table.name, count: count)
      }
    }
    return tables + others
  }
}

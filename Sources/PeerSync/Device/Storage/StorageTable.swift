/// A table of the database. Each row ends with a 64-bit checksum over the columns before it.
package enum StorageTable: UInt64, CaseIterable {
  // The numbers are part of the checksums: they are never used again.
  case identity = 1
  case replicas = 2
  case registers = 3
  case commits = 4
  case replaced = 5
  case forks = 6
  case membership = 7
  case invitation = 8
  case contacts = 9
  case addresses = 10
  case time = 11
  case inventory = 12
  case damage = 13
  case highWater = 14
  case setAside = 15
  case running = 16
  case bounds = 17
  case known = 18
  case counts = 19

  /// Its name in SQL.
  package var name: String {
    switch self {
    case .highWater: "high_water"
    case .setAside: "set_aside"
    default: "\(self)"
    }
  }

  /// Its columns, but for the checksum.
  var columns: [String] {
    switch self {
    case .identity:
      [
        "place", "device", "replica", "group_id", "name", "environment", "bundle_id", "online", "host",
        "may_accept",
      ]
    case .replicas: ["number", "id", "claimed", "key", "nonce"]
    case .registers: ["key", "author", "replica", "sequence", "stamp", "value"]
    case .commits: ["replica", "first", "count", "signature", "root"]
    case .replaced: ["replica", "sequence", "hash"]
    case .forks: ["replica", "evidence"]
    case .membership: ["place", "record"]
    case .invitation: ["place", "key", "expires", "tries_left"]
    case .contacts: ["device", "seen"]
    case .addresses: ["device", "addresses", "stamp"]
    case .time: ["place", "made", "floor", "signed", "peer"]
    case .running: ["place", "ran", "accepted", "may_accept", "lead", "replica", "sequence", "fell"]
    case .bounds: ["device", "since", "origin", "vouched"]
    case .inventory: ["place", "registers", "digest", "commits", "hashes", "replica", "used"]
    case .damage: ["place", "what", "lost", "is_final"]
    case .highWater: ["place", "id", "count", "set_back", "file", "starts"]
    case .setAside: ["place", "replica", "commits"]
    case .known: ["hour", "replica", "sequence"]
    case .counts: ["number", "count"]
    }
  }

  /// Reads every row, the checksum last.
  var selection: String { "SELECT \(columns.joined(separator: ", ")), checksum FROM \(name)" }

  /// Whether its rows say what the device knows: when one is gone, nothing can be claimed.
  var isLedger: Bool {
    switch self {
    case .replicas, .registers, .commits, .replaced, .forks: true
    case .identity, .membership, .invitation, .contacts, .addresses, .time, .inventory, .damage, .highWater,
      .setAside, .running, .bounds, .known, .counts:
      false
    }
  }

  /// Whether ``counts`` tells how many rows it has. The inventory tells it of the ledger, and the file beside the database whether
  /// it has come as far as before.
  var isCounted: Bool { !isLedger && self != .counts && self != .highWater }

  /// All that are counted, in the order of their numbers.
  static let counted = allCases.filter(\.isCounted)
}

/// A checksum over the columns of one row: it finds accidents. Each column counts with its type and length, so that no byte
/// can move from one to the next.
struct RowChecksum {
  private var hash = SipHash(wide: false)

  @inline(__always)
  init(_ table: StorageTable) { hash.combine(table.rawValue) }

  @inline(__always)
  mutating func add(_ integer: Int64) {
    hash.combine(1)
    hash.combine(UInt64(bitPattern: integer))
  }

  @inline(__always)
  mutating func addNull() { hash.combine(0) }

  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer, isText: Bool) {
    hash.combine(UInt64(bytes.count) << 2 | (isText ? 3 : 2))
    let whole = bytes.count & ~7
    var offset = 0
    while offset < whole {
      hash.combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    hash.combine(tail)
  }

  @inline(__always)
  mutating func finish() -> UInt64 {
    hash.combine(last: UnsafeRawBufferPointer(start: nil, count: 0))
    return hash.finish64()
  }
}

/// Writes whole rows of one table. To give it a column is to sum it as well, so that no row is written without its checksum.
package final class RowWriter {
  private let table: StorageTable
  private let statement: Statement
  private var checksum: RowChecksum
  private var column: Int32 = 0

  /// - Parameter width: how many columns there are but for the checksum; nil: those of today
  package init(_ table: StorageTable, _ database: Database, width: Int? = nil) throws(StorageError) {
    self.table = table
    checksum = RowChecksum(table)
    let places = Array(repeating: "?", count: (width ?? table.columns.count) + 1).joined(separator: ", ")
    // REPLACE on a table without rowid, index or trigger is one descent of the tree; an upsert is two.
    statement = try database.prepare("REPLACE INTO \(table.name) VALUES (\(places))", changing: table)
  }

  package func add(_ integer: Int64) {
    column += 1
    statement.bind(column, integer)
    checksum.add(integer)
  }

  func add(bits: UInt64) { add(Int64(bitPattern: bits)) }

  package func addNull() {
    column += 1
    statement.bindNull(column)
    checksum.addNull()
  }

  /// The bytes must stay where they are until ``run()``.
  func add(_ bytes: UnsafeRawBufferPointer) {
    column += 1
    statement.bind(column, bytes)
    checksum.add(bytes, isText: false)
  }

  /// A copy of bytes; nil is NULL.
  func add(copying bytes: [UInt8]?) {
    guard let bytes else { return addNull() }
    column += 1
    statement.bind(column, copying: bytes)
    bytes.withUnsafeBytes { checksum.add($0, isText: false) }
  }

  func add(_ text: String) {
    column += 1
    statement.bind(column, text)
    // SQLite takes it up to a NUL.
    Array(text.utf8.prefix { $0 != 0 }).withUnsafeBytes { checksum.add($0, isText: true) }
  }

  package func add<Kind>(_ identifier: Identifier<Kind>) {
    column += 1
    statement.bind(column, identifier)
    let words = (identifier.high.bigEndian, identifier.low.bigEndian)
    withUnsafeBytes(of: words) { checksum.add($0, isText: false) }
  }

  /// A column of a row that was read.
  package func add(_ column: Int32, of row: Statement) {
    switch row.type(column) {
    case .null: addNull()
    case .integer: add(row.integer(column))
    case .text: add(row.text(column))
    case .bytes, .other: add(copying: Array(row.bytes(column)))
    }
  }

  /// Writes the row, in place of one with the same key, and makes itself ready for the next.
  package func run() throws(StorageError) {
    statement.bind(column + 1, bits: checksum.finish())
    checksum = RowChecksum(table)
    column = 0
    try statement.run()
  }
}

extension Statement {
  /// Whether the row that ``StorageTable/selection`` has read is as it was written.
  func fits(_ table: StorageTable) -> Bool {
    var checksum = RowChecksum(table)
    let last = Int32(truncatingIfNeeded: table.columns.count)
    for column in 0..<last {
      switch type(column) {
      case .null: checksum.addNull()
      case .integer: checksum.add(integer(column))
      case .text: checksum.add(textBytes(column), isText: true)
      case .bytes: checksum.add(bytes(column), isText: false)
      case .other: return false
      }
    }
    return type(last) == .integer && bits(last) == checksum.finish()
  }
}

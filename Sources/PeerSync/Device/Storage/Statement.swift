import CSQLite

/// A compiled statement. Parameters count from 1 and columns from 0, as in SQLite.
///
/// Binding cannot fail for a statement and an index that this program wrote itself, so its result codes are not
/// looked at; a parameter that was not bound is NULL, which every column refuses.
package final class Statement {
  private let handle: OpaquePointer
  private let database: Database
  /// The table that changes by it, if its rows are counted.
  private let table: StorageTable?

  init(_ handle: OpaquePointer, of database: Database, changing table: StorageTable? = nil) {
    self.handle = handle
    self.database = database
    self.table = table.flatMap { $0.isCounted ? $0 : nil }
  }

  deinit { sqlite3_finalize(handle) }

  /// Binds an integer.
  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  /// Binds an unsigned integer bit for bit: SQLite's integers are signed.
  package func bind(_ index: Int32, bits value: UInt64) {
    sqlite3_bind_int64(handle, index, Int64(bitPattern: value))
  }

  /// Binds bytes without copying: they must stay where they are until the next ``step()`` returns.
  package func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_blob(handle, index, start, Int32(truncatingIfNeeded: bytes.count), nil)
    } else {
      sqlite3_bind_zeroblob(handle, index, 0)
    }
  }

  /// Binds a copy of bytes; nil is NULL.
  package func bind(_ index: Int32, copying bytes: [UInt8]?) {
    guard let bytes else { return _ = sqlite3_bind_null(handle, index) }
    _ = bytes.withUnsafeBytes {
      sqlite3_bind_blob(
        handle, index, $0.baseAddress, Int32(truncatingIfNeeded: $0.count),
        unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  /// Binds a copy of a text.
  package func bind(_ index: Int32, _ text: String) {
    sqlite3_bind_text(handle, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }

  /// Binds a copy of an identifier's 16 bytes.
  package func bind<Kind>(_ index: Int32, _ identifier: Identifier<Kind>) {
    let words = (identifier.high.bigEndian, identifier.low.bigEndian)
    _ = withUnsafeBytes(of: words) {
      sqlite3_bind_blob(
        handle, index, $0.baseAddress, 16, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  /// Binds NULL.
  package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  /// Goes to the next row; false after the last.
  package func step() throws(StorageError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    // Resetting repeats the error of the step, so the message is taken before.
    defer { sqlite3_reset(handle) }
    guard code == SQLITE_DONE else {
      try database.check(code)
      return false
    }
    return false
  }

  /// Runs a statement that returns no rows, with the parameters bound last, and makes it ready for the next.
  package func run() throws(StorageError) {
    _ = try step()
    if let table { database.changed.insert(table) }
  }

  /// Makes the statement ready to run again before its last row was seen.
  package func reset() { sqlite3_reset(handle) }

  /// What a column of a row can hold.
  enum ColumnType { case null, integer, text, bytes, other }

  /// What a column holds.
  func type(_ column: Int32) -> ColumnType {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .bytes
    default: .other
    }
  }

  /// A column of text as bytes, valid until the next ``step()``.
  func textBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_text(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Whether a column is NULL.
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// A column as an integer.
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// A column that was bound by ``bind(_:bits:)``.
  package func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  /// A column as text.
  package func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  /// A column as bytes, valid until the next ``step()``.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// A column as an identifier; nil unless it has 16 bytes.
  package func identifier<Kind>(_ column: Int32, _ kind: Identifier<Kind>.Type) -> Identifier<Kind>? {
    let bytes = bytes(column)
    guard bytes.count == 16 else { return nil }
    return Identifier(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}

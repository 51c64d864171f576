import CSQLite

/// One open SQLite database, for one thread at a time: the daemon's queue.
package final class Database {
  /// Where the file lies.
  package let path: String
  /// Pages in the write-ahead log after the last commit.
  package private(set) var logPages = 0
  /// Counted tables of a device that statements have changed since their rows were counted: see ``Storage/countRows()``.
  var changed: Set<StorageTable> = []

  let handle: OpaquePointer
  /// Nil until it is configured.
  private var files: DatabaseFiles?
  private var keepsLog = false

  /// Opens a file that exists; SQLite would make a new one with too lax a mode.
  ///
  /// - Throws: ``StorageError/denied(path:message:)`` when it is something else than a file, or one of the files is that SQLite
  ///   looks at beside it: at a pipe it would wait for ever
  package convenience init(path: String) throws(StorageError) {
    try Self.requireFiles(path)
    try self.init(path, opening: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX)
  }

  /// Opens a database as SQLite names it.
  init(
    _ path: String, opening name: String, _ flags: Int32, system: String? = nil
  ) throws(StorageError) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, system)
    guard code == SQLITE_OK, let opened else {
      defer { sqlite3_close_v2(opened) }
      throw Self.error(code, opened, path)
    }
    self.path = path
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    watchLog()
  }

  /// Refuses something else than a file among those that SQLite opens.
  static func requireFiles(_ path: String) throws(StorageError) {
    try FileSystem.requireFile(path, followsLinks: true)
    for suffix in ["-wal", "-shm", "-journal"] { try FileSystem.requireFile(path + suffix) }
  }

  deinit {
    // SQLite would copy a log into the database that may not be whole any more.
    if !keepsLog { do { try requireInPlace() } catch { keepLog() } }
    sqlite3_close_v2(handle)
  }

  /// Runs statements that return nothing of interest.
  package func execute(_ sql: String) throws(StorageError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Compiles a statement, to be run many times.
  ///
  /// - Parameter table: whose rows it writes or removes
  package func prepare(
    _ sql: String, changing table: StorageTable? = nil
  ) throws(StorageError) -> Statement {
    var compiled: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil))
    guard let compiled else {
      throw .failed(path: path, message: StorageReason(Phrase("an empty statement", "빈 명령문")))
    }
    return Statement(compiled, of: self, changing: table)
  }

  /// The first column of the first row, as an integer; 0 when there is no row.
  package func integer(_ sql: String) throws(StorageError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The first column of the first row, as text; nil when there is no row.
  package func text(_ sql: String) throws(StorageError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// How many rows the last statement has written or removed.
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Copies the write-ahead log into the database file, so that the log starts again from its beginning.
  package func checkpoint() throws(StorageError) {
    try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
    logPages = 0
  }

  /// Leaves the write-ahead log as it is when the database is closed; SQLite would copy it into the database file.
  package func keepLog() {
    keepsLog = true
    _ = peersync_sqlite3_keep_log_on_close(handle)
  }

  // MARK: Its files

  /// Remembers which files are open, once the log is.
  func noteFiles() throws(StorageError) {
    let name = sqlite3_db_filename(handle, "main")
    guard let log = name.flatMap({ sqlite3_filename_wal($0) }) else { return }
    files = try DatabaseFiles(path, log: String(cString: log))
  }

  /// Refuses to go on once the database or its log is no longer what stands at its name: nobody would find what is written.
  ///
  /// - Throws: ``StorageError/displaced(path:)``. All that was committed is in the database then, if only the log is gone.
  package func requireInPlace() throws(StorageError) {
    do throws(StorageError) { try files?.requireInPlace() } catch {
      // Though its name is gone, the log is still open. One that was cut short has nothing to give.
      if let log = files?.log, case .displaced(log.path) = error, openLogBytes >= log.size {
        try checkpoint()
      }
      throw error
    }
  }

  func check(_ code: Int32) throws(StorageError) {
    guard code == SQLITE_OK else { throw Self.error(code, handle, path) }
  }

  /// The hook takes the place of SQLite's own automatic checkpoint, which drops the errors it meets.
  private func watchLog() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func error(_ code: Int32, _ handle: OpaquePointer?, _ path: String) -> StorageError {
    let words = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
    func reason(system number: Int32 = 0) -> StorageReason {
      StorageReason(sqlite: code, words, system: number)
    }
    switch code & 0xff {
    case SQLITE_FULL: return .full(path: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(path: path, message: reason())
    case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path: path)
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
      return .denied(path: path, message: reason())
    case SQLITE_IOERR, SQLITE_NOMEM:
      return .io(path: path, message: reason(system: handle.map { sqlite3_system_errno($0) } ?? 0))
    default: return .failed(path: path, message: reason())
    }
  }
}

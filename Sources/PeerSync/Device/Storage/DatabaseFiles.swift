import CSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of an open database, as they stood at their names when it was opened.
///
/// SQLite keeps them open and does not look at their names again: what it writes once one of them was removed, moved away,
/// replaced or cut short, the next start does not find.
struct DatabaseFiles {
  private var database: StandingFile
  private(set) var log: StandingFile

  /// - Parameter log: its log, which SQLite keeps beside the file itself where `path` is a link
  init(_ path: String, log: String) throws(StorageError) {
    database = try StandingFile(path)
    self.log = try StandingFile(log)
  }

  /// - Throws: ``StorageError/displaced(path:)`` for the first that does not stand at its name any more
  mutating func requireInPlace() throws(StorageError) {
    try database.requireInPlace()
    try log.requireInPlace()
  }
}

/// Which file stands at a name, and how long it has been at least: neither file of a database ever gets shorter while it is open.
struct StandingFile {
  let path: String
  private(set) var size: Int64
  private let disk: UInt64
  private let number: UInt64

  init(_ path: String) throws(StorageError) {
    let facts = try Self.facts(path)
    self.path = path
    (disk, number, size) = (UInt64(facts.st_dev), UInt64(facts.st_ino), Int64(facts.st_size))
  }

  mutating func requireInPlace() throws(StorageError) {
    let facts = try Self.facts(path)
    guard UInt64(facts.st_dev) == disk, UInt64(facts.st_ino) == number, Int64(facts.st_size) >= size else {
      throw .displaced(path: path)
    }
    size = Int64(facts.st_size)
  }

  private static func facts(_ path: String) throws(StorageError) -> stat {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      throw errno == ENOENT || errno == ENOTDIR ? .displaced(path: path) : FileSystem.error(path)
    }
    return facts
  }
}

extension Database {
  /// Bytes of the log that is open, whatever its name; 0 where nobody knows.
  var openLogBytes: Int64 {
    guard let log = openLog, let size = log.pointee.pMethods?.pointee.xFileSize else { return 0 }
    var bytes: sqlite3_int64 = 0
    return size(log, &bytes) == SQLITE_OK ? bytes : 0
  }

  /// Makes the file of the log longer ahead of what comes next, as long as it has never been full: a sync that need not record a new
  /// size is the faster one, and somebody waits for it. Here nobody does. To SQLite the zeros are what an earlier log has left behind.
  func makeRoomInLog() {
    let (end, written) = (openLogBytes, Self.logBytes(pages: logPages))
    guard logPages > 0, end < Self.logBytes(pages: Self.checkpointPages),
      end - written < Self.logBytes(pages: 16), let log = openLog, let methods = log.pointee.pMethods?.pointee
    else { return }
    // SQLite's files take less than 128 KiB at once.
    let zeros = [UInt8](repeating: 0, count: 64 << 10)
    for piece in 0..<Int64(4) {
      // Where there is no room, whoever has something to write will hear of it.
      guard methods.xWrite(log, zeros, Int32(zeros.count), end + piece * Int64(zeros.count)) == SQLITE_OK
      else {
        return
      }
    }
    _ = methods.xSync(log, SQLITE_SYNC_NORMAL)
  }

  /// How long a log of so many pages is: a header, and each page behind a header of its own.
  ///
  /// Source: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
  package static func logBytes(pages: Int) -> Int64 { 32 + Int64(pages) * (24 + 4096) }

  private var openLog: UnsafeMutablePointer<sqlite3_file>? {
    var log: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
    return code == SQLITE_OK ? log : nil
  }
}

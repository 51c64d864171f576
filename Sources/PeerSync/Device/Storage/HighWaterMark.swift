#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How far a device's database has come. The database holds it, and a small file beside it holds the same: a database
/// that was put back from a copy, or lost its log, is behind the file.
struct HighWaterMark: Hashable, Sendable {
  /// Drawn when the mark was begun: by the device's creation, and by each start that finds the database set back.
  let id: Nonce
  /// The incarnation that the device writes under.
  var replica: ReplicaID
  /// Durable transactions since the mark was begun.
  var count: UInt64

  /// Whether the database with this mark was set back, by what the file beside it holds.
  ///
  /// A file that is behind is what a loss of power leaves, for it is synchronized now and then.
  ///
  /// - Parameter file: nil: missing, or unreadable
  func isBehind(_ file: HighWaterMark?) -> Bool {
    guard let file, file.id == id else { return true }
    return count < file.count || count == file.count && replica != file.replica
  }
}

/// The row of `high_water`: what the database holds of its ``HighWaterMark``, and what else is known of its past.
struct HighWaterRow: Hashable {
  /// Nil until a mark is begun: an older version made the device.
  var id: Nonce?
  var count: UInt64 = 0
  /// Since when the database is known to have been set back, and no peer has been in sync with the device.
  var setBack: Instant?
  /// The system's number of the file with the mark: one that was put back together with the database is another file.
  var file: UInt64 = 0
  /// How often the device was started. One whose row is missing was made by an older version, and was.
  var starts: UInt64 = 1

  func write(_ row: RowWriter) throws(StorageError) {
    row.add(1)
    if let id { row.add(id) } else { row.addNull() }
    row.add(bits: count)
    if let setBack { row.add(setBack.milliseconds) } else { row.addNull() }
    row.add(bits: file)
    row.add(bits: starts)
    try row.run()
  }
}

extension HighWaterRow {
  /// Nil when the row makes no sense.
  init?(_ row: Statement) {
    if !row.isNull(1) {
      guard let id = row.identifier(1, Nonce.self) else { return nil }
      self.id = id
    }
    count = row.bits(2)
    setBack = row.isNull(3) ? nil : Instant(clamping: row.integer(3))
    file = row.bits(4)
    starts = row.bits(5)
    // They are counted up.
    guard max(count, starts) <= UInt64(Int64.max) else { return nil }
  }
}

extension HighWaterMark {
  /// One line of fixed length, so that it is written over in place: three words in hexadecimal digits.
  var encoded: [UInt8] { Array("\(id) \(replica) \(hexadecimal(count))\n".utf8) }

  static let encodedBytes = 32 + 1 + 32 + 1 + 16 + 1

  /// Nil for anything but what ``encoded`` gives.
  init?(_ bytes: [UInt8]) {
    let words = bytes.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") })
      .map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, let id = Nonce(words[0]), let replica = ReplicaID(words[1]),
      let count = UInt64(words[2], radix: 16)
    else { return nil }
    self.init(id: id, replica: replica, count: count)
    guard encoded == bytes else { return nil }
  }
}

/// The file with the ``HighWaterMark``, open for as long as its database is.
///
/// It is written over in place after each transaction, and before anything of the transaction leaves the device. Not by
/// a mapping: on a full disk that would end the process. It is synchronized when it is made, when the log is copied
/// into the database, and at the end; in between a crash of the program loses nothing of it, and a loss of power may.
struct HighWaterFile: ~Copyable {
  private let path: String
  private let file: FileSystem.File

  /// What the file of a directory holds; nil when it holds something else, or is missing.
  static func read(_ path: String) throws(StorageError) -> HighWaterMark? {
    try FileSystem.read(path, limit: 2 * HighWaterMark.encodedBytes).flatMap { HighWaterMark($0) }
  }

  /// The number that the system gave the file of a directory; 0 when it is missing.
  static func number(_ path: String) throws(StorageError) -> UInt64 {
    var status = stat()
    if stat(path, &status) == 0 { return UInt64(status.st_ino) }
    guard errno == ENOENT else { throw FileSystem.error(path) }
    return 0
  }

  /// Opens the file that is there.
  init(_ path: String) throws(StorageError) {
    self.path = path
    file = try FileSystem.open(path, O_RDWR)
  }

  /// Makes the file anew, durably, and opens it.
  init(_ path: String, begin mark: HighWaterMark) throws(StorageError) {
    try FileSystem.replace(path, with: mark.encoded, isDurable: true)
    try self.init(path)
  }

  func write(_ mark: HighWaterMark) throws(StorageError) {
    let bytes = mark.encoded
    let count = retryingInterrupts {
      Int32(truncatingIfNeeded: pwrite(file.descriptor, bytes, bytes.count, 0))
    }
    guard count != bytes.count else { return }
    if count >= 0 { errno = ENOSPC }
    throw FileSystem.error(path)
  }

  func synchronize() throws(StorageError) {
    guard fdatasync(file.descriptor) == 0 else { throw FileSystem.error(path) }
  }
}

extension DataDirectory {
  /// See ``HighWaterMark``.
  var highWater: String { path + "/high-water" }
}

import CSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Storage {
  /// What the files of a device hold.
  package struct Inspection: Sendable {
    /// How the files of a device are.
    package enum State: Hashable, Sendable {
      /// Every checksum fits.
      case whole
      /// What does not fit.
      case damaged(Damage)
      /// An older version made it, and the next start gives it the checksums.
      case older
    }

    package let state: State
    /// The device; nil where an older version made it.
    package let device: PersistedDevice?
  }

  /// Reads a device whole, as its next start would, with every checksum: in place, also where a daemon is at work. It takes no lock,
  /// writes nothing and needs no room.
  ///
  /// - Parameter key: the device's; nil: as its own file says
  /// - Throws: ``StorageError/locked(path:)`` when a daemon writes so much that what was read does not belong together
  package static func inspect(
    _ directory: DataDirectory, key: PublicKey? = nil, _ cryptography: Cryptography = .openSSL
  ) throws(StorageError) -> Inspection {
    let known = if let key { key } else { try DeviceKey.load(directory.deviceKey).publicKey }
    for _ in 0..<5 {
      let before = try Place(directory)
      let result = Result { () throws(StorageError) in try look(at: directory, known, cryptography) }
      if try Place(directory) == before { return try result.get() }
    }
    throw StorageError.locked(path: directory.database)
  }

  private static func look(
    at directory: DataDirectory, _ key: PublicKey, _ cryptography: Cryptography
  ) throws(StorageError) -> Inspection {
    let database = try Database(inspecting: directory.database)
    if try database.spelled({ () throws(StorageError) in try database.isOlder() }) {
      try database.requireIntegrity()
      return Inspection(state: .older, device: nil)
    }
    let storage = try Storage(database, inspecting: directory)
    var (kept, _, _) = try storage.read(key, cryptography)
    if !storage.findings.isEmpty {
      let found = Damage(storage.findings.losses)
      kept.damage?.add(found)
      kept.damage = kept.damage ?? found
    }
    return Inspection(state: kept.damage.map { .damaged($0) } ?? .whole, device: kept)
  }

  /// Where the log begins, and which database it belongs to. As long as both stay what has been read belongs together, whatever is
  /// added to the log meanwhile: only when the log is copied into the database, every 16 MiB, it may not.
  private struct Place: Equatable {
    /// The header of the log has numbers that are drawn anew when it begins again.
    private let log: [UInt8]?
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    init(_ directory: DataDirectory) throws(StorageError) {
      log = try FileSystem.read(directory.database + "-wal", limit: 32)
      var facts = stat()
      guard stat(directory.database, &facts) == 0 else { throw FileSystem.error(directory.database) }
      #if canImport(Glibc)
        let time = facts.st_mtim
      #else
        let time = facts.st_mtimespec
      #endif
      (size, seconds, nanoseconds) = (Int64(facts.st_size), Int(time.tv_sec), Int(time.tv_nsec))
    }
  }
}

extension Database {
  /// Opens a database to look at what its file and its log hold now, without a lock and without writing to either.
  ///
  /// Not in the process that has it open: closing a file lets go of all locks that the process has on it.
  convenience init(inspecting path: String) throws(StorageError) {
    try Self.requireFiles(path)
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw FileSystem.error(path) }
    // SQLite removes the log of an empty one.
    guard facts.st_size > 0 else {
      throw .corrupt(path: path, message: StorageReason(Phrase("it is missing or empty", "파일이 없거나 비어 있음")))
    }
    let hasLog = try FileSystem.read(path + "-wal", limit: 1)?.isEmpty == false
    // SQLite would make a log where there is none, unless it is told that nothing can change.
    let name =
      "file:" + (path.hasPrefix("/") ? "//" : "")
      + path.split(separator: "/", omittingEmptySubsequences: false)
      .map { String($0).asPathPart }.joined(separator: "/") + (hasLog ? "" : "?immutable=1")
    try self.init(
      path, opening: name, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
      system: hasLog ? "unix-none" : nil)
    keepLog()
    // With exclusive locking, which locks nothing here, the log is found through in memory and not in a file.
    try execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY")
  }
}

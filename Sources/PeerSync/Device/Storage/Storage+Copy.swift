import Foundation

extension Storage {
  /// Reads a device whole, as its next start would, with every checksum; in a copy, so that its directory stays as it is. The caller
  /// holds its lock, or a daemon has it.
  ///
  /// - Parameters:
  ///   - isInUse: whether a daemon is at work there
  ///   - key: the device's; nil: as its own file says
  /// - Returns: what of it does not fit; nil when all of it does
  package static func damage(
    inCopyOf directory: DataDirectory, isInUse: Bool = false, key: PublicKey? = nil,
    _ cryptography: Cryptography = .openSSL
  ) throws -> Damage? {
    let key = try key ?? DeviceKey.load(directory.deviceKey).publicKey
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("peerd-\(UUID().uuidString)")
      .path
    let copy = DataDirectory(place)
    try copy.create()
    defer { try? FileManager.default.removeItem(atPath: place) }
    if isInUse {
      try copyInUse(directory, to: copy)
      let said = try Database(path: copy.database).text("PRAGMA quick_check(1)") ?? "it says nothing"
      guard said == "ok" else { throw StorageError.corrupt(path: directory.database, message: said) }
    } else {
      try self.copy(directory, to: copy)
    }
    return try Storage(copy).load(key: key, cryptography).damage
  }

  /// The high-water mark comes first: a database that is newer than its mark is what a crash leaves, and one that is older was set back.
  private static func copy(_ directory: DataDirectory, to copy: DataDirectory) throws {
    for file in [
      directory.highWater, directory.secondCopy, directory.database, directory.database + "-wal",
    ] {
      let target = copy.path + file.dropFirst(directory.path.count)
      if FileSystem.exists(target) { try FileManager.default.removeItem(atPath: target) }
      if FileSystem.exists(file) { try FileManager.default.copyItem(atPath: file, toPath: target) }
    }
  }

  /// The log may grow meanwhile: of a commit that was copied in part nothing is read. Only when it was copied into the database meanwhile
  /// the two may not fit each other; that happens every 16 MiB.
  private static func copyInUse(_ directory: DataDirectory, to copy: DataDirectory) throws {
    for _ in 0..<5 {
      let before = try Place(directory)
      try self.copy(directory, to: copy)
      if try Place(directory) == before { return }
    }
    throw StorageError.locked(path: directory.database)
  }

  /// Where the log begins, and which database it belongs to.
  private struct Place: Equatable {
    /// The header of the log has numbers that are drawn anew when it begins again.
    private let log: [UInt8]?
    private let seconds: Int
    private let nanoseconds: Int

    init(_ directory: DataDirectory) throws(StorageError) {
      log = try FileSystem.read(directory.database + "-wal", limit: 32)
      var facts = stat()
      guard stat(directory.database, &facts) == 0 else { throw FileSystem.error(directory.database) }
      (seconds, nanoseconds) = (Int(facts.st_mtim.tv_sec), Int(facts.st_mtim.tv_nsec))
    }
  }
}

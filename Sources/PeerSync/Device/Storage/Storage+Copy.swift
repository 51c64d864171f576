import Foundation

extension Storage {
  /// Reads a device whole, as its next start would, with every checksum; in a copy, so that its directory stays as it is. The caller
  /// holds its lock.
  ///
  /// - Parameter key: the device's; nil: as its own file says
  /// - Returns: what of it does not fit; nil when all of it does
  package static func damage(
    inCopyOf directory: DataDirectory, key: PublicKey? = nil, _ cryptography: Cryptography = .openSSL
  ) throws -> Damage? {
    let key = try key ?? DeviceKey.load(directory.deviceKey).publicKey
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("peerd-\(UUID().uuidString)")
      .path
    let copy = DataDirectory(place)
    try copy.create()
    defer { try? FileManager.default.removeItem(atPath: place) }
    let files = [directory.database, directory.database + "-wal", directory.secondCopy, directory.highWater]
    for file in files where FileSystem.exists(file) {
      let name = file.dropFirst(directory.path.count)
      try FileManager.default.copyItem(atPath: file, toPath: place + name)
    }
    return try Storage(copy).load(key: key, cryptography).damage
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The directory of one device: what lies in it, and who may use it.
package struct DataDirectory: Hashable, Sendable {
  /// As given by the user.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// The database; its write-ahead log lies beside it.
  package var database: String { path + "/peerd.db" }
  /// See ``SecondCopy``.
  package var secondCopy: String { path + "/" + SecondCopy.name }
  /// The database of a sandbox store, which has such a directory too.
  package var sandboxDatabase: String { path + "/store.db" }
  /// See ``DeviceKey``.
  package var deviceKey: String { path + "/device.key" }
  /// See ``LockFile``.
  package var lock: String { path + "/lock" }
  /// See ``ControlFile``.
  package var control: String { path + "/" + ControlFile.name }

  /// Makes the directory where it is missing, mode 0700.
  package func create() throws(StorageError) {
    try FileSystem.makeDirectory(path)
    try FileSystem.requirePrivate(path)
  }

  /// Makes an empty database file with the right mode and a durable name, unless there is one.
  package func createDatabase() throws(StorageError) {
    _ = try FileSystem.open(database, O_RDWR | O_CREAT)
    try FileSystem.syncDirectory(path)
    try FileSystem.syncDirectory(FileSystem.parent(of: path))
  }

  /// Refuses a directory without a device, and one whose files others may use.
  package func requireDevice() throws(StorageError) {
    guard FileSystem.exists(database) || FileSystem.exists(secondCopy) else {
      throw .missing(directory: path)
    }
    try FileSystem.requirePrivate(path)
    for file in [database, database + "-wal", deviceKey, control] where FileSystem.exists(file) {
      try FileSystem.requirePrivate(file)
    }
  }

  /// Refuses what would keep a daemon from starting here, whatever device there is. Nothing is changed.
  package func requireUsable() throws(StorageError) {
    guard access(path, W_OK | X_OK) == 0 else { throw FileSystem.error(path) }
    try LockFile.inspect(lock)
    _ = try readHostMarker()
  }

  /// Takes the directory for this process.
  package func takeLock() throws(StorageError) -> LockFile {
    try LockFile(path: lock, directory: path)
  }

  /// Opens the directory, to write in it wherever it is moved to.
  package func hold() throws(StorageError) -> HeldDirectory { try HeldDirectory(path) }
}

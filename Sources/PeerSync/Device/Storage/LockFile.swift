#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock that keeps a second daemon off a data directory. Held as long as the value lives; the system lets go of it
/// when the process ends, however it ends.
package final class LockFile: Sendable {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Throws: ``StorageError/inUse(directory:pid:)`` when another process (or this one) holds it.
  package init(path: String, directory: String) throws(StorageError) {
    try FileSystem.requireFile(path)
    // A local until it is locked: with the property set, `deinit` would run as well when this throws, and close a
    // descriptor of the same number that another thread has opened meanwhile.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileSystem.error(path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      defer { close(descriptor) }
      guard errno == EWOULDBLOCK else { throw FileSystem.error(path) }
      throw .inUse(directory: directory, pid: Self.holder(path))
    }
    self.descriptor = descriptor
    writeHolder()
  }

  /// Refuses, without taking it, a lock that could not be opened. It may be missing, or held.
  static func inspect(_ path: String) throws(StorageError) {
    try FileSystem.requireFile(path)
    if FileSystem.exists(path) { _ = try FileSystem.open(path, O_RDWR) }
  }

  deinit {
    // Closing would not be enough while a child that is just being started still has a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private func writeHolder() {
    let text = Array("\(getpid())\n".utf8)
    // Only the message to a second daemon depends on it.
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
  }

  private static func holder(_ path: String) -> Int32? {
    guard let bytes = try? FileSystem.read(path, limit: 32) else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self))
  }
}

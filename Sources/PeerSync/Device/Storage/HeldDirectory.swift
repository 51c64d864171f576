#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory that is held open. What is written here goes into it wherever it was moved to, and never into another one
/// that has its name now.
package final class HeldDirectory: Sendable {
  /// Where it was when it was opened.
  package let path: String
  private let descriptor: Int32

  /// Opens a directory that is there.
  package init(_ path: String) throws(StorageError) {
    // A local until it is open, as in ``LockFile``.
    let descriptor = retryingInterrupts { systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileSystem.error(path) }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Opens a file as ``FileSystem/open(_:_:)`` does.
  package func open(file name: String, _ flags: Int32) throws(StorageError) -> FileSystem.File {
    let file = retryingInterrupts { openat(descriptor, name, flags | O_CLOEXEC | O_NONBLOCK, 0o600) }
    guard file >= 0 else { throw FileSystem.error(place(name)) }
    return FileSystem.File(descriptor: file)
  }

  /// Reads a small file, up to `limit` bytes; nil when there is none.
  package func read(_ name: String, limit: Int) throws(StorageError) -> [UInt8]? {
    guard faccessat(descriptor, name, F_OK, 0) == 0 else { return nil }
    return try FileSystem.read(try open(file: name, O_RDONLY), at: place(name), limit: limit)
  }

  /// Writes a small file as a whole or not at all: to a temporary name first, then renamed.
  ///
  /// - Parameter isDurable: whether to return only once it would survive a loss of power
  package func replace(
    _ name: String, with bytes: [UInt8], isDurable: Bool = false
  ) throws(StorageError) {
    let temporary = name + ".new"
    remove(temporary)
    try write(bytes, to: temporary, O_CREAT | O_EXCL, isDurable: isDurable)
    guard renameat(descriptor, temporary, descriptor, name) == 0 else { throw FileSystem.error(place(name)) }
    guard !isDurable || fsync(descriptor) == 0 else { throw FileSystem.error(path) }
  }

  /// Adds to the end of a file that is there, durably.
  package func append(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
    try write(bytes, to: name, O_APPEND, isDurable: true)
  }

  /// Removes a file, if it is there.
  package func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  private func write(
    _ bytes: [UInt8], to name: String, _ flags: Int32, isDurable: Bool
  ) throws(StorageError) {
    let file = try open(file: name, O_WRONLY | flags)
    let count = retryingInterrupts {
      Int32(truncatingIfNeeded: systemWrite(file.descriptor, bytes, bytes.count))
    }
    guard count == bytes.count else {
      if count >= 0 { errno = ENOSPC }
      throw FileSystem.error(place(name))
    }
    guard !isDurable || fsync(file.descriptor) == 0 else { throw FileSystem.error(place(name)) }
  }

  /// For an error: where the file was when the directory was opened.
  private func place(_ name: String) -> String { path + "/" + name }
}

// Inside a type with members of the same names these would be shadowed.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

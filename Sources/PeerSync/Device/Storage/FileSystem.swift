#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's words for an error number.
package func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }

/// The few file operations that need exact modes and syncs.
package enum FileSystem {
  /// An open file that closes itself.
  package struct File: ~Copyable {
    package let descriptor: Int32
    deinit { close(descriptor) }
  }

  /// Opens a file for its owner alone; a new one gets mode 0600. Something else than a file, such as a pipe, keeps nobody
  /// waiting.
  package static func open(_ path: String, _ flags: Int32) throws(StorageError) -> File {
    let descriptor = retryingInterrupts { systemOpen(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600) }
    guard descriptor >= 0 else { throw error(path) }
    return File(descriptor: descriptor)
  }

  /// What the system has just refused, by `errno`.
  package static func error(_ path: String) -> StorageError {
    let number = errno
    switch number {
    case ENOSPC, EDQUOT: return .full(path: path)
    case ENOTDIR: return .notDirectory(path: path)
    case EACCES, EPERM, EROFS, EISDIR, ELOOP, ENOENT:
      return .denied(path: path, message: systemMessage(number))
    default: return .io(path: path, message: systemMessage(number))
    }
  }

  /// Whether there is a file.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Refuses a file that others may read or write, and a directory that others may write.
  package static func requirePrivate(_ path: String) throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw error(path) }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    guard status.st_mode & (isDirectory ? 0o022 : 0o077) == 0 else {
      throw .lax(path: path, isDirectory: isDirectory)
    }
  }

  /// Refuses what is there and no file, such as a pipe or a directory.
  ///
  /// - Parameter followsLinks: whether a link to a file will do
  package static func requireFile(_ path: String, followsLinks: Bool = false) throws(StorageError) {
    var status = stat()
    // Whoever opens it says why it cannot be looked at.
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .denied(path: path, message: "it is not a regular file")
    }
  }

  /// Makes the names in a directory durable.
  package static func syncDirectory(_ path: String) throws(StorageError) {
    let directory = try open(path, O_RDONLY | O_DIRECTORY)
    guard fsync(directory.descriptor) == 0 else { throw error(path) }
  }

  /// Makes a directory and those above it, for its owner alone.
  ///
  /// - Throws: ``StorageError/notDirectory(path:)`` when there is something else
  package static func makeDirectory(_ path: String) throws(StorageError) {
    if exists(path) { return try requireDirectory(path) }
    if mkdir(path, 0o700) == 0 { return }
    let parent = self.parent(of: path)
    guard errno == ENOENT, parent != path else { throw error(path) }
    try makeDirectory(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw error(path) }
  }

  private static func requireDirectory(_ path: String) throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw error(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory(path: path) }
  }

  /// The directory that holds a path.
  package static func parent(of path: String) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  /// Reads a small file, up to `limit` bytes; nil when there is none.
  package static func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8]? {
    guard exists(path) else { return nil }
    return try read(try open(path, O_RDONLY), at: path, limit: limit)
  }

  /// Reads a file that is open.
  static func read(_ file: borrowing File, at path: String, limit: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = retryingInterrupts { Int32(truncatingIfNeeded: systemRead(file.descriptor, &bytes, limit)) }
    guard count >= 0 else { throw error(path) }
    return Array(bytes.prefix(Int(count)))
  }

  /// Writes a small file as a whole or not at all: see ``HeldDirectory/replace(_:with:isDurable:)``.
  package static func replace(
    _ path: String, with bytes: [UInt8], isDurable: Bool = false
  ) throws(StorageError) {
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    try HeldDirectory(parent(of: path)).replace(String(name), with: bytes, isDurable: isDurable)
  }

  /// Durably gives a file the name of another, whose place it takes.
  package static func rename(_ path: String, to target: String) throws(StorageError) {
    guard systemRename(path, target) == 0 else { throw error(target) }
    try syncDirectory(parent(of: target))
  }
}

/// Repeats a system call that a signal interrupted.
package func retryingInterrupts(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

// Inside a type with members of the same names these would be shadowed.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}

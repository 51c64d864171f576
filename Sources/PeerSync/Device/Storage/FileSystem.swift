#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's words for an error number.
package func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }

/// The same for people, in their language.
package func systemPhrase(_ number: Int32) -> Phrase {
  Phrase(systemMessage(number), koreanSystemMessage(number) ?? "시스템 오류 \(number)번")
}

private func koreanSystemMessage(_ number: Int32) -> String? {
  switch number {
  case EPERM: "허용되지 않음"
  case ENOENT: "그런 파일이나 디렉터리가 없음"
  case EIO: "입출력 오류"
  case EACCES: "권한이 없음"
  case EBUSY: "다른 곳에서 쓰는 중"
  case EEXIST: "이미 있음"
  case ENODEV, ENXIO: "그런 장치가 없음"
  case ENOTDIR: "디렉터리가 아님"
  case EISDIR: "디렉터리임"
  case EINVAL: "값이 맞지 않음"
  case ENFILE, EMFILE: "열린 파일이 너무 많음"
  case EFBIG: "파일이 너무 큼"
  case ENOSPC: "디스크가 가득 참"
  case EDQUOT: "디스크 할당량을 넘음"
  case EROFS: "읽기 전용 파일 시스템"
  case EPIPE: "읽는 쪽이 끝남"
  case ENAMETOOLONG: "이름이 너무 김"
  case ELOOP: "심볼릭 링크가 너무 많음"
  case ENOMEM: "메모리가 부족함"
  case ENOTEMPTY: "디렉터리가 비어 있지 않음"
  case ENETDOWN, ENETUNREACH: "네트워크에 연결할 수 없음"
  case EHOSTDOWN, EHOSTUNREACH: "호스트에 연결할 수 없음"
  case EADDRINUSE: "이미 쓰고 있는 주소"
  case EADDRNOTAVAIL: "쓸 수 없는 주소"
  case EAFNOSUPPORT: "지원하지 않는 주소 종류"
  case ECONNREFUSED: "연결이 거부됨"
  case ECONNRESET, ECONNABORTED: "연결이 끊김"
  case ETIMEDOUT: "시간이 초과됨"
  default: nil
  }
}

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
      return .denied(path: path, message: StorageReason(system: number))
    default: return .io(path: path, message: StorageReason(system: number))
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
    guard isFile(path, followsLinks: followsLinks) else {
      throw .denied(path: path, message: StorageReason(noFile))
    }
  }

  /// Whether nothing is there, or a file.
  static func isFile(_ path: String, followsLinks: Bool = false) -> Bool {
    var status = stat()
    // Whoever opens it says why it cannot be looked at.
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFREG
  }

  /// Why something else will not do.
  static let noFile = Phrase("it is not a regular file", "일반 파일이 아님")

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

  /// Reads a file that is open, up to `limit` bytes. The buffer has the size of the file; a pipe tells none, and gets `limit`.
  static func read(_ file: borrowing File, at path: String, limit: Int) throws(StorageError) -> [UInt8] {
    var facts = stat()
    guard fstat(file.descriptor, &facts) == 0 else { throw error(path) }
    let size = facts.st_size > 0 ? min(limit, Int(clamping: facts.st_size)) : limit
    var bytes = [UInt8](repeating: 0, count: size)
    let count = retryingInterrupts { Int32(truncatingIfNeeded: systemRead(file.descriptor, &bytes, size)) }
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

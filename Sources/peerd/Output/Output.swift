import Glibc
import PeerSync

/// Writing what a command puts out, where every failure counts.
package enum Output {
  /// Writes all bytes, in as many steps as it takes.
  ///
  /// - Returns: 0, or the error number with which the system refused the rest
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let number = errno
      // One that others share may be non-blocking: nothing is lost by waiting until it takes more.
      if number == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if number != EINTR {
        return number
      }
    }
    return 0
  }

  /// Writes a file as a whole or not at all, for its owner alone. A device, a pipe or anything else that is not a plain file
  /// is written into and stays what it is; a link stays one, and what it leads to is replaced.
  ///
  /// - Throws: ``Failure`` in one line that names the file
  package static func write(_ bytes: [UInt8], toFile file: String) throws {
    var status = stat()
    if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      return try writeInto(file, bytes)
    }
    let target = resolved(file)
    // A name that nobody has: beside it may lie anything of the user's own.
    var name = Array("\(FileSystem.parent(of: target))/.peerd-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw unwritable(file, errno) }
    // mkstemp(3) gives mode 0600: purchases are nobody else's business.
    var number = write(bytes, to: descriptor)
    // Some file systems tell of a full disk only here.
    if close(descriptor) != 0, number == 0 { number = errno }
    if number == 0, rename(name, target) != 0 { number = errno }
    guard number != 0 else { return }
    unlink(name)
    throw unwritable(file, number)
  }

  private static func writeInto(_ file: String, _ bytes: [UInt8]) throws {
    let descriptor = retryingInterrupts { open(file, O_WRONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw unwritable(file, errno) }
    var number = write(bytes, to: descriptor)
    if close(descriptor) != 0, number == 0 { number = errno }
    guard number == 0 else { throw unwritable(file, number) }
  }

  /// Where a path leads; of a link to nowhere, where it would lead.
  private static func resolved(_ file: String) -> String {
    var path = file
    // As many as the system follows (path_resolution(7)).
    for _ in 0..<40 {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { return path }
      let link = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = link.hasPrefix("/") ? link : FileSystem.parent(of: path) + "/" + link
    }
    return path
  }

  private static func unwritable(_ file: String, _ number: Int32) -> Failure {
    let remedy =
      switch number {
      case ENOSPC, EDQUOT: Phrase("make room or choose another place", "공간을 확보하거나 다른 곳을 고르세요")
      case EISDIR: Phrase("name a file in it", "그 안의 파일을 지정하세요")
      case EPIPE: Phrase("broken pipe", "읽는 쪽이 끝났습니다")
      default:
        Phrase(
          "check that its directory is there and that you may write in it, or choose another place",
          "디렉터리가 있고 쓸 수 있는지 확인하거나 다른 곳을 고르세요")
      }
    return Failure(
      Phrase("\(file) cannot be written (", "\(file) 파일에 쓸 수 없습니다(") + systemPhrase(number)
        + Phrase("): ", "). ") + remedy)
  }
}

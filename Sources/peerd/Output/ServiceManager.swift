import Foundation
import Glibc

/// systemd, where it runs this program: see `sd_notify(3)` and `sd-daemon(3)`, whose protocols are stable.
enum ServiceManager {
  /// Tells it how the service is, such as `READY=1`; nothing where no one has asked to be told.
  ///
  /// - Parameter state: assignments, one a line
  static func notify(_ state: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // An abstract name begins with a zero, for which an at sign stands; a path ends with one.
    let isAbstract = first == UInt8(ascii: "@")
    guard isAbstract || first == UInt8(ascii: "/"), bytes.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return }
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: isAbstract ? [0] + bytes.dropFirst() : bytes)
    }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let length = socklen_t(
      MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + bytes.count + (isAbstract ? 0 : 1) } ?? 0)
    let text = Array(state.utf8)
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // Whoever asked and does not listen misses it.
        _ = sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }

  /// Whether standard error goes to its journal, as it says in `JOURNAL_STREAM`: see `systemd.exec(5)`.
  static func keepsStandardError(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Bool {
    guard let parts = environment["JOURNAL_STREAM"]?.split(separator: ":"), parts.count == 2 else {
      return false
    }
    var facts = stat()
    return fstat(STDERR_FILENO, &facts) == 0 && UInt64(parts[0]) == UInt64(facts.st_dev)
      && UInt64(parts[1]) == UInt64(facts.st_ino)
  }
}

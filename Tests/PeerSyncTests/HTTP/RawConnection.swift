import Foundation
import PeerSync

/// A TCP connection to a server on loopback that sends and receives plain bytes, so that a test can be as rude as it
/// likes.
final class RawConnection: @unchecked Sendable {
  struct Closed: Error {}

  private let descriptor: Int32
  private var received: [UInt8] = []

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    // A test that waits for ever tells nobody what it waits for.
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Closed() }
  }

  deinit { close(descriptor) }

  func send(_ text: String) { sends(text) }

  /// - Returns: whether all of it was taken
  @discardableResult
  func sends(_ text: String, flags: Int32 = 0) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Says that nothing more comes.
  func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends a head byte by byte, and the body once the server has told to. All of it on one thread: the server ends a
  /// connection whose client is slow, and where many tests run at once a task may wait for its turn for as long.
  func exchange(bytewise head: String, then body: String) async throws -> (told: String, answer: String) {
    try await onThread {
      for character in head.unicodeScalars { self.send("\(character)") }
      let told = try self.blockingRead(through: "\r\n\r\n")
      self.send(body)
      return (told, self.blockingReadToEnd())
    }
  }

  /// Everything received up to and with a text.
  func read(through text: String) async throws -> String {
    try await onThread { try self.blockingRead(through: text) }
  }

  private func blockingRead(through text: String) throws -> String {
    let wanted = Array(text.utf8)
    while true {
      if let range = received.firstRange(of: wanted) {
        defer { received.removeFirst(range.upperBound) }
        return String(decoding: received[..<range.upperBound], as: UTF8.self)
      }
      try receive()
    }
  }

  /// Whether the server ends the connection, and says nothing before.
  func endsInSilence() async throws -> Bool {
    await onThread {
      var byte: UInt8 = 0
      let count = recv(self.descriptor, &byte, 1, 0)
      return count == 0 || count < 0 && errno != EAGAIN
    }
  }

  /// Everything until the server closes its side.
  func readToEnd() async throws -> String { await onThread { self.blockingReadToEnd() } }

  private func blockingReadToEnd() -> String {
    while (try? receive()) != nil {}
    return String(decoding: received, as: UTF8.self)
  }

  /// Called on one thread at a time.
  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw Closed() }
    received += buffer[..<count]
  }
}

extension RawConnection {
  /// Sends one request on a connection of its own and returns the whole answer.
  static func exchange(
    _ server: HTTPServer, _ method: String = "GET", _ path: String = "/", headers: [String: String] = [:],
    body: String = ""
  ) async throws -> String {
    let connection = try RawConnection(port: server.address.port)
    var fields = ["Host": server.address.description, "Connection": "close"]
    if !body.isEmpty { fields["Content-Length"] = "\(body.utf8.count)" }
    fields.merge(headers) { $1 }
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    connection.send("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)")
    return try await connection.readToEnd()
  }
}

import Foundation
import PeerSync
import PeerSyncControl

// Text over a plain connection, as HTTP has it.
extension RawConnection {
  /// The connection has ended, and what was awaited has not come.
  struct Closed: Error {}

  /// - Parameter port: of 127.0.0.1
  package convenience init(port: UInt16) throws { try self.init(to: "127.0.0.1:\(port)", seconds: 10) }

  package func send(_ text: String) { sends(text) }

  /// - Returns: whether all of it was taken
  @discardableResult package func sends(_ text: String, flags: Int32 = 0) -> Bool {
    send(Array(text.utf8), flags: flags) == text.utf8.count
  }

  /// Sends a head byte by byte, and the body once the server has told to. All of it on one thread: the server ends a
  /// connection whose client is slow, and where many tests run at once a task may wait for its turn for as long.
  package func exchange(bytewise head: String, then body: String) async throws -> (
    told: String, answer: String
  ) {
    try await onThread {
      for character in head.unicodeScalars { self.send("\(character)") }
      let told = try self.blockingRead(through: "\r\n\r\n")
      self.send(body)
      return (told, self.blockingReadToEnd())
    }
  }

  /// Everything received up to and with a text.
  package func read(through text: String) async throws -> String {
    try await onThread { try self.blockingRead(through: text) }
  }

  /// Everything until the server closes its side, or says nothing more for a while.
  package func readTextToEnd() async throws -> String { await onThread { self.blockingReadToEnd() } }

  private func blockingRead(through text: String) throws -> String {
    let wanted = Array(text.utf8)
    while true {
      if let range = rest.firstRange(of: wanted) {
        defer { rest.removeFirst(range.upperBound) }
        return String(decoding: rest[..<range.upperBound], as: UTF8.self)
      }
      guard let bytes = try receive() else { throw Closed() }
      rest += bytes
    }
  }

  private func blockingReadToEnd() -> String {
    while let bytes = try? receive() { rest += bytes }
    return String(decoding: rest, as: UTF8.self)
  }
}

extension RawConnection {
  /// Sends one request on a connection of its own and returns the whole answer.
  package static func exchange(
    _ server: HTTPServer, _ method: String = "GET", _ path: String = "/", headers: [String: String] = [:],
    body: String = ""
  ) async throws -> String {
    let connection = try RawConnection(port: server.address.port)
    var fields = ["Host": server.address.description, "Connection": "close"]
    if !body.isEmpty { fields["Content-Length"] = "\(body.utf8.count)" }
    fields.merge(headers) { $1 }
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    connection.send("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)")
    return try await connection.readTextToEnd()
  }
}

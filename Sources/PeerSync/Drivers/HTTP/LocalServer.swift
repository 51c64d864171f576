import Foundation

/// A server of this machine that is talked to over HTTP: one that is told what happens in a store, or the store itself.
package struct LocalServer: Hashable, Sendable {
  package let address: Address
  /// From the slash on.
  package let path: String

  /// Reads `http://HOST:PORT/PATH` of this machine; nil for anything else.
  package init?(_ url: String) {
    guard url.hasPrefix("http://") else { return nil }
    let rest = url.dropFirst("http://".count)
    let host = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(host.count)
    guard let address = Address(String(host)), (try? Socket.requireLoopback(address)) != nil,
      path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), url.utf8.count <= 2048
    else { return nil }
    self.address = address
    self.path = path.isEmpty ? "/" : String(path)
  }

  /// Sends a request on a connection and a thread of its own.
  ///
  /// - Throws: ``LoopbackConnection/Failure``, ``ResponseParser/Malformed``
  package func send(
    _ method: String, _ path: String, body: [UInt8]? = nil, timeoutSeconds: Double
  ) async throws -> (status: Int, body: [UInt8]) {
    try await onThread { try exchange(method, path, body, timeoutSeconds) }
  }

  private func exchange(
    _ method: String, _ path: String, _ body: [UInt8]?, _ timeoutSeconds: Double
  ) throws -> (status: Int, body: [UInt8]) {
    let connection = try LoopbackConnection(to: address, timeoutSeconds: timeoutSeconds)
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n"
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    try connection.send(Array((head + "\r\n").utf8) + (body ?? []))
    var parser = ResponseParser()
    var answer: [UInt8] = []
    while !parser.isComplete {
      let bytes = try connection.receive()
      if bytes.isEmpty, !parser.mayEnd { throw LoopbackConnection.Failure.broken }
      if bytes.isEmpty { break }
      answer += try parser.take(bytes)
      guard answer.count <= LocalServer.answerBytes else { throw ResponseParser.Malformed() }
    }
    return (parser.status ?? 0, answer)
  }

  /// Longest answer that is taken, in bytes.
  private static let answerBytes = 64 * 1024 * 1024
}

extension LocalServer {
  /// Seconds that a server has to take a notification.
  private static let patience = 10.0

  /// Posts a signed notification.
  ///
  /// - Returns: Apple's `sendAttemptResult`
  func post(_ payload: String) async -> String {
    do {
      let body = Array("{\"signedPayload\":\"\(payload)\"}".utf8)
      let answer = try await send("POST", path, body: body, timeoutSeconds: LocalServer.patience)
      return (200..<300).contains(answer.status) ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    } catch LoopbackConnection.Failure.timedOut {
      return "TIMED_OUT"
    } catch LoopbackConnection.Failure.refused {
      return "NO_RESPONSE"
    } catch is ResponseParser.Malformed {
      return "INVALID_RESPONSE"
    } catch { return "PREMATURE_CLOSE" }
  }
}

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
    let request = LoopbackConnection.request(method, path, to: address, body: body)
    return try await onThread {
      try LoopbackConnection(to: address, timeoutSeconds: timeoutSeconds)
        .exchange(request, limit: LocalServer.answerBytes)
    }
  }

  /// Longest answer that is taken, in bytes.
  private static let answerBytes = 64 * 1024 * 1024
}

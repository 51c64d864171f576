import Foundation
import PeerSync

/// HTTP clients that write what they send once: what they cost must not drown what the server costs.
struct Web: Sendable {
  private let address: Address
  private let token: String

  init(address: Address, token: String) {
    self.address = address
    self.token = token
  }

  /// Purchases a second that so many clients get done in two seconds, each on a thread of its own.
  func rate(clients: Int, buy product: String) async throws -> Double {
    let start = seconds()
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<clients {
        group.addTask { try await onThread { try buy(product, until: start + 2) } }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / (seconds() - start)
  }

  private func buy(_ product: String, until end: Double) throws -> Int {
    let request = Array(purchase(of: product).utf8)
    var count = 0
    while seconds() < end {
      try exchange(request, on: LoopbackConnection(to: address, timeoutSeconds: 10))
      count += 1
    }
    return count
  }

  private func purchase(of product: String) -> String {
    let body = "{\"productId\":\"\(product)\"}"
    return """
      POST /v1/purchases HTTP/1.1\r
      Host: \(address)\r
      Authorization: Bearer \(token)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
  }

  private func exchange(_ request: [UInt8], on connection: LoopbackConnection) throws {
    try connection.send(request)
    var parser = ResponseParser()
    while !parser.isComplete {
      let bytes = try connection.receive()
      guard !bytes.isEmpty else { throw BenchmarkError("the server closed the connection") }
      _ = try parser.take(bytes)
    }
    guard parser.status == 200 else { throw BenchmarkError("the server refused a purchase") }
  }
}

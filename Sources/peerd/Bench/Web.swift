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
    let request = LoopbackConnection.request(
      "POST", "/v1/purchases", to: address, token: token, body: Array("{\"productId\":\"\(product)\"}".utf8))
    var count = 0
    while seconds() < end {
      let answer = try LoopbackConnection(to: address, timeoutSeconds: 10).exchange(request)
      guard answer.status == 200 else {
        throw BenchmarkError("the server refused a purchase", "서버에서 구입을 거절했습니다")
      }
      count += 1
    }
    return count
  }
}

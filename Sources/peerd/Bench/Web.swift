import Foundation
import PeerSync

/// A bare HTTP client over one kept connection: what it costs must not drown what the server costs.
struct Web: Sendable {
  private let address: Address
  private let token: String

  init(url: String, token: String) throws {
    guard let address = Address(String(url.dropFirst("http://".count))) else {
      throw BenchmarkError("no address: \(url)")
    }
    self.address = address
    self.token = token
  }

  func get(_ path: String) throws -> String {
    let connection = try WebConnection(address)
    return try connection.exchange(head("GET", path))
  }

  /// Purchases a second that so many clients get done in two seconds, each on a connection and a thread of its own.
  func rate(clients: Int, buy product: String) async throws -> Double {
    let start = seconds()
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<clients {
        group.addTask {
          try await onThread { try buy(product, until: start + 2) }
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / (seconds() - start)
  }

  private func buy(_ product: String, until end: Double) throws -> Int {
    let connection = try WebConnection(address)
    let body = "{\"productId\":\"\(product)\"}"
    let request = head("POST", "/v1/purchases", bodyBytes: body.utf8.count) + body
    var count = 0
    while seconds() < end {
      _ = try connection.exchange(request)
      count += 1
    }
    return count
  }

  private func head(_ method: String, _ path: String, bodyBytes: Int = 0) -> String {
    let content = bodyBytes > 0 ? "Content-Type: application/json\r\nContent-Length: \(bodyBytes)\r\n" : ""
    return
      "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\nAuthorization: Bearer \(token)\r\n\(content)\r\n"
  }
}

/// Runs blocking work on a thread of its own, away from the few that tasks share.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
  -> Result
{
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
  }
}

private final class WebConnection {
  private let socket: Int32

  init(_ address: Address) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_addr.s_addr = inet_addr(address.host)
    target.sin_port = address.port.bigEndian
    let isConnected = withUnsafePointer(to: &target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw BenchmarkError("no connection to \(address)") }
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(socket) }

  /// Sends a request and returns the body of the answer.
  func exchange(_ request: String) throws -> String {
    let bytes = Array(request.utf8)
    guard write(socket, bytes, bytes.count) == bytes.count else {
      throw BenchmarkError("the connection broke")
    }
    var answer: [UInt8] = []
    while true {
      if let body = try body(of: answer) { return body }
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let count = read(socket, &buffer, buffer.count)
      guard count > 0 else { throw BenchmarkError("the connection broke") }
      answer += buffer[..<count]
    }
  }

  private func body(of answer: [UInt8]) throws -> String? {
    let text = String(decoding: answer, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    guard text.hasPrefix("HTTP/1.1 2") else { throw BenchmarkError("refused: \(text.prefix(200))") }
    let head = text[..<end.lowerBound].lowercased()
    let field = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    let length = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    let body = text[end.upperBound...]
    return body.utf8.count >= length ? String(body) : nil
  }
}

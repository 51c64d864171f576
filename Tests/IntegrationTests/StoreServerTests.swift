import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// The store's App Store Server API against Apple's own library (PyPI `app-store-server-library`). Where it cannot be
/// installed the test says so and passes.
@Suite("Apple's library as a server", .paced, .noHang)
struct StoreServerTests {
  /// What `scripts/store-client.py` prints.
  private struct Findings: Decodable {
    let history: [String]
    let pages: Int
    let descending: [String]
    let consumables: Int
    let revoked: Int
    let info: [JSONValue]
    let order: Int
    let noOrder: Int
    let statuses: [[JSONValue]]
    let winBack: [[String]?]
    let refunds: Int
    let unknown: [Int]
    let invalid: [Int]
    let wrongRevision: [Int]
    let stranger: [JSONValue]
    let test: [JSONValue]
    let told: [String]
    let inside: Int
  }

  @Test(
    "its client reads what the store answers, its verifier accepts what the store signs, and it is told what happens"
  )
  func library() async throws {
    let directory = try TemporaryDirectory()
    guard let python = try await Python.withLibrary(directory) else {
      return print("Apple's library: skipped, for app-store-server-library cannot be installed here")
    }
    let inbox = Inbox()
    let server = try HTTPServer(address: Address(host: "127.0.0.1", port: 0), application: inbox.application)
    let store = try StoreProcess()
    try await store.start(
      options: ["--time-rate", "manual", "--notify", "http://\(server.address)/notifications"])
    let first = try await store.tell("buy", "monthly")
    let id = try #require(first.transactionId)
    // Of another customer: whom the store would win back.
    let other = try await store.tell("buy", "premium", "--account", "gone@example.com")
    let over = try #require(other.transactionId)
    try await store.tell("turn-off", over)
    for _ in 0..<22 { try await store.tell("buy", "RandomOwls") }
    try await store.tell("refund", "RandomOwls")
    try await store.tell("advance", "P1M")
    let findings = try await ask(python, store, about: id, over, directory)
    try expect(findings, id)
    // The renewal and the end are told after 24 purchases, a refund and a turning off; the test comes last.
    await inbox.wait(for: 29)
    #expect(inbox.bodies.allSatisfy { $0.contains("signedPayload") })
    for _ in 0..<200 where try await !store.state().notifications.allSatisfy(\.delivered) {
      await Task.yield()
    }
    #expect(try await store.state().notifications.allSatisfy(\.delivered))
    await onThread { server.stop() }
  }

  private func ask(
    _ python: String, _ store: StoreProcess, about id: String, _ over: String, _ directory: TemporaryDirectory
  ) async throws -> Findings {
    let ready = try #require(store.ready)
    let path = directory.path + "/findings.json"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let output = try #require(FileHandle(forWritingAtPath: path))
    let arguments = [
      Python.root + "/scripts/store-client.py", ready.http, ready.key, ready.keyId, ready.issuerId,
      ready.root,
      "com.example.app", id, over,
    ]
    let status = try await Python.run(python, arguments, output: output)
    try #require(status == 0, "the client has failed")
    return try JSON.decode(Findings.self, from: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  private func expect(_ findings: Findings, _ id: String) throws {
    #expect(findings.history.count == 24 && findings.pages == 2 && findings.history.first == id)
    #expect(findings.descending == findings.history.reversed())
    #expect(findings.consumables == 22 && findings.revoked == 1 && findings.refunds == 1)
    #expect(findings.info == ["monthly", "com.example.app", "USA", 2990, "USD"])
    #expect(findings.order == 1 && findings.noOrder == 1)
    #expect(findings.statuses == [[1, "monthly", 1, "monthly"]])
    #expect(findings.winBack == [["free", "cheap"], nil])
    #expect(findings.unknown == [404, 4_040_010] && findings.invalid == [400, 4_000_006])
    #expect(findings.wrongRevision == [400, 4_000_005] && findings.stranger == [401, .null])
    #expect(findings.test == ["TEST", ["SUCCESS"]])
    #expect(
      findings.told.prefix(3) == ["EXPIRED/VOLUNTARY", "DID_RENEW", "REFUND"]
        && findings.told.last == "SUBSCRIBED/INITIAL_BUY")
    #expect(findings.inside == 28)
  }
}

/// A server of an app: keeps what it is told, and fails once.
private final class Inbox: Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private let received = Received()

  init() { (stream, continuation) = AsyncStream.makeStream() }

  var bodies: [String] { received.bodies }

  var application: HTTPApplication {
    HTTPApplication { request in
      let isFirst = self.received.add(String(decoding: request.body, as: UTF8.self))
      if !isFirst { self.continuation.yield("") }
      return HTTPResponse(status: isFirst ? 500 : 200, contentType: "text/plain", body: .bytes([]))
    }
  }

  /// Waits until so many were taken.
  func wait(for count: Int) async {
    var left = count
    for await _ in stream {
      left -= 1
      if left == 0 { return }
    }
  }

  private final class Received: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [String] = []

    var bodies: [String] { lock.withLock { all } }

    /// - Returns: whether it is the first
    func add(_ body: String) -> Bool {
      lock.withLock {
        all.append(body)
        return all.count == 1
      }
    }
  }
}

import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

@Suite("How servers are told what happens in a sandbox store", .noHang) struct SandboxCourierTests {
  private func server(_ port: Int) throws -> LocalServer {
    try #require(LocalServer("http://127.0.0.1:\(port)/"))
  }

  @Test("a notification that nobody takes is tried again, given up at last, and never delivered")
  func givenUp() throws {
    var courier = SandboxCourier([try server(1)], undelivered: [])
    courier.add(1)
    var now: UInt64 = 0
    var pauses: [UInt64] = []
    while let parcel = courier.next(at: now) {
      let isDelivered = courier.posted(parcel, refused, at: now)
      #expect(!isDelivered)
      guard let due = courier.nextDue else { break }
      pauses.append(due - now)
      #expect(courier.next(at: due - 1) == nil)
      now = due
    }
    #expect(pauses == [1000, 2000, 4000, 8000, 16_000] && pauses.count == Limits.sandboxAttempts - 1)
    for number in 0...UInt64(Limits.sandboxNotifications) { courier.add(number) }
    #expect(courier.next(at: now)?.number == 1, "the oldest makes room")
  }

  private let refused = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"

  /// Lets the next one go, which is to have that number, and says what came of it.
  ///
  /// - Returns: whether every server has taken it then
  private func post(
    _ number: Int, _ courier: inout SandboxCourier, _ result: String, at time: UInt64
  ) throws -> Bool {
    let next = courier.next(at: time)
    let parcel = try #require(next)
    #expect(parcel.number == UInt64(number))
    return courier.posted(parcel, result, at: time)
  }

  @Test("to one server in order: what comes later waits while something is tried again")
  func order() throws {
    var courier = SandboxCourier([try server(1)], undelivered: [])
    for number in 1...3 { courier.add(UInt64(number)) }
    let next = courier.next(at: 0)
    let first = try #require(next)
    #expect(first.number == 1)
    #expect(courier.next(at: 0) == nil, "one at a time")
    var isDelivered = courier.posted(first, "TIMED_OUT", at: 0)
    #expect(!isDelivered)
    #expect(courier.next(at: 999) == nil)
    #expect(courier.nextDue == 1000)
    for number in 1...3 {
      isDelivered = try post(number, &courier, "SUCCESS", at: 1000)
      #expect(isDelivered)
    }
    // What was given up holds nothing up any more.
    for number in 4...5 { courier.add(UInt64(number)) }
    var now: UInt64 = 1000
    for _ in 0..<Limits.sandboxAttempts {
      isDelivered = try post(4, &courier, refused, at: now)
      #expect(!isDelivered)
      now = max(now, courier.nextDue ?? now)
    }
    isDelivered = try post(5, &courier, "SUCCESS", at: now)
    #expect(isDelivered)
  }

  @Test("a dead server holds up no other, and what it refused is not delivered though others took it")
  func others() throws {
    let (dead, live) = (try server(1), try server(2))
    var courier = SandboxCourier([dead, live, live], undelivered: [])
    for number in 1...100 { courier.add(UInt64(number)) }
    let next = courier.next(at: 0)
    let stuck = try #require(next)
    var results: [Bool] = []
    for number in 1...100 { results.append(try post(number, &courier, "SUCCESS", at: 0)) }
    #expect(courier.next(at: 0) == nil, "a server that was named twice is told once")
    results.append(courier.posted(stuck, refused, at: 0))
    var now: UInt64 = 0
    for _ in 1..<Limits.sandboxAttempts {
      now = try #require(courier.nextDue)
      results.append(try post(1, &courier, refused, at: now))
    }
    #expect(!results.contains(true))
    // It is back: the rest is delivered, for the other one has it already.
    let isDelivered = try post(2, &courier, "SUCCESS", at: now)
    #expect(isDelivered)
  }

  @Test("after a restart what was given up is not tried again, what was not is")
  func restart() throws {
    var fixture = try SandboxFixture()
    let results = [Array(repeating: refused, count: Limits.sandboxAttempts), ["SUCCESS"], [refused], []]
    for attempts in results {
      try fixture.buy("owls")
      let number = try #require(fixture.store.notifications.last?.number)
      for result in attempts {
        try fixture.handle(
          .posted(
            notification: number, .init(date: fixture.store.time, result: result),
            isDelivered: result == "SUCCESS"))
      }
    }
    let kept = fixture.store.notifications
    #expect(kept.map(\.isGivenUp) == [true, false, false, false])
    #expect(kept.map(\.hasFailed) == [true, false, true, false])
    var courier = SandboxCourier([try server(1)], undelivered: kept)
    for number in 3...4 {
      let isDelivered = try post(number, &courier, "SUCCESS", at: 0)
      #expect(isDelivered)
    }
    #expect(courier.next(at: 0) == nil)
  }

  // MARK: With real servers

  /// A server of an app: keeps what it is told, and refuses some.
  private final class Inbox: Sendable {
    private let numbers = Guarded<[String]>([])
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    let server: HTTPServer

    /// - Parameter refuses: by how many came before
    init(refusing refuses: @escaping @Sendable (Int) -> Bool) throws {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      (self.stream, self.continuation) = (stream, continuation)
      let numbers = numbers
      server = try HTTPServer(
        address: Address(host: "127.0.0.1", port: 0),
        application: HTTPApplication { request in
          let count = numbers.withLock { all -> Int in
            all.append(String(decoding: request.body, as: UTF8.self))
            return all.count - 1
          }
          continuation.yield()
          return HTTPResponse(
            status: refuses(count) ? 500 : 200, contentType: "text/plain", body: .bytes([]))
        })
    }

    /// What came, once so many have.
    func bodies(_ count: Int) async -> [String] {
      var left = count
      for await _ in stream {
        left -= 1
        if left == 0 { break }
      }
      return numbers.withLock { $0 }
    }
  }

  /// Runs a test's body on a store that tells a server, and stops it after it.
  private func with(
    _ servers: [LocalServer], _ body: (SandboxStoreServer) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let store = try await SandboxStoreServer.selling(in: directory.path, to: servers)
    let result: Result<Void, any Error>
    do { result = .success(try await body(store)) } catch { result = .failure(error) }
    await store.stop()
    try result.get()
  }

  private let owl = SandboxOrder(account: "me", bundleId: "app", productId: "owl")

  @Test("a server that refuses the first hears of it again before it hears of the others")
  func inOrder() async throws {
    let inbox = try Inbox(refusing: { $0 == 0 })
    try await with([try server(Int(inbox.server.address.port))]) { store in
      for _ in 1...3 { _ = try await store.buy(owl) }
      let bodies = await inbox.bodies(4)
      let sent = try await store.read { sandboxStore, lookup in
        sandboxStore.notifications.map { #"{"signedPayload":"\#(lookup.notification($0) ?? "")"}"# }
      }
      #expect(bodies == [sent[0]] + sent)
    }
    await onThread { inbox.server.stop() }
  }

  @Test("onlyFailures finds what was refused at every try, and what is tried still, with every attempt")
  func onlyFailures() async throws {
    try await with([]) { store in
      for _ in 1...4 { _ = try await store.buy(owl) }
      let now = try await store.read { sandboxStore, _ in sandboxStore.time }
      var courier = SandboxCourier([try server(1)], undelivered: [])
      for number in 1...3 { courier.add(UInt64(number)) }
      let first = Array(repeating: (1, refused), count: Limits.sandboxAttempts)
      var time: UInt64 = 0
      for (number, result) in first + [(2, "SUCCESS"), (3, refused)] {
        time = max(time, courier.nextDue ?? time)
        let isDelivered = try post(number, &courier, result, at: time)
        _ = try await store.perform(
          .posted(
            notification: UInt64(number), .init(date: now, result: result), isDelivered: isDelivered))
      }
      let server = try HTTPServer(
        address: Address(host: "127.0.0.1", port: 0),
        application: SandboxAPI(store: store, token: "secret").application)
      let found = try await history(#", "onlyFailures": true"#, store, server)
      // Newest first.
      #expect(found == [[refused], Array(repeating: refused, count: Limits.sandboxAttempts)])
      let all = try await history("", store, server)
      #expect(all.map(\.count) == [0, 1, 1, Limits.sandboxAttempts])
      let state = try await store.state()
      #expect(state.notifications.map(\.failed) == [true, false, false, false])
      #expect(state.notifications.map(\.delivered) == [false, true, false, false])
      await onThread { server.stop() }
    }
  }

  /// The results of the attempts of each notification that the App Store Server API tells of.
  private func history(
    _ filter: String, _ store: SandboxStoreServer, _ server: HTTPServer
  ) async throws -> [[String]] {
    struct Answer: Decodable {
      struct Item: Decodable {
        struct Attempt: Decodable { let sendAttemptResult: String }
        let sendAttempts: [Attempt]
      }
      let notificationHistory: [Item]
    }
    let expires = Int(Date().timeIntervalSince1970) + 600
    let payload = #"{"iss":"\#(ServerKey.issuer)","aud":"appstoreconnect-v1","bid":"app","exp":\#(expires)}"#
    let token = try store.serverKey.sign(
      header: Array(#"{"alg":"ES256","kid":"\#(store.serverKey.id)"}"#.utf8), payload: Array(payload.utf8))
    let text = try await RawConnection.exchange(
      server, "POST", "/inApps/v1/notifications/history",
      headers: [
        "Host": "127.0.0.1:\(server.address.port)", "Content-Type": "application/json",
        "Authorization": "Bearer " + String(decoding: token.text, as: UTF8.self),
      ], body: #"{"startDate": 1, "endDate": 4102444800000\#(filter)}"#)
    let body = try #require(text.split(separator: "\r\n\r\n", maxSplits: 1).last)
    return try JSON.decode(Answer.self, from: Array(body.utf8)).notificationHistory.map {
      $0.sendAttempts.map(\.sendAttemptResult)
    }
  }
}

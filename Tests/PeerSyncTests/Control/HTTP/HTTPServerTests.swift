import Foundation
import PeerSync
import PeerSyncControl
import Testing

@Suite("HTTP server", .noHang)
struct HTTPServerTests {
  private let loopback = Address(host: "127.0.0.1", port: 0)

  private func server(
    bodyLimit: Int = HTTPLimits.bodyBytes,
    refuse: @escaping @Sendable (HTTPHead) -> HTTPResponse? = { _ in nil },
    respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { .text($0.summary) }
  ) throws -> HTTPServer {
    try HTTPServer(
      address: loopback,
      application: HTTPApplication(refuse: refuse, bodyLimit: bodyLimit, respond: respond))
  }

  @Test("a request arrives whole: method, raw path, headers, body; the answer carries safe headers")
  func wholeRequest() async throws {
    let server = try server()
    defer { server.stop() }
    let answer = try await RawConnection.exchange(
      server, "POST", "/a%2Fb/c?d=e", headers: ["X-One": "1"], body: String(repeating: "x", count: 100_000))
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nPOST /a%2Fb/c 1 100000"))
    #expect(answer.contains("Cache-Control: no-store\r\n"))
    #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"))
    #expect(answer.contains("Content-Security-Policy: default-src 'none'\r\n"))
  }

  @Test("a query arrives decoded, in its order, with every value of a name")
  func query() async throws {
    let server = try server(respond: { request in
      let query = request.head.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
      return .text("\(query);\(request.head.parameter("a") ?? "none");\(request.head.parameters("b").count)")
    })
    defer { server.stop() }
    let answer = try await RawConnection.exchange(server, "GET", "/x?b=1&a=%C3%A9+e%2B&b=2&c&d=%ff")
    #expect(answer.hasSuffix("\r\n\r\nb=1|a=é e+|b=2|c=|d=%ff;é e+;2"))
  }

  @Test("a second request that comes along with the first is read by nobody: its head was not looked at")
  func oneRequest() async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try RawConnection(port: server.address.port)
    connection.send("GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n")
    let answer = try await connection.readTextToEnd()
    #expect(answer.contains("200 OK") && answer.contains("Connection: close\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nGET /one  0"))
  }

  @Test(
    "a head that comes byte by byte is read once it is whole, and its client is told to send the body",
    arguments: [1, 2_000])
  func bytewise(padding: Int) async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try RawConnection(port: server.address.port)
    let one = String(repeating: "1", count: padding)
    let head =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n"
      + "X-One: \(one)\r\n\r\n"
    // Fewer bytes than were awaited of the head.
    let (told, answer) = try await connection.exchange(bytewise: head, then: "abc")
    #expect(told == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(answer.hasSuffix("POST / \(one) 3"), "\(answer)")
  }

  @Test("urgent data in a head, which some readers see and others do not, is refused")
  func urgentData() async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try RawConnection(port: server.address.port)
    connection.send("GET / HTTP/1.1\r\nHos")
    connection.sends("!", flags: Int32(MSG_OOB))
    connection.send("t: x\r\n\r\n")
    let answer = try await connection.readTextToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("urgent"))
  }

  @Test("whoever is refused for the head reads the answer, however much is sent behind it, and is not kept")
  func refusedLoudly() async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try RawConnection(port: server.address.port)
    let flood = String(repeating: "x", count: 4 * HTTPLimits.bodyBytes)
    // All of it is taken: a reset might overtake the answer.
    #expect(await onThread { connection.sends("GET / HTTP/1.1\nHost: x\r\n\r\n" + flood) })
    let answer = try await connection.readTextToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.contains("\r\nDate: "))
    #expect(answer.hasSuffix("\"type\":\"about:blank\"}"))
    // It does not end its side: it is ended.
    await onThread { while connection.sends("x") {} }
  }

  @Test("a refusal on the head comes before the body is sent")
  func refusedEarly() async throws {
    let server = try server(refuse: { _ in Problem(.tokenRequired).response })
    defer { server.stop() }
    let connection = try RawConnection(port: server.address.port)
    connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
    let answer = try await connection.read(through: "\"type\":\"about:blank\"}")
    #expect(answer.hasPrefix("HTTP/1.1 401 "))
    #expect(answer.contains("Content-Type: application/problem+json\r\n"))
    #expect(answer.contains("WWW-Authenticate: Bearer\r\n"))
  }

  @Test(
    "a body beyond its limit is refused, and so is one whose length is not announced",
    arguments: [true, false])
  func bodyLimit(isAnnounced: Bool) async throws {
    let server = try server(bodyLimit: 1000)
    defer { server.stop() }
    let body = String(repeating: "x", count: 1001)
    let connection = try RawConnection(port: server.address.port)
    let length = isAnnounced ? "Content-Length: 1001" : "Transfer-Encoding: chunked"
    let sent = isAnnounced ? body : "3e9\r\n\(body)\r\n0\r\n\r\n"
    connection.send("POST / HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n\(sent)")
    let answer = try await connection.read(through: "\"type\":\"about:blank\"}")
    #expect(answer.contains(isAnnounced ? " 413 " : " 411 "))
    #expect(answer.contains("\"code\":\"\(isAnnounced ? "body-too-large" : "length-required")\""))
    let largest = try await RawConnection.exchange(server, "POST", body: String(repeating: "x", count: 1000))
    #expect(largest.contains(" 200 "))
  }

  @Test("a head of 16 KiB passes; one byte more, and twice as much, are refused with a problem")
  func headLimit() async throws {
    let server = try server()
    defer { server.stop() }
    for (bytes, status) in [
      (HTTPLimits.headBytes, "200"), (HTTPLimits.headBytes + 1, "431"), (2 * HTTPLimits.headBytes, "431"),
    ] {
      let start = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: "
      let connection = try RawConnection(port: server.address.port)
      connection.send(start + String(repeating: "x", count: bytes - start.utf8.count - 2) + "\r\n\r\n")
      let answer = try await connection.read(
        through: status == "200" ? "\r\n\r\n" : "\"type\":\"about:blank\"}")
      #expect(answer.contains(" \(status) "))
      #expect(answer.contains("\"code\":\"head-too-large\"") == (status == "431"))
    }
    let larger = try await RawConnection.exchange(
      server, headers: ["X-Long": String(repeating: "x", count: 2 * HTTPLimits.connectionBytes)])
    #expect(larger.hasPrefix("HTTP/1.1 431 ") && larger.contains("\"code\":\"head-too-large\""))
  }

  @Test("garbage harms nobody")
  func garbage() async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try RawConnection(port: server.address.port)
    connection.send("\u{1}\u{2}garbage\r\n\r\n\r\n")
    let halfOpen = try RawConnection(port: server.address.port)
    halfOpen.send("GET / HT")
    #expect(try await RawConnection.exchange(server).contains(" 200 "))
    _ = (connection, halfOpen)
  }

  @Test("32 clients wait at the same time for one thing")
  func concurrentWaiting() async throws {
    let gate = Gate(arrivals: 32)
    let server = try server(respond: { request in
      await gate.arrive()
      return .text(request.summary)
    })
    defer { server.stop() }
    let answers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<32 {
        group.addTask { try await RawConnection.exchange(server) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 32 && answers.allSatisfy { $0.contains(" 200 ") })
  }

  @Test("an event is on the wire as soon as it is made; a client that leaves ends the stream")
  func events() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
    let ended = Gate(arrivals: 2)
    continuation.onTermination = { _ in Task { await ended.arrive() } }
    let server = try server(respond: { _ in
      HTTPResponse(contentType: "text/event-stream", body: .events(events))
    })
    defer { server.stop() }
    do {
      let connection = try RawConnection(port: server.address.port)
      connection.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
      for number in 1...3 {
        continuation.yield(ServerSentEvent(id: "\(number)", name: "changed", data: "{}"))
        _ = try await connection.read(through: "id: \(number)\nevent: changed\ndata: {}\n\n")
      }
    }
    await ended.arrive()
  }

  @Test("stopping takes less than 2 s with open streams, waiting requests and idle connections")
  func stopping() async throws {
    let arrived = Gate(arrivals: 2)
    let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
    let never = AsyncStream<Void>.makeStream()
    let server = try server(respond: { request in
      if request.head.path == "/events" {
        return HTTPResponse(contentType: "text/event-stream", body: .events(events))
      }
      await arrived.arrive()
      for await _ in never.stream {}
      return .text("never")
    })
    let stream = try RawConnection(port: server.address.port)
    stream.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
    continuation.yield(ServerSentEvent(id: "1", name: "changed", data: "{}"))
    _ = try await stream.read(through: "data: {}\n\n")
    let waiting = try RawConnection(port: server.address.port)
    waiting.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
    let idle = try RawConnection(port: server.address.port)
    await arrived.arrive()
    let start = ContinuousClock.now
    await onThread { server.stop() }
    let stopping = ContinuousClock.now - start
    #expect(stopping >= .milliseconds(HTTPLimits.stopMilliseconds))
    let most = HTTPLimits.stopMilliseconds + HTTPLimits.lastWordsMilliseconds
    #expect(stopping < .milliseconds(most + 700) + .slack)
    #expect(try await waiting.readTextToEnd().contains("\"code\":\"stopping\""))
    #expect(try await stream.readTextToEnd().hasSuffix("\r\n0\r\n\r\n"))
    #expect(try await idle.readTextToEnd().isEmpty)
    #expect(throws: (any Error).self) { try RawConnection(port: server.address.port) }
    server.stop()
    _ = (continuation, never)
  }

  @Test("only loopback addresses are served, and a port in use says so")
  func addresses() throws {
    for host in ["0.0.0.0", "192.168.1.1", "::", "example.com", "127.example.com"] {
      let address = Address(host: host, port: 0)
      #expect(throws: HTTPServerError.notLoopback(address)) {
        try HTTPServer(address: address, application: .refusing)
      }
    }
    let first = try HTTPServer(address: Address(host: "::1", port: 0), application: .refusing)
    defer { first.stop() }
    #expect(throws: SocketError.addressInUse(first.address)) {
      try HTTPServer(address: first.address, application: .refusing)
    }
  }
}

/// Lets everybody go on once so many have arrived.
private actor Gate {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(arrivals: Int) { missing = arrivals }

  func arrive() async {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      missing -= 1
      guard missing <= 0 else { return }
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }
}

extension HTTPApplication {
  fileprivate static let refusing = HTTPApplication { _ in .refused(Problem(.notFound).response) }
}

extension HTTPResponse {
  fileprivate static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(contentType: "text/plain", body: .bytes(Array(text.utf8)))
  }
}

extension HTTPRequest {
  fileprivate var summary: String {
    "\(head.method) \(head.path) \(head.headers["x-one"] ?? "") \(body.count)"
  }
}

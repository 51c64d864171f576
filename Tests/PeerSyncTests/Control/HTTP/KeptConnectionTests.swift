import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// Connections on which more than one request comes: each is looked at as the first was.
@Suite("Kept connections of the control API", .noHang)
struct KeptConnectionTests {
  /// The paths that were asked for.
  private let asked = Guarded<[String]>([])

  private func server(
    bodyMilliseconds: UInt64 = HTTPLimits.bodyMilliseconds,
    respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { .plain("\($0.body.count)") }
  ) throws -> HTTPServer {
    try HTTPServer(
      address: Address(host: "127.0.0.1", port: 0),
      application: HTTPApplication(
        refuse: { $0.path == "/refused" ? Problem(.notFound).response : nil },
        respond: { [asked] request in
          asked.withLock { $0.append(request.head.path) }
          return await respond(request)
        }),
      // Who is let go here is so for another reason than that the machine is slow; who is not, keeps the test beyond its limit.
      idleSeconds: 7200, bodyMilliseconds: bodyMilliseconds)
  }

  private func connection(_ server: HTTPServer) throws -> RawConnection {
    try RawConnection(port: server.address.port)
  }

  @Test("requests follow on one connection, whole or byte by byte, and each gets its answer")
  func follow() async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try connection(server)
    for size in [0, 3, 60_000, 1, 0] {
      connection.send(.request("/\(size)", size: size))
      let answer = try await connection.read(through: "\r\n\r\n\(size)")
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && !answer.contains("Connection: close"))
    }
    let (told, answer) = try await connection.exchange(
      bytewise: .request("/slow", "Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n"),
      then: "ab")
    #expect(told == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n2"))
    #expect(asked.withLock { $0 } == ["/0", "/3", "/60000", "/1", "/0", "/slow"])
  }

  @Test(
    "what a first head is refused for, a later one is refused for as well, once, and the connection ends",
    arguments: [
      ("GET /x HTTP/1.1\nHost: x\r\n\r\n", 400),
      ("GET /x HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\n\r\n", 400),
      ("GET /x HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
      ("\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
      ("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
      ("GET /x HTTP/1.1\r\nX: " + String(repeating: "x", count: HTTPLimits.headBytes) + "\r\n\r\n", 431),
    ])
  func laterHeads(bytes: String, status: Int) async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try connection(server)
    connection.send(.request("/first"))
    _ = try await connection.read(through: "\r\n\r\n0")
    connection.send(bytes + .request("/hidden"))
    let answer = try await connection.readTextToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.hasSuffix("\"type\":\"about:blank\"}"))
    #expect(asked.withLock { $0 } == ["/first"])
  }

  @Test("urgent data in a later head is refused")
  func urgentData() async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try connection(server)
    connection.send(.request("/first"))
    _ = try await connection.read(through: "\r\n\r\n0")
    connection.send("GET / HTTP/1.1\r\nHos")
    connection.sends("!", flags: Int32(MSG_OOB))
    connection.send("t: x\r\n\r\n")
    #expect(try await connection.readTextToEnd().hasPrefix("HTTP/1.1 400 "))
  }

  /// The library may have read it, and nobody else has.
  @Test(
    "whatever comes along with a later request, or with its body, is read by nobody",
    arguments: [0, 5])
  func along(size: Int) async throws {
    let server = try server()
    defer { server.stop() }
    let connection = try connection(server)
    connection.send(.request("/first"))
    _ = try await connection.read(through: "\r\n\r\n0")
    connection.send(.request("/second", size: size) + "GET /hidden HTTP/1.1\nHost: x\n\n")
    let answer = try await connection.readTextToEnd()
    #expect(answer.contains("\r\nConnection: close\r\n") && answer.hasSuffix("\r\n\r\n\(size)"))
    #expect(asked.withLock { $0 } == ["/first", "/second"])
  }

  @Test("the connection ends with the answer where client or server say so, or the answer is large")
  func last() async throws {
    let server = try server(respond: { request in
      .plain(String(repeating: "x", count: request.head.path == "/large" ? HTTPLimits.keptBytes + 1 : 1))
    })
    defer { server.stop() }
    for request: String in [
      .request("/x", "Connection: close\r\n"), .request("/x", "Connection: x, Close\r\n"),
      .request("/x", version: "1.0"), .request("/x", "Connection: keep-alive\r\n", version: "1.0"),
      .request("/refused"), .request("/large"),
    ] {
      let connection = try connection(server)
      connection.send(.request("/x", "Connection: Keep-Alive\r\n"))
      _ = try await connection.read(through: "\r\n\r\nx")
      connection.send(request)
      let answer = try await connection.read(through: "\r\n\r\n")
      #expect(answer.contains("\r\nConnection: close\r\n"), "\(request)")
      _ = try await connection.readTextToEnd()
    }
  }

  @Test("a client that ends its side after an answer, or within the next head, is let go in silence")
  func ending() async throws {
    let server = try server()
    defer { server.stop() }
    for beginning in ["", "GET / HT"] {
      let connection = try connection(server)
      connection.send(.request("/x"))
      _ = try await connection.read(through: "\r\n\r\n0")
      connection.send(beginning)
      connection.finishWriting()
      #expect(try await connection.endsInSilence())
    }
  }

  @Test("clients that keep connections and ask nothing keep nobody out: who was answered longest ago goes")
  func crowd() async throws {
    let server = try server()
    defer { server.stop() }
    var crowd: [RawConnection] = []
    for _ in 0..<server.mostConnections {
      crowd.append(try connection(server))
      crowd[crowd.count - 1].send(.request("/x"))
      _ = try await crowd[crowd.count - 1].read(through: "\r\n\r\n0")
    }
    // The first to come is not the one that was answered longest ago any more.
    crowd[0].send(.request("/again"))
    _ = try await crowd[0].read(through: "\r\n\r\n0")
    for gone in 1...3 {
      let newcomer = try connection(server)
      newcomer.send(.request("/new"))
      _ = try await newcomer.read(through: "\r\n\r\n0")
      #expect(try await crowd[gone].endsInSilence())
      crowd.append(newcomer)
    }
    crowd[0].send(.request("/still"))
    #expect(try await crowd[0].read(through: "\r\n\r\n0").contains(" 200 "))
  }

  @Test("bodies that do not come keep nobody out")
  func slowBodies() async throws {
    let server = try server(bodyMilliseconds: 7_200_000)
    defer { server.stop() }
    var crowd: [RawConnection] = []
    for _ in 0..<(2 * server.mostConnections) {
      crowd.append(try connection(server))
      crowd[crowd.count - 1].send("PUT /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
    }
    let newcomer = try connection(server)
    newcomer.send(.request("/new"))
    #expect(try await newcomer.read(through: "\r\n\r\n0").contains(" 200 "))
    // The first of them was one that gave way.
    #expect(try await crowd[0].endsInSilence())
  }

  @Test("streams of events keep nobody out: where they have all places, the first to begin goes")
  func streams() async throws {
    let open = Guarded<[AsyncStream<ServerSentEvent>.Continuation]>([])
    let server = try server { request in
      guard request.head.path == "/events" else { return .plain("0") }
      let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
      open.withLock { $0.append(continuation) }
      return HTTPResponse(contentType: "text/event-stream", body: .events(events))
    }
    defer { server.stop() }
    var crowd: [RawConnection] = []
    for _ in 0..<server.mostConnections {
      crowd.append(try connection(server))
      crowd[crowd.count - 1].send(.request("/events"))
      _ = try await crowd[crowd.count - 1].read(through: "\r\n\r\n")
    }
    for gone in 0..<2 {
      let newcomer = try connection(server)
      newcomer.send(.request("/new"))
      _ = try await newcomer.read(through: "\r\n\r\n0")
      // Until then it may have shown that it lives.
      #expect(try await crowd[gone].ends())
      newcomer.send(.request("/events"))
      _ = try await newcomer.read(through: "\r\n\r\n")
      crowd.append(newcomer)
    }
  }

  @Test("a server that stops ends the connections that wait for a request")
  func stopping() async throws {
    let server = try server()
    let connection = try connection(server)
    connection.send(.request("/x"))
    _ = try await connection.read(through: "\r\n\r\n0")
    await onThread { server.stop() }
    #expect(try await connection.endsInSilence())
  }
}

extension String {
  fileprivate static func request(
    _ path: String, _ lines: String = "", size: Int = 0, version: String = "1.1"
  ) -> String {
    let length = size == 0 ? "" : "Content-Length: \(size)\r\n"
    return "\(size == 0 ? "GET" : "PUT") \(path) HTTP/\(version)\r\nHost: x\r\n\(length)\(lines)\r\n"
      + String(repeating: "b", count: size)
  }
}

extension HTTPResponse {
  fileprivate static func plain(_ text: String) -> HTTPResponse {
    HTTPResponse(contentType: "text/plain", body: .bytes(Array(text.utf8)))
  }
}

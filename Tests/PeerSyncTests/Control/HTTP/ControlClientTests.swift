import Foundation
import PeerSync
import PeerSyncControl
import Testing

@Suite("Control client", .noHang)
struct ControlClientTests {
  /// A data directory with an `api.json` that names the server.
  private final class Fixture {
    private let root: TemporaryDirectory
    let server: HTTPServer

    var directory: String { root.path }

    init(token: String = "t", respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) throws {
      root = try TemporaryDirectory()
      let policy = AccessPolicy(token: "t")
      server = try HTTPServer(
        address: Address(host: "127.0.0.1", port: 0),
        application: HTTPApplication(
          refuse: { policy.refusal(of: $0, isOpen: false)?.response }, bodyLimit: 1000, respond: respond))
      try DataDirectory(directory).createDatabase()
      try HeldDirectory(directory).write(ControlFile(url: "http://\(server.address)", token: token))
    }

    deinit { server.stop() }
  }

  private static let echo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
    HTTPResponse(contentType: "application/json", body: .bytes(request.body))
  }

  @Test("a body goes there and back, with the token; api.json is its owner's alone")
  func roundTrip() async throws {
    let fixture = try Fixture(respond: ControlClientTests.echo)
    let client = try ControlClient(directory: fixture.directory)
    let value: JSONValue = ["a": [1, true, .null, "é"]]
    #expect(try await client.send("POST", "/", body: value, as: JSONValue.self) == value)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: DataDirectory(fixture.directory).control)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("no api.json, nobody at its address, somebody else there, or one that stops: no daemon is running")
  func noDaemon() async throws {
    expectNoDaemon { _ = try ControlClient(directory: "/nonexistent") }
    let stale = try Fixture(respond: ControlClientTests.echo)
    stale.server.stop()
    let client = try ControlClient(directory: stale.directory)
    await expectNoDaemon { _ = try await client.send("GET", "/") }
    let other = try Fixture(token: "another", respond: ControlClientTests.echo)
    let stranger = try ControlClient(directory: other.directory)
    await expectNoDaemon { _ = try await stranger.send("GET", "/") }
    let stopping = try Fixture { _ in Problem(.stopping).response }
    let late = try ControlClient(directory: stopping.directory)
    await expectNoDaemon { _ = try await late.send("GET", "/") }
    await expectNoDaemon { for try await _ in try late.events() {} }
  }

  @Test("a problem arrives as a problem, an answer too late as a time-out, nonsense as unreadable")
  func failures() async throws {
    let fixture = try Fixture { request in
      switch request.head.path {
      case "/problem": return Problem(.unknownProduct, .same("no")).response
      case "/late":
        for await _ in AsyncStream<Void>.makeStream().stream {}
        return Problem(.failed).response
      default: return HTTPResponse(contentType: "text/plain", body: .bytes([0x21]))
      }
    }
    let client = try ControlClient(directory: fixture.directory)
    await #expect {
      try await client.send("GET", "/problem")
    } throws: {
      guard case ControlError.problem(let problem) = $0 else { return false }
      return problem == Problem(.unknownProduct, .same("no"))
    }
    await #expect {
      try await client.send("GET", "/late", timeoutSeconds: 0.2)
    } throws: {
      guard case ControlError.timedOut = $0 else { return false }
      return true
    }
    await #expect {
      try await client.send("GET", "/nonsense", as: JSONValue.self)
    } throws: {
      guard case ControlError.unreadable = $0 else { return false }
      return true
    }
  }

  @Test(
    "an answer that breaks off comes from no daemon",
    arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 200", ""])
  func brokenAnswer(answer: String) async throws {
    let fixture = try Fixture(respond: ControlClientTests.echo)
    let loop = EventLoop()
    let listener = try Listener(
      on: Address(host: "127.0.0.1", port: 0), loop: loop,
      accepted: { socket, _ in
        _ = Array(answer.utf8).withUnsafeBytes { socket.write($0) }
        socket.finishWriting()
      }, exhausted: {})
    defer { loop.queue.sync { listener.close() } }
    try HeldDirectory(fixture.directory).write(ControlFile(url: "http://\(listener.address)", token: "t"))
    let client = try ControlClient(directory: fixture.directory)
    await expectNoDaemon { _ = try await client.send("GET", "/") }
    await expectNoDaemon { for try await _ in try client.events() {} }
  }

  @Test(
    "a daemon that takes nothing, or answers nothing, is not waited for without end",
    arguments: [0, 16_000_000])
  func silence(bodyBytes: Int) async throws {
    let fixture = try Fixture(respond: ControlClientTests.echo)
    // The system completes the connection; nobody reads from it.
    let silent = try Socket.listening(on: Address(host: "127.0.0.1", port: 0))
    let address = try #require(silent.localAddress)
    try HeldDirectory(fixture.directory).write(ControlFile(url: "http://\(address)", token: "t"))
    let client = try ControlClient(directory: fixture.directory)
    let body = [UInt8](repeating: 0x20, count: bodyBytes)
    await #expect {
      _ = try await client.send("POST", "/", body: body, timeoutSeconds: 0.2)
    } throws: {
      guard case ControlError.timedOut = $0 else { return false }
      return true
    }
  }

  @Test("the directory of a device is not taken for that of a store, nor the other way round")
  func confused() throws {
    let fixture = try Fixture(respond: ControlClientTests.echo)
    #expect {
      _ = try ControlClient(directory: fixture.directory, isStore: true)
    } throws: {
      guard case ControlError.noStore = $0 else { return false }
      return true
    }
    let directory = DataDirectory(fixture.directory)
    try FileManager.default.moveItem(atPath: directory.database, toPath: directory.sandboxDatabase)
    _ = try ControlClient(directory: fixture.directory, isStore: true)
    expectNoDaemon { _ = try ControlClient(directory: fixture.directory) }
  }

  @Test("a daemon whose database was taken away answers all the same")
  func withoutDatabase() async throws {
    let fixture = try Fixture(respond: ControlClientTests.echo)
    #expect(try !ControlClient(directory: fixture.directory).isWithoutDatabase)
    try FileManager.default.removeItem(atPath: DataDirectory(fixture.directory).database)
    let client = try ControlClient(directory: fixture.directory)
    #expect(client.isWithoutDatabase)
    #expect(try await client.send("POST", "/", body: JSONValue.null, as: JSONValue.self) == .null)
    fixture.server.stop()
    await expectNoDaemon { _ = try await client.send("GET", "/") }
  }

  @Test("events arrive one by one, and the end of the daemon ends the stream")
  func events() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
    let fixture = try Fixture { _ in HTTPResponse(contentType: "text/event-stream", body: .events(events)) }
    let client = try ControlClient(directory: fixture.directory)
    var iterator = try client.events().makeAsyncIterator()
    for number in 1...3 {
      continuation.yield(ServerSentEvent(id: "\(number)", name: "changed", data: "{\"n\":\(number)}"))
      let event = try await iterator.next()
      #expect(event?.id == "\(number)" && event?.data == "{\"n\":\(number)}")
    }
    fixture.server.stop()
    await #expect(throws: ControlError.self) { try await iterator.next() }
  }

  @Test("a response is put together from any pieces, however it is framed")
  func responses() throws {
    let texts = [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\n\r\n",
    ]
    for text in texts {
      for size in 1...text.utf8.count {
        var parser = ResponseParser()
        var body: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
          body += try parser.take(Array(rest.prefix(size)))
          rest = rest.dropFirst(size)
        }
        #expect(String(decoding: body, as: UTF8.self) == "hello" && parser.status == 200 && parser.mayEnd)
      }
    }
  }

  @Test("what is not HTTP is refused, and takes no memory on its word")
  func malformedResponses() {
    for text in [
      "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", String(repeating: "x", count: 100_000),
      "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    ] {
      var parser = ResponseParser()
      #expect(throws: ResponseParser.Malformed.self) { try parser.take(Array(text.utf8)) }
    }
    var parser = ResponseParser()
    let huge = "HTTP/1.1 200\r\nContent-Length: 9223372036854775807\r\n\r\nx"
    #expect(throws: Never.self) { try parser.take(Array(huge.utf8)) }
    #expect(!parser.isComplete && !parser.mayEnd)
  }

  @Test("a stream is put together from any pieces")
  func parser() {
    let text = ": comment\n\nid: 1\nevent: a\ndata: {}\n\nid:2\ndata:x: y\n\n"
    for size in 1...text.utf8.count {
      var parser = EventParser()
      var events: [ServerSentEvent] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        events += parser.take(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(events.map(\.id) == ["1", "2"] && events.map(\.name) == ["a", "message"])
      #expect(events.map(\.data) == ["{}", "x: y"])
    }
  }

  private func expectNoDaemon(_ body: () async throws -> Void) async {
    await #expect {
      try await body()
    } throws: {
      guard case ControlError.noDaemon = $0 else { return false }
      return true
    }
  }

  private func expectNoDaemon(_ body: () throws -> Void) {
    #expect {
      try body()
    } throws: {
      guard case ControlError.noDaemon = $0 else { return false }
      return true
    }
  }
}

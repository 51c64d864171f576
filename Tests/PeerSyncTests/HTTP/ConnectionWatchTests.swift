import Foundation
import PeerSync
import Testing

/// Clients that keep connections without saying what they want.
@Suite("Slow clients of the control API", .noHang)
struct ConnectionWatchTests {
  /// All connections are taken: whoever has a request gets one all the same.
  @Test(
    "a crowd of clients that say nothing or never end keeps nobody out",
    arguments: ["", "GET / HTTP/1.1\r\nHost: "])
  func crowd(beginning: String) async throws {
    try await ControlFixture.with { (fixture) async throws in
      let crowd = try (0..<(2 * HTTPLimits.connections)).map { _ in
        try RawConnection(port: fixture.server.address.port)
      }
      for connection in crowd { connection.send(beginning) }
      // On a busy machine room is made a moment later than it is wanted: whoever tries again gets in.
      var answer: StatusAnswer?
      for _ in 0..<50 where answer == nil { answer = try? await fixture.client.send("GET", "/v1/status") }
      #expect(answer?.online == true)
      // The first to come was the first to go; the last still has its place.
      #expect(try await crowd[0].readToEnd().isEmpty)
      let last = try #require(crowd.last)
      last.send(beginning.isEmpty ? "GET / HTTP/1.1\r\nHost: x\r\n\r\n" : "x\r\n\r\n")
      #expect(try await last.read(through: "\r\n").contains(" 403 "))
    }
  }
}

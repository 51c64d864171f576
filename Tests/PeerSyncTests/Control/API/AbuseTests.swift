import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// Rude requests over plain sockets: none gets through, none changes anything, and the next good one is answered.
@Suite("Abuse of the control API", .noHang)
struct AbuseTests {
  @Test("each is refused or cut off, changes nothing, and harms nobody")
  func everyCase() async throws {
    #expect(AbuseCase.all.count >= 40 && Set(AbuseCase.all.map(\.name)).count == AbuseCase.all.count)
    try await ControlFixture.with { (fixture) async throws in
      let token = try DataDirectory(fixture.directory).readControlFile().token
      let digest = try await fixture.daemon.status().digest
      for abuse in AbuseCase.all {
        let statuses = try await statuses(of: abuse, fixture, token)
        #expect(abuse.outcomes.contains(statuses), "\(abuse.name): \(statuses)")
        let after: StatusAnswer = try await fixture.client.send("GET", "/v1/status")
        #expect(after.digest == digest, "\(abuse.name) changed something")
      }
    }
  }

  @Test("the body of an import may be long, and is refused beyond its limit before it is sent")
  func importBytes() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let token = try DataDirectory(fixture.directory).readControlFile().token
      func statuses(_ path: String, announcing length: Int, thenEnding: Bool = false) async throws -> [Int] {
        let text =
          "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
        return try await self.statuses(
          of: AbuseCase("", text, []), fixture, token, thenEnding: thenEnding)
      }
      for (path, most) in [
        ("/v1/import", HTTPLimits.importBytes), ("/v1/transactions", HTTPLimits.bodyBytes),
      ] {
        // It is waited for, and then does not come.
        let waitedFor = try await statuses(path, announcing: most, thenEnding: true)
        #expect(waitedFor != [413], "\(path)")
        // The library may end a connection without an answer whose client has ended it.
        let refused = try await statuses(path, announcing: most + 1)
        #expect(refused == [413], "\(path)")
      }
    }
  }

  /// The statuses of everything that is answered until the server ends the connection.
  private func statuses(
    of abuse: AbuseCase, _ fixture: ControlFixture, _ token: String, thenEnding: Bool = true
  ) async throws -> [Int] {
    let connection = try RawConnection(port: fixture.server.address.port)
    let text = abuse.bytes.replacing("PORT", with: "\(fixture.server.address.port)")
      .replacing("TOKEN", with: token)
    await onThread { connection.send(text) }
    if thenEnding { connection.finishWriting() }
    let answer = try await connection.readTextToEnd()
    let statuses = answer.matches(of: #/HTTP/1\.[01] (\d{3}) /#).compactMap { Int($0.1) }
    let refused = statuses.count { $0 >= 400 }
    let problems = answer.matches(of: #/Content-Type: application\/problem\+json\r\n/#).count
    // Those to HEAD have no body.
    let codes = answer.matches(of: #/"code":"[a-z-]+"/#).count
    #expect(problems == refused && (codes == refused || text.hasPrefix("HEAD ")), "\(abuse.name): \(answer)")
    return statuses
  }
}

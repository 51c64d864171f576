import PeerSync
import PeerSyncControl

/// `peerd set-expiration`: writes a line's explicit date.
enum SetExpirationCommand {
  static func run(_ line: String, _ date: Instant?, _ client: ControlClient, _ console: Console) async throws
  {
    let path = "/v1/lines/\(line.asPathPart)/expiration"
    let answer: ExpirationAnswer = try await client.send("PUT", path, body: ExpirationBody(expires: date))
    try console.print(answer) {
      let end = answer.expires == nil ? "has no cover" : "expires \(console.date(answer.expires))"
      return "\(answer.line) \(end); purchases not among the \(answer.covers.count) known here count on top\n"
    }
  }
}

enum GrantCommand {
  static func run(
    _ entitlement: String, _ until: Instant?, _ client: ControlClient, _ console: Console
  ) async throws {
    let path = "/v1/grants/\(entitlement.asPathPart)"
    let answer: GrantAnswer = try await client.send("PUT", path, body: GrantBody(until: until))
    try console.print(answer) {
      "granted \(answer.entitlement)"
        + (answer.until == nil ? "\n" : " until \(console.date(answer.until))\n")
    }
  }
}

enum RevokeCommand {
  static func run(_ entitlement: String, _ client: ControlClient, _ console: Console) async throws {
    let answer: GrantAnswer = try await client.send("DELETE", "/v1/grants/\(entitlement.asPathPart)")
    try console.print(answer) { "took back every grant of \(answer.entitlement)\n" }
  }
}

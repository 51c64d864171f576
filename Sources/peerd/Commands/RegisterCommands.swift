import PeerSync
import PeerSyncControl

/// `peerd set-expiration`: writes a line's explicit date.
enum SetExpirationCommand {
  static func run(_ line: String, _ date: Instant?, _ client: ControlClient, _ console: Console) async throws
  {
    let path = "/v1/lines/\(line.asPathPart)/expiration"
    let answer: ExpirationAnswer = try await client.send("PUT", path, body: ExpirationBody(expires: date))
    let note = try await client.noteOfRemoved(console)
    try console.print(answer) {
      let date = answer.expires.map { console.date($0) }
      return console.words(.dated(answer.line, date, covers: answer.covers.count)) + "\n" + note
    }
  }
}

enum GrantCommand {
  static func run(
    _ entitlement: String, _ until: Instant?, _ client: ControlClient, _ console: Console
  ) async throws {
    let path = "/v1/grants/\(entitlement.asPathPart)"
    let answer: GrantAnswer = try await client.send("PUT", path, body: GrantBody(until: until))
    guard !console.json else { return try console.print(answer) { "" } }
    let time: TimeBoundsAnswer = try await client.send("GET", "/v1/time")
    let isOver = answer.until.map { $0 <= time.now } ?? false
    let date = answer.until.map { console.date($0) }
    let catalogue: ProductsAnswer = try await client.send("GET", "/v1/products")
    let note = catalogue.names(answer.entitlement) ? "" : console.words(.namedByNoProduct) + "\n"
    let line = console.words(.granted(answer.entitlement, until: date, isOver: isOver))
    try console.print(text: line + "\n" + note + (try await client.noteOfRemoved(console)))
  }
}

extension ProductsAnswer {
  /// Whether some product gives an entitlement, for some date.
  fileprivate func names(_ entitlement: String) -> Bool {
    let given = products.flatMap { $0.entitlements + $0.entries.flatMap(\.entitlements) }
    return given.contains { Name($0) == Name(entitlement) }
  }
}

enum RevokeCommand {
  static func run(_ entitlement: String, _ client: ControlClient, _ console: Console) async throws {
    let answer: GrantAnswer = try await client.send("DELETE", "/v1/grants/\(entitlement.asPathPart)")
    let note = try await client.noteOfRemoved(console)
    try console.print(answer) { console.words(.revoked(answer.entitlement)) + "\n" + note }
  }
}

extension ControlClient {
  /// What to say of something that was decided on a device that has left its group, or was removed; nothing on others, and to programs.
  func noteOfRemoved(_ console: Console) async throws -> String {
    guard !console.json else { return "" }
    let group: DevicesAnswer = try await send("GET", "/v1/devices")
    return group.devices.contains(where: \.isSelf) ? "" : console.words(.countsHereRemoved) + "\n"
  }
}

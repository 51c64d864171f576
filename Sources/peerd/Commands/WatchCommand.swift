import PeerSync
import PeerSyncControl

/// `peerd watch`: prints what happens as it happens.
enum WatchCommand {
  /// Until interrupted, or the daemon goes away.
  static func run(_ client: ControlClient, _ console: Console) async throws {
    var warnings = KoreanWarnings()
    for try await event in try client.events() {
      guard !console.json else {
        try console.print(document: event.data)
        continue
      }
      guard let line = try await line(event, &warnings, client, console) else { continue }
      try console.print(text: line)
    }
  }

  /// Nil for what only a later version tells.
  private static func line(
    _ event: ServerSentEvent, _ warnings: inout KoreanWarnings, _ client: ControlClient, _ console: Console
  ) async throws -> String? {
    let data = Array(event.data.utf8)
    if event.name == "ready" || event.name == "reset" {
      if console.language == .korean { try await warnings.learn(client) }
      return console.line(try client.decode(PositionAnswer.self, data))
    }
    guard EventAnswer.Kind(rawValue: event.name) != nil else { return nil }
    var happened = try client.decode(EventAnswer.self, data)
    if happened.type == .warning, console.language == .korean {
      happened.text = try await warnings.text(of: happened, client)
    }
    // Only this names products by their ids alone.
    let names = happened.type == .subscription ? try await ProductNames(client) : ProductNames()
    return console.line(happened, names: names)
  }
}

/// What warnings are in Korean, by their English texts: an event has that alone, and the status both.
private struct KoreanWarnings {
  private var texts: [String: String] = [:]

  /// Those that are over are remembered from when they began.
  mutating func text(of event: EventAnswer, _ client: ControlClient) async throws -> String? {
    guard let text = event.text else { return nil }
    if texts[text] == nil { try await learn(client) }
    return texts[text] ?? text
  }

  mutating func learn(_ client: ControlClient) async throws {
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    for warning in status.told { texts[warning.text(in: .english)] = warning.text(in: .korean) }
  }
}

import PeerSync
import PeerSyncControl

/// `peerd watch`: prints what happens as it happens.
enum WatchCommand {
  /// Until interrupted, or the daemon goes away.
  static func run(_ client: ControlClient, _ console: Console) async throws {
    for try await event in try client.events() {
      guard !console.json else {
        try console.print(document: event.data)
        continue
      }
      guard let line = try line(event, client, console) else { continue }
      try console.print(text: line)
    }
  }

  /// Nil for what only a later version tells.
  private static func line(
    _ event: ServerSentEvent, _ client: ControlClient, _ console: Console
  ) throws -> String? {
    let data = Array(event.data.utf8)
    if event.name == "ready" || event.name == "reset" {
      return console.line(try client.decode(PositionAnswer.self, data))
    }
    guard EventAnswer.Kind(rawValue: event.name) != nil else { return nil }
    return console.line(try client.decode(EventAnswer.self, data))
  }
}

import PeerSync
import PeerSyncControl

/// `peerd watch`: prints changes as they happen.
enum WatchCommand {
  /// Until interrupted, or the daemon goes away.
  static func run(_ client: ControlClient, _ console: Console) async throws {
    var known: Set<SubscriptionAnswer> = []
    for try await event in try client.events() where event.name == "changed" {
      guard !console.json else {
        try console.print(line: event.data)
        continue
      }
      let change = try client.decode(ChangeAnswer.self, Array(event.data.utf8))
      // What has become of a subscription takes more than a word.
      let news = change.status.subscriptions.filter { !known.contains($0) }
      known = Set(change.status.subscriptions)
      try console.write(Array(Console.harmless(text(change, console) + console.sentences(news)).utf8))
    }
  }

  private static func text(_ change: ChangeAnswer, _ console: Console) -> String {
    let status = change.status
    let entitlements = status.entitlements.map { entitlement in
      "\(entitlement.id) \(console.style.active(entitlement.active))"
        + (entitlement.expires == nil ? "" : " to \(console.date(entitlement.expires))")
    }
    let subscriptions = status.subscriptions.map { "\($0.productId) \($0.state)" }
    let connected = status.peers.count { $0.connected }
    let others = ["peers \(connected)/\(status.peers.count)", "digest \(status.digest.prefix(8))"]
    let facts = entitlements + subscriptions + others
    let names = console.style.bold(change.changed.joined(separator: ", "))
    return "\(console.date(status.time.now))  \(names): \(facts.joined(separator: "; "))\n"
  }
}

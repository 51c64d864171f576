import PeerSync
import PeerSyncControl

/// `peerd status`: shows how things stand.
enum StatusCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    try console.print(status) { text(status, console) }
  }

  static func text(_ status: StatusAnswer, _ console: Console) -> String {
    let style = console.style
    let network = status.online ? style.good("online") : style.bad("offline")
    let listen = status.listen.map { ", listening on \($0)" } ?? ""
    return """
      \(style.bold(Table.harmless(status.device.name)))  \(network)\(listen)
      environment \(status.device.environment), app \(Table.harmless(status.device.bundleId)), group of \(status.group.members)
      digest \(status.digest)
      \(console.time(status.time))

      """ + entitlements(status, console) + lines(status, console) + subscriptions(status, console)
        + credits(status, console) + purchased(status, console) + peers(status, console)
        + status.warnings.map { style.bad("warning:") + " \($0)\n" }.joined()
  }

  private static func entitlements(_ status: StatusAnswer, _ console: Console) -> String {
    var table = console.table("ENTITLEMENT", "STATE", "EXPIRES", "BECAUSE")
    for entitlement in status.entitlements {
      table.add([
        entitlement.id, console.style.active(entitlement.active), console.date(entitlement.expires),
        entitlement.because,
      ])
    }
    return console.section("Entitlements", table, isEmpty: status.entitlements.isEmpty)
  }

  private static func lines(_ status: StatusAnswer, _ console: Console) -> String {
    var table = console.table("LINE", "STATE", "DAYS LEFT", "EXPIRES", "RUNS")
    for line in status.lines {
      table.add([
        line.id, console.style.active(line.active), "\(line.daysRemaining)", console.date(line.expires),
        "\(line.runs.count)",
      ])
    }
    return console.section("Lines", table, isEmpty: status.lines.isEmpty)
  }

  private static func subscriptions(_ status: StatusAnswer, _ console: Console) -> String {
    var table = console.table("SUBSCRIPTION", "PRODUCT", "STATE", "ACCESS UNTIL", "RENEWS")
    for subscription in status.subscriptions {
      table.add([
        subscription.originalTransactionId, subscription.productId, subscription.state,
        console.date(subscription.accessUntil),
        subscription.willRenew.map { $0 ? "yes" : "no" } ?? "unknown",
      ])
    }
    return console.section("Subscriptions", table, isEmpty: status.subscriptions.isEmpty)
      + console.sentences(status.subscriptions)
  }

  private static func credits(_ status: StatusAnswer, _ console: Console) -> String {
    var table = console.table("CREDIT", "BALANCE", "AVAILABLE HERE", "DEBT")
    for credit in status.credits {
      table.add([credit.id, "\(credit.balance)", "\(credit.available)", "\(credit.debt)"])
    }
    return console.section("Credits", table, isEmpty: status.credits.isEmpty)
  }

  private static func purchased(_ status: StatusAnswer, _ console: Console) -> String {
    var table = console.table("PRODUCT")
    for product in status.purchased { table.add([product]) }
    return console.section("Bought for good", table, isEmpty: status.purchased.isEmpty)
  }

  /// How far a peer's clock is ahead of this device's; below a minute in seconds with one decimal.
  package static func skew(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "–" }
    let sign = milliseconds < 0 ? "-" : "+"
    guard milliseconds.magnitude < 60_000 else { return "\(sign)\(ClockSpan(milliseconds: milliseconds))" }
    let tenths = milliseconds.magnitude / 100
    return "\(sign)\(tenths / 10).\(tenths % 10) s"
  }

  private static func peers(_ status: StatusAnswer, _ console: Console) -> String {
    var table = console.table("PEER", "CONNECTED", "IN SYNC", "ADDRESS", "LAST SEEN", "CLOCK")
    for peer in status.peers {
      table.add([
        peer.name, peer.connected ? console.style.good("yes") : console.style.bad("no"),
        peer.inSync ? "yes" : "no",
        peer.address ?? "–", console.date(peer.lastSeen), skew(peer.clockSkew),
      ])
    }
    return console.section("Peers", table, isEmpty: status.peers.isEmpty)
  }
}

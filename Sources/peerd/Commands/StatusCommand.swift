import PeerSync
import PeerSyncControl

/// `peerd status`: shows how things stand.
enum StatusCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    let names = console.json ? ProductNames() : try await ProductNames(client)
    try console.print(status) { StatusText(status: status, names: names, console: console).text }
  }

  /// How far a peer's clock is ahead of this device's; below a minute in seconds with one decimal.
  package static func skew(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "–" }
    let sign = milliseconds < 0 ? "-" : "+"
    guard milliseconds.magnitude < 60_000 else { return "\(sign)\(ClockSpan(milliseconds: milliseconds))" }
    let tenths = milliseconds.magnitude / 100
    return "\(sign)\(tenths / 10).\(tenths % 10) s"
  }
}

/// How things stand, for people.
struct StatusText {
  let status: StatusAnswer
  let names: ProductNames
  let console: Console

  private var now: Instant { status.time.now }

  var text: String {
    let style = console.style
    let network = status.online ? style.good("online") : style.bad("offline")
    let listen = status.listen.map { ", listening on \($0)" } ?? ""
    return """
      \(style.bold(Table.harmless(status.device.name)))  \(network)\(listen)
      environment \(status.device.environment), app \(Table.harmless(status.device.bundleId)), group of \(status.group.members)
      digest \(status.digest)
      \(console.time(status.time))

      """ + entitlements + lines + subscriptions + credits + purchased + peers
        + status.warnings.map { style.bad("warning:") + " \($0)\n" }.joined()
  }

  private var entitlements: String {
    var table = console.table("ENTITLEMENT", .whole("STATE"), .whole("EXPIRES"), .text("BECAUSE", .useful))
    for entitlement in status.entitlements {
      table.add([
        entitlement.id, console.style.active(entitlement.active),
        console.date(entitlement.presentEnd ?? entitlement.expires, from: now), entitlement.because,
      ])
    }
    return console.section("Entitlements", table, isEmpty: status.entitlements.isEmpty)
  }

  private var lines: String {
    var table = console.table(
      "LINE", .whole("STATE"), .whole("EXPIRES"), .text("THEN", .useful), .whole("RUNS", .extra))
    for line in status.lines {
      let cover = LineCover(line, at: now)
      let later = cover.next.map { "\(cover.isAgain ? "again " : "")from \(console.date.day($0))" }
      table.add([
        line.id, console.style.active(line.active), console.date(cover.end, from: now), later ?? "–",
        "\(line.runs.count)",
      ])
    }
    return console.section("Lines", table, isEmpty: status.lines.isEmpty)
  }

  private var subscriptions: String {
    var table = console.table(
      "PRODUCT", .whole("STATE"), .whole("ACCESS UNTIL"), .whole("RENEWS", .useful),
      .whole("SUBSCRIPTION", .extra))
    for subscription in status.subscriptions {
      table.add([
        names[subscription.productId], console.style.state(ofSubscription: subscription.state),
        console.date(subscription.accessUntil, from: now),
        subscription.willRenew.map { $0 ? "yes" : "no" } ?? "unknown", subscription.originalTransactionId,
      ])
    }
    return console.section("Subscriptions", table, isEmpty: status.subscriptions.isEmpty)
      + console.sentences(status.subscriptions, names: names)
  }

  private var credits: String {
    var table = console.table("CREDIT", "BALANCE", "AVAILABLE HERE", "DEBT")
    for credit in status.credits {
      table.add([credit.id, "\(credit.balance)", "\(credit.available)", "\(credit.debt)"])
    }
    return console.section("Credits", table, isEmpty: status.credits.isEmpty)
  }

  private var purchased: String {
    var table = console.table("PRODUCT")
    for product in status.purchased { table.add([names[product]]) }
    return console.section("Bought for good", table, isEmpty: status.purchased.isEmpty)
  }

  private var peers: String {
    var table = console.table(
      "PEER", .whole("CONNECTED"), .whole("IN SYNC"), .text("ADDRESS", .useful),
      .whole("LAST SEEN", .useful), .whole("CLOCK", .useful))
    for peer in status.peers {
      table.add([
        peer.name, peer.connected ? console.style.good("yes") : console.style.bad("no"),
        peer.inSync ? "yes" : "no",
        peer.address ?? "–", console.date.near(peer.lastSeen, from: now), StatusCommand.skew(peer.clockSkew),
      ])
    }
    return console.section("Peers", table, isEmpty: status.peers.isEmpty)
  }
}

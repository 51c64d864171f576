import PeerSync
import PeerSyncControl

/// `peerd status`: shows how things stand.
package enum StatusCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    let names = console.json ? ProductNames() : try await ProductNames(client)
    try console.print(status) { StatusText(status: status, names: names, console: console).text }
  }

  /// How far a peer's clock is ahead of this device's; below a minute in seconds with one decimal.
  package static func skew(_ milliseconds: Int64?) -> Phrase {
    guard let milliseconds else { return .same("–") }
    let tenths = milliseconds.magnitude / 100
    let sign = Phrase.same(tenths == 0 ? "" : milliseconds < 0 ? "-" : "+")
    guard milliseconds.magnitude < 60_000 else { return sign + ClockSpan(milliseconds: milliseconds).told }
    return sign + Phrase("\(tenths / 10).\(tenths % 10) s", "\(tenths / 10).\(tenths % 10)초")
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
    let network = status.online ? style.good(console.words(.online)) : style.bad(console.words(.offline))
    let listen = status.listen.map { console.words(.listening(on: $0)) } ?? ""
    let (device, members) = (status.device, status.group.members)
    return """
      \(style.bold(Style.harmless(device.name)))  \(network)\(listen)
      \(console.words(.surroundings(device.environment, app: Style.harmless(device.bundleId), members: members)))
      \(console.words(.digest(status.digest)))
      \(console.time(status.time))

      """ + entitlements + lines + subscriptions + credits + purchased + peers
        + status.told.map { console.words($0) }.map { style.bad(console.words(.warning)) + " \($0)\n" }
        .joined()
  }

  private var entitlements: String {
    var table = console.table(
      .name(.entitlement), .whole(.state), .whole(.expires), .whole(.left, .extra), .text(.because, .useful))
    for entitlement in status.entitlements {
      let end = entitlement.presentEnd ?? entitlement.expires
      table.add([
        entitlement.id, console.active(entitlement.active),
        console.date(end), end.map { console.date.distance(to: $0, from: now) } ?? "–",
        console.because(entitlement, names, isShort: true),
      ])
    }
    return console.section(.entitlementsTitle, table, isEmpty: status.entitlements.isEmpty)
  }

  private var lines: String {
    var table = console.table(
      .name(.line), .whole(.state), .whole(.expires), .text(.then, .useful), .whole(.runs, .extra))
    for line in status.lines {
      let cover = LineCover(line, at: now)
      let later = cover.next.map { console.words(.again(from: console.date.day($0), isAgain: cover.isAgain)) }
      table.add([
        line.id, console.active(line.active), console.date(cover.end, from: now), later ?? "–",
        "\(line.runs.count)",
      ])
    }
    return console.section(.linesTitle, table, isEmpty: status.lines.isEmpty)
  }

  private var subscriptions: String {
    var table = console.table(
      .name(.product), .whole(.state), .whole(.accessUntil), .whole(.renews, .useful),
      .whole(.subscription, .extra))
    for subscription in status.subscriptions {
      table.add([
        names[subscription.productId], state(of: subscription),
        console.date(subscription.accessUntil, from: now),
        console.words(subscription.willRenew.map { $0 ? .yes : .no } ?? .unknown),
        subscription.originalTransactionId,
      ])
    }
    return console.section(.subscriptionsTitle, table, isEmpty: status.subscriptions.isEmpty)
      + console.sentences(status.subscriptions.filter(isInTrouble), names: names)
  }

  private func state(of subscription: SubscriptionAnswer) -> String {
    SubscriptionState(rawValue: subscription.state).map {
      console.style.coloured(console.words(.state(of: $0)), as: $0)
    } ?? subscription.state
  }

  /// Whether somebody has to do something about it: of the others `why` tells.
  private func isInTrouble(_ subscription: SubscriptionAnswer) -> Bool {
    switch SubscriptionState(rawValue: subscription.state) {
    case .inGracePeriod, .inBillingRetry: true
    default: subscription.renewal.priceConsent == PriceConsent.pending.rawValue
    }
  }

  private var credits: String {
    var table = console.table(.name(.credit), .whole(.balance), .whole(.availableHere), .whole(.debt))
    for credit in status.credits {
      table.add([credit.id, "\(credit.balance)", "\(credit.available)", "\(credit.debt)"])
    }
    return console.section(.creditsTitle, table, isEmpty: status.credits.isEmpty)
  }

  private var purchased: String {
    var table = console.table(.name(.product))
    for product in status.purchased { table.add([names[product]]) }
    return console.section(.boughtForGoodTitle, table, isEmpty: status.purchased.isEmpty)
  }

  private var peers: String {
    var table = console.table(
      .name(.peer), .whole(.connected), .whole(.inSync), .text(.address, .extra), .whole(.lastSeen, .useful),
      .whole(.clock, .useful))
    for peer in status.peers {
      let connected = console.yes(peer.connected)
      table.add([
        peer.name, peer.connected ? console.style.good(connected) : console.style.bad(connected),
        console.yes(peer.inSync), peer.address ?? "–",
        console.date.ago(peer.lastSeen, from: status.time.wall),
        console.words(StatusCommand.skew(peer.clockSkew)),
      ])
    }
    return console.section(.peersTitle, table, isEmpty: status.peers.isEmpty)
  }
}

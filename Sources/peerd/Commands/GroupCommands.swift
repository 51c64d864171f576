import Foundation
import PeerSync
import PeerSyncControl

/// `peerd invite`: opens an invitation and shows it.
enum InviteCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let invitation: InvitationAnswer = try await client.send("POST", "/v1/invitations")
    try console.print(invitation) {
      """
      On the new device:
        peerd join \(console.style.bold(invitation.url))
      The code alone: \(console.style.bold(InvitationCode(invitation.code)?.description ?? invitation.code))
      Good for one device until \(console.date(invitation.expires)).
      \(picture(of: invitation.url, console))
      """
    }
  }

  /// For the camera of a phone; nothing where nobody could take a picture of it.
  private static func picture(of url: String, _ console: Console) -> String {
    guard console.isTerminal, let code = QRCode(url) else { return "" }
    return "\n" + code.text
  }
}

enum JoinCommand {
  static func run(_ url: String, _ client: ControlClient, _ console: Console) async throws {
    // Some may announce the same invitation who have not made it, and each is given its time.
    let answer: MembershipAnswer = try await client.send(
      "POST", "/v1/membership", body: JoinBody(url: url), timeoutSeconds: 120)
    try console.print(answer) { "\(console.style.good("joined")) the group \(answer.group.id)\n" }
  }
}

enum DevicesCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let answer: DevicesAnswer = try await client.send("GET", "/v1/devices")
    try console.print(answer) { text(answer, console) }
  }

  private static func text(_ answer: DevicesAnswer, _ console: Console) -> String {
    let now = Instant.present
    var table = console.table(
      "DEVICE", .whole("ID"), .whole("CONNECTED"), .whole("IN SYNC", .useful), .text("ADDRESS", .extra),
      .whole("LAST SEEN", .useful))
    for device in answer.devices {
      table.add([
        device.name, device.id,
        device.isSelf
          ? "this device" : device.connected ? console.style.good("yes") : console.style.bad("no"),
        device.inSync ? "yes" : "no", device.address ?? "–",
        device.isSelf ? "–" : device.lastSeen.map { console.date.near($0, from: now) } ?? "never",
      ])
    }
    return table.text + answer.removed.map { "removed: \(Table.harmless($0.name)), \($0.id)\n" }.joined()
  }
}

enum NetworkCommand {
  static func run(online: Bool, _ client: ControlClient, _ console: Console) async throws {
    let answer: NetworkAnswer = try await client.send("PUT", "/v1/network", body: NetworkBody(online: online))
    try console.print(answer) {
      answer.online ? "online\n" : "offline: cut off from its peers until `peerd online`\n"
    }
  }
}

/// `peerd leave`: takes the device that is asked out of its group.
enum LeaveCommand {
  static func run(isConfirmed: Bool, _ client: ControlClient, _ console: Console) async throws {
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    guard let own = group.devices.first(where: \.isSelf) else {
      throw Failure("this device is in no group any more: make a new one with `peerd init`")
    }
    guard group.devices.count > 1 else {
      throw Failure("there is no other device in the group: there is nothing to leave")
    }
    if !isConfirmed {
      guard isatty(STDIN_FILENO) == 1 else {
        throw Failure("there is no terminal to ask on: say --yes to leave the group for good")
      }
      try console.confirm(
        """
        \(own.name) leaves its group for good, and can join none again. What it has bought stays with the others, and here.
        Leave? [y/N]\u{20}
        """)
    }
    let answer: DevicesAnswer = try await client.send(
      "DELETE", "/v1/devices/\(own.id.asPathPart)", body: RemoveBody(recoveryKey: nil, .nothing))
    try console.print(answer) {
      "\(console.style.good("left")): the group goes on with \(answer.devices.count)\n"
    }
  }
}

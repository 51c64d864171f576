import Foundation
import PeerSync
import PeerSyncControl

/// `peerd invite`: opens an invitation and shows it.
enum InviteCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let invitation: InvitationAnswer = try await client.send("POST", "/v1/invitations")
    try console.print(invitation) {
      (ways(invitation, console) + [console.words(.goodUntil(console.date(invitation.expires)))])
        .map { $0 + "\n" }.joined() + (invitation.url.map { picture(of: $0, console) } ?? "")
    }
  }

  /// How a new device joins: by no address that it cannot reach.
  private static func ways(_ invitation: InvitationAnswer, _ console: Console) -> [String] {
    let code = console.style.bold(InvitationCode(invitation.code)?.description ?? invitation.code)
    guard let url = invitation.url else {
      return [console.words(.onSameNetwork), command(code), console.words(.noURL)]
    }
    let join = command(console.style.bold(url))
    guard InvitationURL(url)?.address.isLoopback != true else {
      return [console.words(.onThisMachine), join, console.words(.reachedByNobody)]
    }
    return [console.words(.onNewDevice), join]
      + (invitation.announced ? [console.words(.codeAlone(code))] : [])
  }

  /// With a directory: where none is named peerd takes the usual one, which need not be that of the new device.
  private static func command(_ way: String) -> String { "  peerd join --data DIR " + way }

  /// For the camera of a phone; nothing where nobody could take a picture of it.
  private static func picture(of url: String, _ console: Console) -> String {
    guard console.isTerminal, let code = QRCode(url) else { return "" }
    return "\n" + code.text + "\n"
  }
}

enum JoinCommand {
  static func run(_ url: String, _ client: ControlClient, _ console: Console) async throws {
    // Some may announce the same invitation who have not made it, and each is given its time.
    let answer: MembershipAnswer = try await client.send(
      "POST", "/v1/membership", body: JoinBody(url: url), timeoutSeconds: 120)
    guard !console.json else { return try console.print(answer) { "" } }
    let others = try await others(client).map { Style.harmless($0.name) }
    try console.print(line: console.style.good(console.words(.joined)) + console.words(.group(of: others)))
  }
}

extension JoinCommand {
  /// The other members, by the names that they have now: a new one comes with what the group tells next.
  private static func others(_ client: ControlClient) async throws -> [DeviceAnswer] {
    for _ in 0..<20 {
      let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
      let others = group.devices.filter { !$0.isSelf }
      if others.contains(where: \.inSync) { return others }
      try await Task.sleep(for: .milliseconds(100))
    }
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    return group.devices.filter { !$0.isSelf }
  }
}

enum DevicesCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let answer: DevicesAnswer = try await client.send("GET", "/v1/devices")
    guard !console.json else { return try console.print(answer) { "" } }
    let time: TimeBoundsAnswer = try await client.send("GET", "/v1/time")
    try console.print(text: text(answer, at: time.wall, console))
  }

  private static func text(_ answer: DevicesAnswer, at now: Instant, _ console: Console) -> String {
    var table = console.table(
      .text(.device), .whole(.id), .whole(.connected), .whole(.inSync, .extra), .text(.address, .extra),
      .whole(.lastSeen, .useful))
    for device in answer.devices {
      let connected = console.yes(device.connected)
      table.add([
        device.name, DeviceID(device.id)?.shortForm ?? device.id,
        device.isSelf
          ? console.words(.thisDevice)
          : device.connected ? console.style.good(connected) : console.style.bad(connected),
        device.isSelf ? "–" : console.yes(device.inSync), device.address ?? "–",
        device.isSelf
          ? "–" : device.lastSeen.map { console.date.ago($0, from: now) } ?? console.words(.never),
      ])
    }
    let removed = answer.removed.map { console.words(.removed(Style.harmless($0.name), $0.id)) + "\n" }
    return table.text + removed.joined()
  }
}

enum NetworkCommand {
  static func run(online: Bool, _ client: ControlClient, _ console: Console) async throws {
    let answer: NetworkAnswer = try await client.send("PUT", "/v1/network", body: NetworkBody(online: online))
    try console.print(answer) {
      console.words(answer.online ? .isOnline : .isOffline) + "\n"
    }
  }
}

/// `peerd leave`: takes the device that is asked out of its group.
enum LeaveCommand {
  static func run(isConfirmed: Bool, _ client: ControlClient, _ console: Console) async throws {
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    guard let own = group.devices.first(where: \.isSelf) else {
      throw Failure(.inNoGroup)
    }
    guard group.devices.count > 1 else {
      throw Failure(.nothingToLeave)
    }
    if !isConfirmed {
      guard isatty(STDIN_FILENO) == 1 else {
        throw Failure(.noTerminalToLeave)
      }
      try console.confirm(.leavesForGood(own.name))
    }
    let answer: DevicesAnswer = try await client.send(
      "DELETE", "/v1/devices/\(own.id.asPathPart)", body: RemoveBody(recoveryKey: nil, .nothing))
    try console.print(answer) {
      console.style.good(console.words(.hasLeft)) + console.words(.goesOn(with: answer.devices.count)) + "\n"
    }
  }
}

/// `peerd rename`: calls the device that is asked something else.
enum RenameCommand {
  static func run(_ name: String, _ client: ControlClient, _ console: Console) async throws {
    let answer: DevicesAnswer = try await client.send("PUT", "/v1/device", body: RenameBody(name: name))
    let note = try await client.noteOfRemoved(console)
    try console.print(answer) {
      let called = console.style.bold(Style.harmless(name))
      return console.words(.isCalled(called, everywhere: note.isEmpty)) + "\n" + note
    }
  }
}

import Foundation
import PeerSync
import PeerSyncControl

/// `peerd remove`: takes a device out of the group, and what it has decided with it.
enum RemoveCommand {
  static func run(_ options: RemoveOptions, _ client: ControlClient, _ console: Console) async throws {
    let path = "/v1/devices/\(options.device.asPathPart)"
    try await requireOther(options.device, client)
    let asks = !options.isConfirmed && isatty(STDIN_FILENO) == 1
    if options.takingBack == .nothing, asks {
      try console.confirm(
        """
        \(options.device) is removed for good: what it decides from now on counts nowhere, and its key never comes back.
        Remove it? [y/N]\u{20}
        """)
    }
    if options.takingBack != .nothing, asks {
      let preview: TakenBackAnswer = try await client.send(
        "POST", path + "/preview", body: RemoveBody(recoveryKey: nil, options.takingBack))
      try console.confirm(
        """
        \(scope(of: options, console)) is taken back on every device. What others had decided stands again.
        \(text(preview, options.device, console))Remove it? [y/N]\u{20}
        """)
    }
    let key = try options.recoveryKey == "-" ? typedKey() : options.recoveryKey
    let answer: DevicesAnswer = try await client.send(
      "DELETE", path, body: RemoveBody(recoveryKey: key, options.takingBack))
    try console.print(answer) {
      (options.takingBack == .nothing
        ? "" : answer.takenBack.map { text($0, options.device, console) } ?? "")
        + "\(console.style.good("removed")): \(answer.devices.count) devices are left\n"
    }
  }

  /// Refuses the device that is asked: a slip of the hand would be for good.
  private static func requireOther(_ device: String, _ client: ControlClient) async throws {
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    let called = group.devices.filter { member in
      member.id == device || member.name == device || DeviceID(member.id)?.shortForm == device.uppercased()
    }
    guard called.count == 1, called[0].isSelf else { return }
    throw Failure("\(device) is the device that you ask: `peerd leave` takes it out of its group")
  }

  private static func scope(of options: RemoveOptions, _ console: Console) -> String {
    switch options.takingBack {
    case .since(let time): "What \(options.device) has decided since \(console.date(time))"
    case .everything, .nothing: "All that \(options.device) ever decided"
    }
  }

  /// What is taken back, what stands in its place, and what is gone.
  private static func text(_ answer: TakenBackAnswer, _ device: String, _ console: Console) -> String {
    guard answer.count > 0 else { return "It has decided nothing of that.\n" }
    var table = console.table("TAKEN BACK", .text("IT SAID", .useful), .text("THEN", .useful))
    for decision in answer.decisions {
      let then = decision.stands.map { $0 + (decision.by.map { ", as \($0) decided" } ?? "") }
      table.add(["\(decision.kind) \(decision.id)", decision.said, then ?? "nothing"])
    }
    let rest = answer.count - answer.decisions.count
    return (answer.decisions.isEmpty ? "" : table.text)
      + (rest > 0 ? "\(rest) more, which had been outbid or are too many to list\n" : "")
      + (answer.replaced > 0
        ? "\(answer.replaced) earlier writes, which \(Table.harmless(device)) had replaced itself, are gone\n"
        : "")
  }

  /// A line of standard input: what a command line holds, every user of the machine may read.
  private static func typedKey() throws -> String {
    if isatty(STDIN_FILENO) == 1 { FileHandle.standardError.write(Data("recovery key: ".utf8)) }
    guard let line = readLine() else {
      throw Failure("no recovery key came on standard input: type it, or pass it in by a pipe")
    }
    return line
  }
}

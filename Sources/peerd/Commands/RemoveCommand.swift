import Foundation
import PeerSync
import PeerSyncControl

/// `peerd remove`: takes a device out of the group, and what it has decided with it.
enum RemoveCommand {
  static func run(_ options: RemoveOptions, _ client: ControlClient, _ console: Console) async throws {
    if options.takingBack != .nothing, !options.isConfirmed, isatty(STDIN_FILENO) == 1 {
      try console.confirm(
        """
        \(scope(of: options, console)) is taken back on every device: dates, grants, values and products. What others had
        decided stands again; what \(options.device) had replaced of its own is gone. Remove it? [y/N]\u{20}
        """)
    }
    let key = try options.recoveryKey == "-" ? typedKey() : options.recoveryKey
    let answer: DevicesAnswer = try await client.send(
      "DELETE", "/v1/devices/\(options.device.asPathPart)",
      body: RemoveBody(recoveryKey: key, options.takingBack))
    try console.print(answer) {
      "\(console.style.good("removed")): \(answer.devices.count) devices are left\n"
    }
  }

  private static func scope(of options: RemoveOptions, _ console: Console) -> String {
    switch options.takingBack {
    case .since(let time): "What \(options.device) has decided since \(console.date(time))"
    case .everything, .nothing: "All that \(options.device) ever decided"
    }
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

import Foundation
import PeerSync
import PeerSyncControl

/// A device with a `peerd run` of this same program, which ends at the latest when the last reference goes.
final class DaemonProcess {
  let directory: String
  private var process: ChildProcess?
  /// Where it listens for peers since it was started last; nowhere before. The system may have given its last port to somebody else.
  private(set) var listen = "127.0.0.1:0"

  /// What `peerd init` gave; nil: the device was there already.
  let recoveryKey: String?

  private struct Ready: Decodable {
    let listen: String
  }

  private struct Made: Decodable {
    let recoveryKey: String
  }

  /// Makes a device.
  ///
  /// - Parameter options: of `peerd init`
  init(_ directory: String, options: [String]) throws {
    self.directory = directory
    let made = try Self.output(["init", "--json", "--data", directory] + options)
    recoveryKey = try JSON.decode(Made.self, from: made).recoveryKey
  }

  /// A device that is there already.
  ///
  /// - Parameter recoveryKey: what `peerd init` gave, if that is known
  init(existing directory: String, recoveryKey: String? = nil) {
    self.directory = directory
    self.recoveryKey = recoveryKey
  }

  var isRunning: Bool { process?.isRunning == true }

  /// The process id while it runs.
  var id: pid_t? { isRunning ? process?.id : nil }

  /// Starts the daemon and waits until it is ready.
  ///
  /// - Parameter options: more of `peerd run`
  func start(options: [String] = []) throws {
    let process = try ChildProcess(
      ["run", "--data", directory, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--json"] + options)
    self.process = process
    guard let ready = try? JSON.decode(Ready.self, from: process.ready) else {
      throw Failure(
        Phrase(
          "a daemon did not start on \(directory); see: peerd run --data \(directory)",
          "\(directory)에서 데몬이 시작되지 않았습니다. 확인하려면: peerd run --data \(directory)"))
    }
    listen = ready.listen
  }

  /// Asks the daemon to stop, and waits until it has.
  func stop() { process?.stop() }

  /// Ends the daemon without a chance to do anything more.
  func kill() { process?.kill() }

  /// Copies the data directory as it is at one moment, as a snapshot of a whole disk does.
  func copy(to target: String) throws {
    let copy = { [directory] in try FileManager.default.copyItem(atPath: directory, toPath: target) }
    if let process, isRunning { try process.whilePaused(copy) } else { try copy() }
  }

  /// Puts a copy in the place of the data directory, of which nothing is left.
  func replace(with copy: String) throws {
    kill()
    try FileManager.default.removeItem(atPath: directory)
    try FileManager.default.copyItem(atPath: copy, toPath: directory)
  }

  /// Writes a copy over the files of the data directory, each in its place, so that the daemon cannot tell: as if the whole
  /// machine were set back.
  func overwrite(with copy: String) throws {
    kill()
    for name in ["peerd.db", "peerd.db-wal", "high-water"] {
      try Data(contentsOf: URL(fileURLWithPath: "\(copy)/\(name)"))
        .write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }
  }

  /// The control API of the running daemon.
  func client() throws -> ControlClient { try ControlClient(directory: directory) }

  // MARK: Asking

  func status() async throws -> StatusAnswer { try await client().send("GET", "/v1/status") }

  /// Makes this device a member of another's group.
  ///
  /// - Parameter way: where the other one is reached; nil: where it listens
  func join(_ host: DaemonProcess, through way: Address? = nil) async throws {
    let invitation: InvitationAnswer = try await host.client().send("POST", "/v1/invitations")
    let url = way.map { "peersync://\($0)/\(invitation.code)" } ?? invitation.url
    let _: MembershipAnswer = try await client().send(
      "POST", "/v1/membership", body: JoinBody(url: url ?? invitation.code))
  }

  private static func output(_ arguments: [String]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = ChildProcess.program
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilEnd()
    guard process.terminationStatus == 0 else {
      throw Failure(.same(String(decoding: said, as: UTF8.self)))
    }
    return Array(data)
  }
}

import Foundation
import PeerSync
import peerd

/// One device: a data directory, and its daemon while that runs. Everything is stopped by its own process id and
/// removed at the latest when the last reference goes.
final class PeerdProcess: @unchecked Sendable {
  struct NotReady: Error, CustomStringConvertible {
    let description: String
  }

  /// What the ready line says.
  struct Ready: Decodable, Sendable {
    let ready: Bool
    let listen: String?
    let http: String
  }

  /// What the daemon wrote to standard error, of all its starts.
  var log: String {
    (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
  }

  let name: String
  let data: String
  /// The network namespace it lives in; nil: that of the tests.
  private let namespace: String?
  /// Where it finds the bus of its Avahi daemon; nil: where the tests would.
  private let bus: String?
  private let directory: TemporaryDirectory
  private var process: Process?
  /// Of the daemon that runs, or ran last.
  private(set) var ready: Ready?

  /// Makes a device.
  ///
  /// - Parameters:
  ///   - place: where its data directory goes; nil: somewhere temporary
  ///   - options: more options of `peerd init`
  ///   - namespace: the network namespace it is to live in; nil: that of the tests
  init(
    _ name: String = "Phone", in place: String? = nil, catalogue: String? = Catalogues.insomniOwl,
    options: [String] = [], namespace: String? = nil, bus: String? = nil
  ) async throws {
    self.name = name
    self.bus = bus
    self.namespace = namespace
    directory = try TemporaryDirectory()
    data = (place ?? directory.path) + "/data"
    var arguments = ["init", "--data", data, "--name", name] + options
    if let catalogue { arguments += ["--catalog", try directory.write(catalogue, to: "catalogue.json")] }
    let outcome = try await Peerd.run(arguments)
    guard outcome.status == 0 else { throw NotReady(description: outcome.errors) }
  }

  /// A device that has been made, in a directory that is removed with it.
  init(_ name: String, existing data: String, _ directory: TemporaryDirectory) {
    self.name = name
    self.data = data
    (namespace, bus) = (nil, nil)
    self.directory = directory
  }

  deinit { kill() }

  /// The root certificate of its sandbox store.
  var storeRoot: String { data + "/store/root.pem" }

  private var logPath: String { directory.path + "/log" }

  /// The daemon's process id while it runs.
  var pid: Int32? { process?.isRunning == true ? process?.processIdentifier : nil }

  /// Starts the daemon and waits for its ready line.
  ///
  /// - Parameters:
  ///   - listen: where peers reach it; nil: it does not listen
  ///   - options: more options of `peerd run`
  ///   - saysNothing: whether it goes on as before
  ///   - descriptors: how many files it may have open; nil: as many as this process
  func start(
    listen: String? = "127.0.0.1:0", peers: [String] = [], options: [String] = [], descriptors: Int? = nil,
    saysNothing: Bool = false
  ) async throws {
    let process = Process()
    let command = Peerd.command(
      ["run", "--data", data, "--json"]
        + (listen.map { ["--listen", $0] }
          ?? (saysNothing || options.contains("--lan") ? [] : ["--listen", "none"]))
        + peers.flatMap { ["--peer", $0] } + options, in: namespace)
    process.executableURL = URL(fileURLWithPath: command.program)
    process.arguments = command.arguments
    if let descriptors {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let script = "ulimit -n \(descriptors); exec \"$0\" \"$@\""
      process.arguments = ["-c", script, command.program] + command.arguments
    }
    if let bus {
      process.environment = ProcessInfo.processInfo.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": bus]) {
        $1
      }
    }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try openLog()
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
    let line = await onThread { output.fileHandleForReading.readLine() ?? "" }
    guard let ready = try? JSON.decode(Ready.self, from: Array(line.utf8)), ready.ready else {
      throw NotReady(description: "no ready line from \(name): '\(line)', log: \(log)")
    }
    self.ready = ready
  }

  /// Starts the daemon on the local network, where it is announced.
  func startLocally(options: [String] = []) async throws {
    try await start(listen: nil, options: ["--lan"] + options)
  }

  private func openLog() throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: logPath) {
      _ = FileManager.default.createFile(atPath: logPath, contents: nil)
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: logPath))
    try handle.seekToEnd()
    return handle
  }

  /// Asks the daemon to stop and waits until it has.
  ///
  /// - Returns: its exit status, and how long it took
  @discardableResult func stop(_ signal: Int32 = SIGTERM) async throws -> (status: Int32, time: Duration) {
    guard let process, process.isRunning else { return (-1, .zero) }
    let start = ContinuousClock.now
    Glibc.kill(process.processIdentifier, signal)
    await onThread { process.waitUntilEnd() }
    return (process.terminationStatus, ContinuousClock.now - start)
  }

  /// Waits until the daemon ends by itself.
  ///
  /// - Returns: its exit status
  func end() async throws -> Int32 {
    guard let process else { return -1 }
    await onThread { process.waitUntilEnd() }
    return process.terminationStatus
  }

  /// Ends the daemon without a chance to do anything more (kill -9).
  func kill() {
    guard let process, process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilEnd()
  }
}

extension PeerdProcess {
  /// Runs a client command on this device.
  func run(_ arguments: String..., input: String = "") async throws -> Peerd.Outcome {
    try await Peerd.run([arguments[0], "--data", data] + arguments.dropFirst(), input: input, in: namespace)
  }

  /// Runs a client command that must succeed, and decodes its JSON.
  func json<Value: Decodable>(
    _ arguments: String..., input: String = "", as type: Value.Type = Value.self
  ) async throws -> Value {
    let outcome = try await Peerd.run(
      [arguments[0], "--data", data, "--json"] + arguments.dropFirst(), input: input, in: namespace)
    guard outcome.status == 0 else {
      throw NotReady(description: "\(arguments) on \(name): status \(outcome.status), \(outcome.errors)")
    }
    return try outcome.json(type)
  }

  /// Makes this device a member of the other's group.
  func join(_ other: PeerdProcess) async throws {
    let invitation: InvitationAnswer = try await other.json("invite")
    let _: MembershipAnswer = try await json("join", invitation.link)
  }
}

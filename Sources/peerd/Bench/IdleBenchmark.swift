import Foundation
import PeerSync

/// `idle`: three daemons, each a process of its own, paired and with nothing to do for a minute.
enum IdleBenchmark {
  private static let duration = 60.0

  static func run() async throws -> Figures {
    var figures = Figures(.idle)
    let directory = try TemporaryDirectory()
    let devices = try ["a", "b", "c"].map { try DaemonProcess(directory.path + "/" + $0) }
    defer { for device in devices { device.stop() } }
    for device in devices.dropFirst() {
      let invitation = try devices[0].client(["invite", "--json"])
      _ = try device.client(["join", try DaemonProcess.field("url", of: invitation)])
    }
    for device in devices { _ = try device.client(["wait", "--peers", "2", "--timeout", "30"]) }
    // Pairing is over when the mesh stands; a moment later nothing is under way.
    try await Task.sleep(for: .seconds(2))
    let before = try await usages(devices)
    try await Task.sleep(for: .seconds(duration))
    let after = try await usages(devices)
    add(zip(before, after).map { ($0, $1) }, to: &figures)
    return figures
  }

  private static func usages(_ devices: [DaemonProcess]) async throws -> [DaemonProcess.Usage] {
    var usages: [DaemonProcess.Usage] = []
    for device in devices { usages.append(try await device.usage()) }
    return usages
  }

  private static func add(_ usages: [(DaemonProcess.Usage, DaemonProcess.Usage)], to figures: inout Figures) {
    // Each connection is counted by both of its ends.
    let connections = Double(usages.count * (usages.count - 1)) / 2
    let daemons = Double(usages.count)
    let bytes = usages.reduce(0.0) { $0 + $1.1.sentBytes - $1.0.sentBytes }
    let processor = usages.reduce(0.0) { $0 + $1.1.process.processor - $1.0.process.processor }
    let wakeUps = usages.reduce(0) { $0 + $1.1.process.wakeUps(since: $1.0.process) }
    figures.add("seconds", duration)
    figures.add("connections", Int(connections))
    figures.add("bytesPerConnectionSecond", bytes / connections / duration)
    figures.add("percentOfACorePerDaemon", 100 * processor / daemons / duration)
    figures.add("wakeUpsPerConnectionSecond", Double(wakeUps) / connections / duration)
    figures.add("residentMiB", usages.map { Double($0.1.process.resident) / 1_048_576 }.max() ?? 0)
  }
}

/// A `peerd run` of this same program.
private final class DaemonProcess {
  private let directory: String
  private let process = Process()

  struct Usage {
    let process: ProcessUsage
    /// Bytes of frames the daemon has sent.
    let sentBytes: Double
  }

  init(_ directory: String) throws {
    self.directory = directory
    _ = try Self.output(["init", "--data", directory, "--bundle-id", Workload.bundleId])
    process.executableURL = Self.program
    process.arguments = [
      "run", "--data", directory, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--json",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard !pipe.fileHandleForReading.availableData.isEmpty else {
      throw BenchmarkError("a daemon did not start")
    }
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  func client(_ arguments: [String]) throws -> String {
    try Self.output([arguments[0], "--data", directory] + arguments.dropFirst())
  }

  func usage() async throws -> Usage {
    // Looked at before the request, which itself wakes the daemon.
    let usage = ProcessUsage(of: process.processIdentifier)
    return Usage(process: usage, sentBytes: try await metric("peersync_sent_bytes_total"))
  }

  private func metric(_ name: String) async throws -> Double {
    let text = String(
      decoding: try await ControlClient(directory: directory).send("GET", "/metrics"), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }

  static func field(_ name: String, of json: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    guard let value = object?[name] as? String else { throw BenchmarkError("no \(name) in \(json)") }
    return value
  }

  private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

  private static func output(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkError("peerd \(arguments[0]) failed") }
    return String(decoding: data, as: UTF8.self)
  }
}

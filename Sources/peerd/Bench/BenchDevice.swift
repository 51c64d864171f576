import Foundation
import PeerSync

/// A device with a `peerd run --lan` of this same program on a machine of a ``BenchNetwork``.
final class BenchDevice: @unchecked Sendable {
  private let directory: String
  private let machine: Int
  private let network: BenchNetwork
  private var process: Process?

  init(_ directory: String, on machine: Int, of network: BenchNetwork) {
    (self.directory, self.machine, self.network) = (directory, machine, network)
  }

  deinit { stop() }

  /// What the daemon has used.
  var usage: ProcessUsage { ProcessUsage(of: process?.processIdentifier ?? 0) }

  /// Starts the daemon, and does not wait for it.
  func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = network.machines[machine].inside(
      [ChildProcess.program.path, "run", "--lan", "--data", directory])
    process.environment = [
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": network.bus(machine),
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  /// Asks the daemon to stop, and waits until it has.
  func stop() {
    guard let process, process.isRunning else { return }
    process.terminate()
    process.waitUntilEnd()
  }

  /// Sets a value, so that the other device lacks something.
  func write(_ value: Int) async throws {
    _ = try await ask("PUT", "/v1/values/bench", Array("{\"value\":\"\(value)\"}".utf8))
  }

  /// Bytes of frames the daemon has sent.
  func sentBytes() async throws -> Double {
    let metrics = String(decoding: try await ask("GET", "/metrics"), as: UTF8.self)
    let line = metrics.split(separator: "\n").first { $0.hasPrefix("peersync_sent_bytes_total ") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }

  /// Waits until the device is connected with the other one and in sync with it, and holds the value, if there is one.
  func wait(for value: Int?, within limit: Double = 30) async throws {
    let end = seconds() + limit
    while true {
      // While it is being started nobody answers.
      if (try? await isInSync()) == true {
        guard let value, (try? await holds(value)) != true else { return }
      }
      guard seconds() < end else {
        throw BenchmarkError(
          "two devices are not in sync after \(limit) s", "\(limit)초가 지나도 기기 두 대가 동기화되지 않았습니다")
      }
      // Often enough for what is measured, and seldom enough not to be what is measured.
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func isInSync() async throws -> Bool {
    let status = try JSON.decode(StatusAnswer.self, from: try await ask("GET", "/v1/status"))
    return !status.peers.isEmpty && status.peers.allSatisfy { $0.connected && $0.inSync }
  }

  private func holds(_ value: Int) async throws -> Bool {
    try JSON.decode(ValueAnswer.self, from: try await ask("GET", "/v1/values/bench")).value == "\(value)"
  }

  private func ask(_ method: String, _ path: String, _ body: [UInt8]? = nil) async throws -> [UInt8] {
    let file = try DataDirectory(directory).readControlFile()
    guard let address = Address(String(file.url.dropFirst("http://".count))) else {
      throw BenchmarkError("a daemon does not say where it is", "데몬의 주소를 알 수 없습니다")
    }
    let request = LoopbackConnection.request(method, path, to: address, token: file.token, body: body)
    let answer = try await network.inside(machine) {
      try LoopbackConnection(to: address, timeoutSeconds: 10).exchange(request)
    }
    guard answer.status / 100 == 2 else {
      throw BenchmarkError("\(method) \(path): \(answer.status)", "\(method) \(path): \(answer.status)")
    }
    return answer.body
  }
}

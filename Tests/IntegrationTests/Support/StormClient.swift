import Foundation
import PeerSync

/// A client of one device in a storm (`scripts/storm/client.py`), which writes down what it asked for and what became of it.
/// Stopped by its own process id at the latest when the last reference goes.
final class StormClient: @unchecked Sendable {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  /// Starts it where the device lives.
  init(of device: PeerdProcess, in namespace: String, seed: Int, history: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "ip", "netns", "exec", namespace, "python3", "-B", Python.root + "/scripts/storm/client.py",
      device.data,
      device.name, "\(seed)", history,
    ]
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Has it ask for nothing more, and waits until it has its last answer.
  func rest() async throws { _ = try await tell("rest", expecting: "resting") }

  /// Has it read once more.
  ///
  /// - Returns: what the device holds, as its digest
  func read() async throws -> String { try await tell("read", expecting: "read ") }

  /// - Returns: what comes behind what was expected
  private func tell(_ line: String, expecting answer: String) async throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    let said = await onThread { self.output.fileHandleForReading.readLine() ?? "" }
    guard said.hasPrefix(answer) else {
      throw TestNetwork.Failure(description: "a client of the storm answers '\(said)' to '\(line)'")
    }
    return String(said.dropFirst(answer.count))
  }
}

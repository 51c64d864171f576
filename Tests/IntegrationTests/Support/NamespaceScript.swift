import Foundation
import PeerSync
import peerd

/// A script of the repository that runs in a network namespace until its standard input ends. It ends by its own process id at the
/// latest when the last reference goes.
final class NamespaceScript: @unchecked Sendable {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let name: String

  /// Starts it.
  init(_ name: String, _ arguments: [String], in namespace: String) throws {
    self.name = name
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["ip", "netns", "exec", namespace, "python3", "-B", Python.root + "/scripts/" + name] + arguments
    process.environment = SystemCommand.environment
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Starts it, and waits until it is at work.
  ///
  /// - Parameter word: what it says then
  convenience init(_ name: String, _ arguments: [String], in namespace: String, saying word: String)
    async throws
  {
    try self.init(name, arguments, in: namespace)
    _ = try await hear(word)
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Tells it a line, and waits for its answer.
  ///
  /// - Returns: what comes behind what was expected
  @discardableResult func tell(_ line: String, expecting answer: String) async throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    return try await hear(answer)
  }

  private func hear(_ answer: String) async throws -> String {
    let said = await onThread { self.output.fileHandleForReading.readLine() ?? "" }
    guard said.hasPrefix(answer) else {
      throw TestNetwork.Failure(description: "\(name) says '\(said)' and not '\(answer)'")
    }
    return String(said.dropFirst(answer.count))
  }

  /// Has it end, and waits until it has.
  func end() async {
    try? input.fileHandleForWriting.close()
    await onThread { self.process.waitUntilEnd() }
  }
}

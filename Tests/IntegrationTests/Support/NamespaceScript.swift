import Foundation
import PeerSync

/// A script of the repository that runs in a network namespace until its standard input ends. It ends by its own process id at the
/// latest when the last reference goes.
final class NamespaceScript: @unchecked Sendable {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  /// - Parameter word: what it says once it is at work
  init(_ name: String, _ arguments: [String], in namespace: String, saying word: String) async throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["ip", "netns", "exec", namespace, "python3", "-B", Python.root + "/scripts/" + name] + arguments
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let said = await onThread { self.output.fileHandleForReading.readLine() }
    guard said == word else {
      throw TestNetwork.Failure(description: "\(name) does not start: \(said ?? "")")
    }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Has it end, and waits until it has.
  func end() async {
    try? input.fileHandleForWriting.close()
    await onThread { self.process.waitUntilExit() }
  }
}

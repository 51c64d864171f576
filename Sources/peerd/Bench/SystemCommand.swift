import Foundation

/// A program of the system, for a benchmark or a test.
package enum SystemCommand {
  /// The programs of the system, and nothing of this process's own environment.
  package static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

  /// Runs a command to its end, in the way of the calling thread.
  ///
  /// - Parameter environment: what it sees besides ``environment``
  /// - Returns: its exit status, and what it wrote to both of its outputs
  /// - Throws: when it cannot be started
  package static func run(
    _ command: [String], environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = Self.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilEnd()
    return (process.terminationStatus, text)
  }
}

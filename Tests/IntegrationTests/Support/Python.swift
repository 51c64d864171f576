import Foundation
import PeerSync
import peerd

/// Python with a package of PyPI, in an environment that a test makes: Apple's library (`app-store-server-library`), or `selenium`.
enum Python {
  /// The repository.
  static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.path

  /// A Python that has a package; nil when it cannot be had.
  static func withLibrary(
    _ directory: TemporaryDirectory, package: String = "app-store-server-library"
  ) async throws -> String? {
    let home = directory.path + "/venv"
    guard try await run("/usr/bin/env", ["python3", "-m", "venv", home]) == 0 else { return nil }
    let python = home + "/bin/python"
    let packages = ["-m", "pip", "install", "--quiet", package]
    guard try await run(python, packages) == 0 else { return nil }
    return python
  }

  /// Runs a program to its end, with this process's environment: that is where a package index is configured.
  ///
  /// - Parameter output: where its output goes; nil: nowhere
  static func run(_ program: String, _ arguments: [String], output: FileHandle? = nil) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = output ?? FileHandle.nullDevice
    do { try process.run() } catch { return -1 }
    return await withTaskCancellationHandler {
      await onThread { process.waitUntilEnd() }
      return process.terminationStatus
    } onCancel: {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }

  /// Runs a script of the repository to its end, in the way of the calling thread. It has what Debian's packages of scripts/setup.sh bring.
  ///
  /// - Returns: its exit status, and what it said
  static func script(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    try SystemCommand.run(["python3", "-B", root + "/scripts/" + name] + arguments)
  }
}

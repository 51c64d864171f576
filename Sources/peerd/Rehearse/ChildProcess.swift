import Foundation
import PeerSync

/// A process of this same program that says in one line that it is ready. It is stopped by its own process id, at the
/// latest when the last reference goes, or this process is told to stop. Where this process ends without a word, it sees the end
/// of its ``Leash`` and stops by itself.
final class ChildProcess {
  private let process: Process
  private let cleanup: UUID
  /// Nobody writes to it.
  private let leash = Pipe()
  /// The line.
  let ready: [UInt8]

  /// Starts it, and waits until it is ready; the line is empty where it ended instead.
  init(_ arguments: [String]) throws {
    let output = Pipe()
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging([Leash.variable: "1"]) { $1 }
    process.standardInput = leash
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    self.process = process
    let end: @Sendable () -> Void = {
      guard process.isRunning else { return }
      Glibc.kill(process.processIdentifier, SIGKILL)
      for _ in 0..<1000 where process.isRunning { usleep(1_000) }
    }
    cleanup = try Cleanup.add(end) { try process.run() }
    ready = Array(output.fileHandleForReading.availableData)
  }

  deinit {
    kill()
    Cleanup.forget(cleanup)
  }

  var isRunning: Bool { process.isRunning }

  var id: pid_t { process.processIdentifier }

  /// Asks it to stop, and waits until it has.
  func stop() {
    guard isRunning else { return }
    process.terminate()
    process.waitUntilEnd()
  }

  /// Ends it without a chance to do anything more.
  func kill() {
    guard isRunning else { return }
    Glibc.kill(id, SIGKILL)
    process.waitUntilEnd()
  }

  /// Does something while the process stands still.
  func whilePaused(_ body: () throws -> Void) throws {
    Glibc.kill(id, SIGSTOP)
    defer { Glibc.kill(id, SIGCONT) }
    // The third field of the file, behind the name in parentheses, is the state.
    while let state = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
      .split(separator: ")").last?.first(where: { $0 != " " }), state != "T"
    {
      guard isRunning, state != "Z" else {
        throw Failure(Phrase("a daemon has ended by itself", "데몬이 스스로 끝났습니다"))
      }
      usleep(1_000)
    }
    try body()
  }

  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
}

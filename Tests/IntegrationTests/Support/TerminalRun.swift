import Foundation
import Glibc
import PeerSync
import peerd

/// A command on a terminal of its own, as a person runs it: all it reads and writes goes through that.
enum TerminalRun {
  struct Outcome: Sendable {
    let status: Int32
    /// What the terminal was sent, without colours: line by line, and what overwrote a line as a line of its own.
    let lines: [String]

    var text: String { lines.joined(separator: "\n") }
  }

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - environment: what it sees besides PATH and the time zone
  ///   - typing: what the person types, from the start
  ///   - columns: how wide the terminal is
  ///   - end: a text after which the command is asked to stop; nil: it ends by itself
  static func run(
    _ arguments: [String], environment: [String: String], typing: String = "", columns: UInt16 = 80,
    until end: String? = nil
  ) async throws -> Outcome {
    let (master, slave) = try pair(columns)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Peerd.path)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "UTC", "TERM": "xterm"]
      .merging(environment) { $1 }
    let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    (process.standardInput, process.standardOutput, process.standardError) = (terminal, terminal, terminal)
    try process.run()
    close(slave)
    defer { close(master) }
    let typed = Array(typing.utf8)
    _ = typed.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    let bytes = await withTaskCancellationHandler {
      await onThread { read(from: master, of: process, until: end) }
    } onCancel: {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    await onThread { process.waitUntilEnd() }
    return Outcome(
      status: process.terminationStatus, lines: lines(of: String(decoding: bytes, as: UTF8.self)))
  }

  /// Both ends of a new terminal: see `pts(4)` and `ioctl_tty(2)`.
  private static func pair(_ columns: UInt16) throws -> (master: Int32, slave: Int32) {
    let (setLock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (isLocked, place) = (Int32(0), UInt32(0))
    guard master >= 0, ioctl(master, setLock, &isLocked) == 0, ioctl(master, number, &place) == 0 else {
      throw PeerdProcess.NotReady(description: "no terminal")
    }
    let slave = open("/dev/pts/\(place)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard slave >= 0, ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
      throw PeerdProcess.NotReady(description: "no terminal")
    }
    return (master, slave)
  }

  /// Until the command has closed the terminal, which reads as an error.
  private static func read(from master: Int32, of process: Process, until end: String?) -> [UInt8] {
    var bytes: [UInt8] = []
    var isAsked = false
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(master, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
      // Broken lines are whole again where the text is looked for.
      let text = String(decoding: bytes, as: UTF8.self).replacing(#/\r?\n */#, with: " ")
      if let end, !isAsked, text.contains(end) {
        isAsked = true
        kill(process.processIdentifier, SIGTERM)
      }
    }
  }

  private static func lines(of text: String) -> [String] {
    text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      .replacing(#/\u{1b}\[[0-9;]*[mK]/#, with: "").split(separator: "\n").map { String($0) }
  }
}

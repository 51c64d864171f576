import Foundation
import PeerSync
import peerd

/// Runs `peerd`, the program beside the test binary.
enum Peerd {
  /// What a command did.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// The output as one JSON document.
    func json<Value: Decodable>(_ type: Value.Type = JSONValue.self) throws -> Value {
      try JSON.decode(type, from: Array(output.utf8))
    }
  }

  /// The program's path.
  static let path: String = {
    let tests =
      Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("peerd").path
  }()

  /// What every command sees.
  private static let environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "UTC"].merging(
    Sanitizer.options
  ) { $1 }

  /// The program and the arguments that run a command.
  ///
  /// - Parameter namespace: the network namespace to run it in; nil: this process's
  static func command(_ arguments: [String], in namespace: String?) -> (program: String, arguments: [String])
  {
    guard let namespace else { return (path, arguments) }
    return ("/usr/bin/env", ["ip", "netns", "exec", namespace, path] + arguments)
  }

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - isEndless: whether standard input stays open after the input
  ///   - environment: what the command sees besides PATH and the time zone
  ///   - namespace: the network namespace to run it in; nil: this process's
  ///   - file: where its output goes; nil: into the outcome
  static func run(
    _ arguments: [String], input: String = "", isEndless: Bool = false,
    environment: [String: String] = [:], in namespace: String? = nil, output file: FileHandle? = nil
  ) async throws -> Outcome {
    let process = Process()
    let command = command(arguments, in: namespace)
    process.executableURL = URL(fileURLWithPath: command.program)
    process.arguments = command.arguments
    process.environment = Self.environment.merging(environment) { $1 }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = file ?? stdout
    process.standardError = stderr
    try process.run()
    // Nobody else closes the end of a pipe that no process was given.
    if file != nil { try stdout.fileHandleForWriting.close() }
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    if !isEndless { try stdin.fileHandleForWriting.close() }
    defer { if isEndless { try? stdin.fileHandleForWriting.close() } }
    return try await withTaskCancellationHandler {
      // Both at once: a full pipe would stop the command.
      async let output = onThread { try stdout.fileHandleForReading.readToEnd() ?? Data() }
      async let errors = onThread { try stderr.fileHandleForReading.readToEnd() ?? Data() }
      let texts = try await (String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self))
      await onThread { process.waitUntilEnd() }
      return Outcome(status: process.terminationStatus, output: texts.0, errors: texts.1)
    } onCancel: {
      // A test that has taken too long ends its commands with it.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }
}

extension Peerd {
  /// A command that goes on and prints line by line. Stopped by its own process id at the latest when the last
  /// reference goes.
  final class Lines: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let errorPipe = Pipe()

    convenience init(_ arguments: [String], environment: [String: String] = [:]) throws {
      try self.init(path, arguments, environment)
    }

    /// A command that a shell makes of a script and its arguments, from $0 on.
    convenience init(script: String, _ arguments: [String], environment: [String: String]) throws {
      try self.init("/bin/sh", ["-c", script] + arguments, environment)
    }

    private init(_ program: String, _ arguments: [String], _ environment: [String: String]) throws {
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      process.environment = Peerd.environment.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardError = errorPipe
      process.standardOutput = output
      try process.run()
    }

    /// Its process id.
    var id: pid_t { process.processIdentifier }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The next line, without its line feed; empty at the end.
    func next() async throws -> String {
      await onThread { self.output.fileHandleForReading.readLine() ?? "" }
    }

    /// Reads up to a line with a text in it.
    ///
    /// - Throws: when the command ends before
    func skip(to text: String) async throws {
      try await onThread {
        while let line = self.output.fileHandleForReading.readLine() { if line.contains(text) { return } }
        throw PeerdProcess.NotReady(description: "no line with '\(text)'")
      }
    }

    /// Closes the pipe that it writes to.
    func stopReading() throws { try output.fileHandleForReading.close() }

    /// What it wrote to standard error until it ended.
    func errors() async throws -> String {
      String(
        decoding: try await onThread { try self.errorPipe.fileHandleForReading.readToEnd() ?? Data() },
        as: UTF8.self)
    }

    /// Waits until the command ends by itself.
    ///
    /// - Returns: its exit status
    func end() async throws -> Int32 {
      await onThread { self.waitUntilEnd() }
      return process.terminationStatus
    }

    /// The same, in the way of the calling thread.
    func waitUntilEnd() { process.waitUntilEnd() }
  }
}

extension FileHandle {
  /// What comes before the next line feed or the end; nil at the end. Byte by byte: nothing after the line is taken away.
  func readLine() -> String? {
    var line = Data()
    while let byte = try? read(upToCount: 1), !byte.isEmpty {
      if byte == Data([0x0a]) { return String(decoding: line, as: UTF8.self) }
      line += byte
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}

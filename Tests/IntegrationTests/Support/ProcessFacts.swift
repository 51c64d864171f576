import Foundation

/// What the system says of a process.
struct ProcessFacts {
  let pid: Int32

  /// Resident memory, in KiB.
  var residentKiB: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
  }

  /// Time that the process has kept processors busy, in seconds.
  var processorSeconds: Double {
    get throws {
      let fields = try fields
      guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
        return 0
      }
      return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// What `stat` says of it. The name of the program may have anything in it: fields are counted from the parenthesis
  /// behind it.
  private var fields: [Substring] {
    get throws {
      let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    }
  }

  /// The names of its threads, of which the system keeps 15 bytes. Dispatch names its threads after their pool. One that
  /// has just ended is left out.
  var threads: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").compactMap {
        try? String(contentsOfFile: "/proc/\(pid)/task/\($0)/comm", encoding: .utf8)
      }.map { $0.trimmingCharacters(in: .newlines) }.sorted()
    }
  }

  /// The program and its arguments; none of a process that has ended.
  var arguments: [String] {
    let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every process of this machine.
  static var all: [ProcessFacts] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        .map { ProcessFacts(pid: $0) }
    }
  }

  /// Whether another process has started it.
  func isChild(of parent: Int32) -> Bool {
    guard let fields = try? fields, fields.count > 2 else { return false }
    return Int32(fields[2]) == parent
  }

  /// Open files, sockets among them.
  var descriptors: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count }
  }

  /// What they are, such as `socket:[1234]` or a path. One that has just been closed is left out.
  var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
      }.sorted()
    }
  }
}

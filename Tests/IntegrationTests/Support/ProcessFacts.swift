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

  /// Open files, sockets among them.
  var descriptors: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count }
  }
}

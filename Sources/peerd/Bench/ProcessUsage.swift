import Foundation

/// What `/proc` says of a process.
struct ProcessUsage {
  /// Resident memory, in bytes.
  let resident: Int
  /// Processor time, user and system, in seconds.
  let processor: Double
  /// How often each of its threads has slept and woken up, by thread.
  private let wakeUps: [String: Int]

  init(of process: pid_t = getpid()) {
    resident = Self.status("/proc/\(process)/status", "VmRSS:") * 1024
    let fields = Self.text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
    processor = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    wakeUps = Dictionary(
      tasks.map { ($0, Self.status("/proc/\(process)/task/\($0)/status", "voluntary_ctxt_switches:")) }
    ) { $1 }
  }

  /// How often threads woke up since. Those that have ended since are not counted.
  func wakeUps(since before: ProcessUsage) -> Int {
    wakeUps.reduce(0) { $0 + $1.value - (before.wakeUps[$1.key] ?? 0) }
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func status(_ path: String, _ field: String) -> Int {
    let line = text(path).split(separator: "\n").first { $0.hasPrefix(field) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}

import Foundation
import Testing

/// Measures how long devices take for what they promise to do within a time.
///
/// A promise is about a machine that is theirs. What other processes take of its processors meanwhile (other tests, this one where
/// it asks, whatever else runs) is measured too, and given to the devices on top: on a machine that is otherwise idle that is nearly
/// nothing.
struct Stopwatch {
  private let start = ContinuousClock.now
  private let devices: [PeerdProcess]
  private let busy: Double
  private let own: [Int32: Double]

  init(_ devices: [PeerdProcess]) {
    self.devices = devices
    busy = Self.busySeconds
    own = Self.processorSeconds(of: devices)
  }

  /// How long it has been running.
  var time: Duration { .now - start }

  /// For how long the devices could not have the processors: the time of all others, shared among these.
  private var taken: Duration {
    let used = Self.processorSeconds(of: devices).reduce(0.0) { $0 + $1.value - (own[$1.key] ?? 0) }
    let others = max(0, Self.busySeconds - busy - used)
    return .milliseconds(Int(others * 1_000) / max(1, ProcessInfo.processInfo.activeProcessorCount))
  }

  /// Expects that it has taken no longer than what is promised, and prints how long it was.
  func expect(
    within promise: Duration, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (time, taken) = (time, taken)
    print("promised: \(what) within \(promise): \(time), while others had the processors for \(taken)")
    #expect(time < promise + taken, "\(what)", sourceLocation: sourceLocation)
  }

  private static func processorSeconds(of devices: [PeerdProcess]) -> [Int32: Double] {
    let found = devices.compactMap(\.pid).map { ($0, (try? ProcessFacts(pid: $0).processorSeconds) ?? 0) }
    return Dictionary(found) { $1 }
  }

  /// For how many seconds all processors together have worked since the machine was started; what a hypervisor has kept to itself
  /// counts.
  private static var busySeconds: Double {
    // cpu  user nice system idle iowait irq softirq steal …
    let stat = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let fields = stat.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap {
      Double($0)
    }
    let idle = fields.dropFirst(3).prefix(2)
    return (fields.reduce(0, +) - idle.reduce(0, +)) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

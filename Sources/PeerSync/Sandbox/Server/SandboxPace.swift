import PeerSyncCore
import PeerSyncSandbox

/// How the time of a sandbox store runs: `--time-rate`.
package enum SandboxPace: Hashable, Sendable {
  /// With the wall clock, and periods as long as the scale says.
  case scale(SandboxScale)
  /// Not by itself: `peerd store advance` sets the clock on. A month is a month.
  case manual

  /// Reads `real`, `sandbox`, `manual`, or by how much periods are shortened.
  package init?(_ text: String) {
    switch text {
    case "real": self = .scale(.real)
    case "sandbox": self = .scale(.sandbox)
    case "manual": self = .manual
    default:
      guard let times = Int64(text), (1...Limits.sandboxSpeed).contains(times) else { return nil }
      self = .scale(times == 1 ? .real : .faster(times))
    }
  }
}

extension SandboxStore {
  package mutating func set(_ pace: SandboxPace) {
    switch pace {
    case .manual: setTerms { ($0.isManual, $0.scale) = (true, .real) }
    case .scale(let scale): setTerms { ($0.isManual, $0.scale) = (false, scale) }
    }
  }
}

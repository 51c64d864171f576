import Foundation
import PeerSyncCore

/// Random choices that a seed repeats. What processes do between them is the system's business and not repeated; what
/// a test asks of them is.
struct Seed: Sendable, CustomStringConvertible {
  let value: UInt64

  /// A fresh one, printed; PEERSYNC_SEED in the environment repeats an earlier one.
  static func make(for test: String) -> Seed {
    let given = ProcessInfo.processInfo.environment["PEERSYNC_SEED"].flatMap(UInt64.init)
    let seed = Seed(value: given ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    print("\(test): \(seed)")
    return seed
  }

  /// The choices.
  var generator: RandomState { RandomState(seed: value) }

  var description: String { "PEERSYNC_SEED=\(value)" }
}

extension RandomState {
  /// A number of a range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of them.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[pick(0...(elements.count - 1))] }
}

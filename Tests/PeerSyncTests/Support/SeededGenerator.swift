import PeerSyncCore

/// The same seed gives the same test on every machine.
typealias SeededGenerator = RandomState

extension SeededGenerator {
  /// A number of a range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in so many times.
  mutating func chance(_ oneIn: Int) -> Bool { pick(1...oneIn) == 1 }
}

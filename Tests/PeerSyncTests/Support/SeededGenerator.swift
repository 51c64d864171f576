import PeerSync

/// The same seed gives the same test on every machine.
typealias SeededGenerator = RandomState

extension SeededGenerator {
  /// A number of a range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in so many times.
  mutating func chance(_ oneIn: Int) -> Bool { pick(1...oneIn) == 1 }
<<<<<<< HEAD
=======

  /// One of some values.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[pick(0...(values.count - 1))] }
}

/// Seeds for random tests: fixed ones, and one that is fresh in every run. A failure names its seed as the test's argument;
/// to replay it, add it here.
enum Seeds {
  static let all: [UInt64] = [
    1, 2, 17_758_183_110_187_746_464, UInt64.random(in: .min ... .max),
  ]
>>>>>>> ledger
}

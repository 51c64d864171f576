/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): small, and the same
/// numbers from the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number of a range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in so many times.
  mutating func chance(_ oneIn: Int) -> Bool { pick(1...oneIn) == 1 }
}

/// Seeds for random tests: fixed ones, and one that is fresh in every run. A failure names its seed as the test's argument;
/// to replay it, add it here.
enum Seeds {
  static let all: [UInt64] = [1, 2, 0xdead_beef, UInt64.random(in: .min ... .max)]
}

import PeerSyncCore
import Testing

/// Bytes that are compared eight at a time, against the standard library, which takes one after another.
@Suite struct RawBytesTests {
  @Test(arguments: Seeds.all)
  func theyCompareAsTheStandardLibraryDoes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let left = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
      var right = left
      // Mostly alike: the same, or other in one place, or longer, or shorter.
      if random.chance(2), let place = right.indices.randomElement(using: &random) {
        right[place] = UInt8(random.below(256))
      }
      if random.chance(3) { right.append(UInt8(random.below(256))) }
      if random.chance(3) { right.removeLast(random.below(right.count + 1)) }
      #expect(left.hasSameBytes(as: right) == (left == right), "\(left) \(right)")
      #expect(left.precedes(right) == left.lexicographicallyPrecedes(right), "\(left) \(right)")
      #expect(right.precedes(left) == right.lexicographicallyPrecedes(left), "\(left) \(right)")
    }
  }
}

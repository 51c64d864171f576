import PeerSyncCore
import Testing

@Suite struct GrowOnlyMapTests {
  @Test func mergesUnderEachKey() {
    var map = GrowOnlyMap<UInt64, Maximum>()
    #expect(map[1] == nil)
    map.merge(Maximum(5), at: 2)
    map.merge(Maximum(3), at: 2)
    map.merge(Maximum(1), at: 1)
    #expect(map[2]?.value == 5 && map[1]?.value == 1 && map[3] == nil && map.count == 2)
    #expect(map.entries.map(\.key) == [1, 2])
  }

  /// One pass over both gives what merging entry by entry gives.
  @Test func agreesWithMergingOneByOne() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let first = GrowOnlyMap<UInt64, Maximum>.generate(&random)
      let second = GrowOnlyMap<UInt64, Maximum>.generate(&random)
      var slow = Dictionary(uniqueKeysWithValues: first.entries.map { ($0.key, $0.value) })
      for entry in second.entries { slow[entry.key, default: Maximum()].merge(entry.value) }
      let merged = first.merging(second)
      #expect(merged.entries.map(\.key) == slow.keys.sorted())
      #expect(merged.entries.allSatisfy { slow[$0.key] == $0.value })
    }
  }

  @Test func unsortedOrRepeatedKeysAreRefused() {
    typealias Map = GrowOnlyMap<UInt64, Maximum>
    #expect(throws: Never.self) { try Map(decoding: [2, 1, 0, 2, 0]) }
    #expect(throws: WireError.malformed) { try Map(decoding: [2, 2, 0, 1, 0]) }
    #expect(throws: WireError.malformed) { try Map(decoding: [2, 1, 0, 1, 0]) }
    #expect(throws: WireError.truncated) { try Map(decoding: [2, 1, 0]) }
    #expect(throws: WireError.trailingBytes) { try Map(decoding: [0, 0]) }
    #expect(throws: WireError.beyondLimit) { try Map(decoding: UInt64(Limits.registers + 1).encoded) }
  }
}

import PeerSyncCore
import Testing

private func stamp(_ value: UInt64) -> Stamp { Stamp(rawValue: value) }

@Suite struct RegisterTests {
  @Test func theLaterWriteWins() {
    var register = Register<UInt64>(9, stamp: stamp(1))
    register.write(1, stamp: stamp(2))
    #expect(register.value == 1)
    register.write(9, stamp: stamp(1))
    #expect(register == Register(1, stamp: stamp(2)))
  }

  @Test func theGreaterValueWinsATie() {
    var register = Register<UInt64>(4, stamp: stamp(1))
    register.write(3, stamp: stamp(1))
    #expect(register.value == 4)
    register.write(5, stamp: stamp(1))
    #expect(register.value == 5)
  }
}

@Suite struct ElementSetTests {
  @Test func aRemovalStaysRemovedUnlessAddedLater() {
    var set = ElementSet<UInt64>()
    set.insert(1, stamp: stamp(1))
    #expect(set.elements == [1])
    set.remove(1, stamp: stamp(3))
    set.insert(1, stamp: stamp(2))
    #expect(!set.contains(1))
    set.insert(1, stamp: stamp(4))
    #expect(set.contains(1))
    #expect(set.stamp(of: 1) == stamp(4))
  }

  @Test func aRemovalWinsATie() {
    for isRemovedFirst in [false, true] {
      var set = ElementSet<UInt64>()
      if isRemovedFirst { set.remove(1, stamp: stamp(5)) }
      set.insert(1, stamp: stamp(5))
      if !isRemovedFirst { set.remove(1, stamp: stamp(5)) }
      #expect(!set.contains(1))
    }
  }

  @Test func aRemovalArrivesBeforeItsAddition() {
    var set = ElementSet<UInt64>()
    set.remove(1, stamp: stamp(2))
    #expect(set.elements == [] && set.stamp(of: 2) == nil)
    set.insert(1, stamp: stamp(1))
    #expect(!set.contains(1))
  }

  /// [A10] a grant added on A and removed on B concurrently: the later stamp decides, the same on both.
  @Test(arguments: [(3, 4, false), (4, 3, true), (4, 4, false)])
  func a10(added: UInt64, removed: UInt64, isIn: Bool) {
    var first = ElementSet<UInt64>()
    first.insert(7, stamp: stamp(1))
    var second = first
    first.insert(7, stamp: stamp(added))
    second.remove(7, stamp: stamp(removed))
    #expect(first.merging(second).contains(7) == isIn)
    #expect(first.merging(second) == second.merging(first))
  }

  @Test func elementsAreListedInOrder() {
    var set = ElementSet<UInt64>()
    for element: UInt64 in [5, 1, 9, 3] { set.insert(element, stamp: stamp(1)) }
    set.remove(3, stamp: stamp(2))
    #expect(set.elements == [1, 5, 9])
  }
}

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
    #expect(throws: WireError.malformed) {
      try ElementSet<UInt64>(decoding: [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2])
    }
  }
}

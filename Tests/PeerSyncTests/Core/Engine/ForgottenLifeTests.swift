import PeerSyncCore
import Testing

/// F66: what a device acknowledged and any member holds survives that device's restore, also where the device did not notice
/// it and signed other writes under the same dots.
@Suite struct ForgottenLifeTests {
  /// Three devices in sync; the first one's disk as it was then; and what it has written since, which the others hold, or
  /// the second one alone.
  private func forgetful(isHeldByOne: Bool = false) -> Harness {
    let harness = Harness(3)
    meet(harness, [(0, 1), (0, 2)])
    let disk = harness.disks[0]
    harness.cut()
    meet(harness, isHeldByOne ? [(0, 1)] : [(0, 1), (0, 2)])
    for number in 1...3 { harness.write(0, "kept \(number)", [UInt8(number)]) }
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    harness.write(0, "new", [9])
    return harness
  }

  private func meet(_ harness: Harness, _ pairs: [(Int, Int)]) {
    for (left, right) in pairs { harness.connect(left, right) }
    harness.settle()
  }

  /// Fences of copies have nothing to do with it: no run of the first device comes back.
  private func expectAll(_ harness: Harness) {
    for _ in 0..<2 {
      harness.cut()
      meet(harness, [(0, 1), (0, 2), (1, 2)])
      harness.advance(2 * Limits.beatMilliseconds)
    }
    for index in 0..<3 {
      #expect(harness.value(index, "new") == [9], "engine \(index)")
      for number in 1...3 {
        #expect(harness.value(index, "kept \(number)") == [UInt8(number)], "engine \(index), \(number)")
      }
      #expect(harness.replica(index).digest == harness.replica(0).digest)
      #expect(harness.engines[index].setAside == SetAside() && harness.disks[index].setAside == SetAside())
      harness.expectSaved(index)
    }
    #expect(harness.hasBegunAnew(0))
  }

  /// Whoever finds it out first: the device, a peer that is called by it, or one that hears of it from another.
  @Test(arguments: [[(0, 1)], [(1, 0)], [(0, 1), (0, 2)], [(1, 2), (0, 2)], [(0, 2), (1, 2)]])
  func itComesBack(order: [(Int, Int)]) {
    let harness = forgetful()
    for pair in order { meet(harness, [pair]) }
    expectAll(harness)
  }

  /// A device that has met the new life meets the one that holds the old one: both are void, away from their author.
  private func voided() -> Harness {
    let harness = forgetful(isHeldByOne: true)
    meet(harness, [(0, 2)])
    harness.cut()
    for _ in 0..<2 {
      meet(harness, [(1, 2)])
      harness.advance(3 * Limits.beatMilliseconds)
      harness.cut()
    }
    for index in 1...2 {
      #expect(harness.value(index, "kept 1") == nil && harness.value(index, "new") == nil, "engine \(index)")
      #expect(harness.engines[index].setAside != SetAside(), "engine \(index)")
    }
    return harness
  }

  @Test func itWaitsForItsAuthor() {
    let harness = voided()
    // What is set aside is on the disk.
    for index in 1...2 { harness.restart(index) }
    expectAll(harness)
  }

  /// What waits for a device that is removed goes on waiting, should the removal be overruled.
  @Test func itWaitsForARemovedDevice() {
    let harness = voided()
    meet(harness, [(1, 2)])
    harness.request(.remove(harness.identities[0].device, recoveryKey: nil), of: 1)
    harness.settle()
    harness.cut()
    meet(harness, [(1, 2)])
    for index in 1...2 {
      #expect(!harness.engines[index].setAside.parts.isEmpty, "engine \(index)")
      #expect(harness.disks[index].setAside == harness.engines[index].setAside, "engine \(index)")
    }
  }

  /// Void writes have the claims of all forgotten. What a device that is away had written counts all the same when it is
  /// removed then.
  @Test func whoIsAwayIsRemovedWithWhatWasKnown() {
    let harness = Harness(3)
    meet(harness, [(0, 1), (0, 2)])
    harness.write(2, "of who is away", [7])
    harness.settle()
    let disk = harness.disks[0]
    harness.cut()
    meet(harness, [(0, 1)])
    harness.write(0, "forgotten", [1])
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    for number in 0..<2 { harness.write(0, "new \(number)", [UInt8(number)]) }
    for _ in 0..<3 {
      harness.cut()
      meet(harness, [(0, 1)])
      harness.advance(2 * Limits.beatMilliseconds)
    }
    harness.request(.remove(harness.identities[2].device, recoveryKey: nil), of: 1)
    harness.settle()
    for _ in 0..<2 {
      harness.cut()
      meet(harness, [(0, 1)])
    }
    for index in 0..<2 { #expect(harness.value(index, "of who is away") == [7], "engine \(index)") }
  }

  /// ``Limits/setAsideBytes`` and ``Limits/setAsideBytesOfOne``
  @Test func whatIsSetAsideIsBounded() {
    var aside = SetAside()
    #expect(Limits.setAsideBytes == 4 * Limits.setAsideBytesOfOne)
    let half = Limits.setAsideBytesOfOne / 2
    for author in 1...4 {
      let replica = Author(UInt64(author)).replica
      let parts = [half, half, half, 1].enumerated().map { index, count in
        // The same twice is kept once.
        SetAside.Part(replica: replica, commits: [UInt8](repeating: UInt8(index / 2), count: count))
      }
      #expect(aside.add(parts, of: [replica]) == [parts[3]])
      #expect(aside.parts.count == 2 * author)
    }
    let last = SetAside.Part(replica: Author(5).replica, commits: [1])
    #expect(aside.add([last], of: [last.replica]) == [last])
  }

  /// Who does not belong to the group leaves half of the room to those that do.
  @Test func thoseThatWereRemovedTakeHalfOfTheRoom() {
    var aside = SetAside()
    let parts = (1...3).map { author in
      let bytes = [UInt8](repeating: 0, count: Limits.setAsideBytesOfOne)
      return SetAside.Part(replica: Author(UInt64(author)).replica, commits: bytes)
    }
    for part in parts[..<2] { #expect(aside.add([part], of: [part.replica], isMembers: false).isEmpty) }
    #expect(aside.add([parts[2]], of: [parts[2].replica], isMembers: false) == [parts[2]])
    #expect(aside.add([parts[2]], of: [parts[2].replica]).isEmpty)
  }
}

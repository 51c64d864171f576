import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct KnownFloorsTests {
  private let start = Instant(clamping: World.wallStart)

  private func later(_ milliseconds: Int64) -> Instant { start.advanced(byMilliseconds: milliseconds) }

  /// How much is wrong with a device.
  private func faults(
    _ floors: inout KnownFloors, _ floor: Instant?, at monotonic: UInt64 = 0, of device: Int = 0
  ) -> Int {
    let now = Now(wall: start, monotonic: monotonic)
    return floors.faults(of: device, floor, at: now, trueTime: start).count
  }

  @Test func whatWasKnownStays() {
    var floors = KnownFloors()
    let found = [
      faults(&floors, later(10)), faults(&floors, later(15), at: 5), faults(&floors, later(19), at: 10),
      faults(&floors, nil, at: 10), faults(&floors, nil, at: 10, of: 1),
    ]
    #expect(found == [0, 0, 1, 1, 0])
  }

  /// While it was not running, no time passed for it.
  @Test func aStartBeginsWhereTheDiskIs() {
    var floors = KnownFloors()
    floors.started(0, with: later(10))
    let same = faults(&floors, later(10), at: 5)
    floors.started(0, with: later(10))
    let earlier = faults(&floors, later(9), at: 5)
    floors.started(0, with: nil)
    let none = faults(&floors, nil, at: 5)
    #expect([same, earlier, none] == [0, 1, 0])
  }

  @Test func whatIsSaidToBeWithdrawnMayFall() {
    var floors = KnownFloors()
    let before = faults(&floors, later(10)) + faults(&floors, later(10), of: 1)
    floors.forget(0)
    let (told, untold) = (faults(&floors, later(5)), faults(&floors, later(5), of: 1))
    #expect([before, told, untold] == [0, 0, 1])
  }

  @Test func nobodyVouchesForTheFutureWhereTheStoreIsRight() {
    let ahead = later(KnownFloors.skewLimit + 1)
    var floors = KnownFloors()
    let anything = faults(&floors, ahead)
    floors.storeIsRight = true
    let wrong = faults(&floors, ahead)
    let right = faults(&floors, later(KnownFloors.skewLimit), of: 1)
    #expect([anything, wrong, right] == [0, 1, 0])
  }
}

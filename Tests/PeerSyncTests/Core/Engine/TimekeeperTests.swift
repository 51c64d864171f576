import PeerSyncCore
import Testing

@Suite struct TimekeeperTests {
  private static let start: Int64 = 1_800_000_000_000
  private static let minute: Int64 = 60_000
  private let tablet = DeviceID(high: 1, low: 1)
  private let watch = DeviceID(high: 2, low: 1)
  private static let last = Dot(replica: ReplicaID(high: 9, low: 9), sequence: 7)

  private func now(_ passed: Int64, off: Int64 = 0) -> Now {
    Now(wall: Instant(clamping: Self.start + passed + off), monotonic: 9 + UInt64(passed))
  }

  private func running() -> Timekeeper {
    var time = Timekeeper(TrustedTime.Persisted())
    time.know([tablet, watch])
    _ = time.read(now(0))
    return time
  }

  @Test func aClockThatIsSetIsNoticed() {
    var time = running()
    let readings = [
      now(Self.minute, off: Limits.clockDriftMilliseconds), now(Self.minute),
      now(2 * Self.minute, off: 7 * Self.minute), now(3 * Self.minute, off: 7 * Self.minute),
      now(4 * Self.minute),
    ]
    let jumps = readings.map { time.read($0) }
    #expect(jumps == [nil, nil, 7 * Self.minute, nil, -7 * Self.minute])
  }

  @Test func theDatesOfTheStoreAreLookedAtNowAndThen() {
    var time = running()
    let due = Int64(Limits.timeKeptMilliseconds)
    let asked = [due - 1, due, due, due + 1, 2 * due].map { time.takeCheck(now($0)) }
    #expect(asked == [false, true, false, false, true])
  }

  @Test func theFloorIsKeptNowAndThen() throws {
    var time = running()
    // While there is none the running time goes along with a transaction, and wakes no disk.
    let alone = time.takeToKeep(at: now(9 * Self.minute), isAlongside: false)
    #expect(alone == nil)
    let firstKept = time.takeToKeep(at: now(9 * Self.minute), isAlongside: true)
    let first = try #require(firstKept)
    #expect(first.ran == 9 * Self.minute && first.evidence == nil)
    time.trusted.note(now(10 * Self.minute).wall, of: tablet, at: now(10 * Self.minute))
    let second = time.takeToKeep(at: now(10 * Self.minute), isAlongside: false)
    #expect(second?.evidence?.instant == now(10 * Self.minute).wall)
    let kept = [(10, true), (11, false), (11, true), (20, false), (21, false)].map { passed, isAlongside in
      time.takeToKeep(at: now(passed * Self.minute), isAlongside: isAlongside) != nil
    }
    #expect(kept == [false, false, true, false, true])
  }

  /// What is lowered, and who is new, is durable before anything rests on it.
  @Test func whatFellIsKeptAtOnce() {
    var time = running()
    let (ahead, later) = (now(Self.minute, off: 400 * 86_400_000), now(2 * Self.minute))
    time.trusted.note(ahead.wall, of: tablet, at: ahead)
    let wrong = time.takeToKeep(at: ahead, isAlongside: false)
    #expect(wrong?.evidence?.instant == ahead.wall)
    let fallen = time.withdraw(
      [(tablet, later.wall), (watch, later.wall)], after: Self.last, at: later)
    #expect(fallen.map(\.supplier) == [tablet] && time.withdrawals == fallen)
    let kept = time.takeToKeep(at: later, isAlongside: false)
    #expect(kept?.evidence?.instant == later.wall)
    let again = time.takeToKeep(at: later, isAlongside: false)
    time.know([tablet, watch, DeviceID(high: 3, low: 1)])
    let joined = time.takeToKeep(at: later, isAlongside: false)
    #expect(again == nil && joined?.peers.last?.since != nil)
    let lead = time.accept(after: Self.last, at: later)
    let accepted = time.takeToKeep(at: later, isAlongside: false)
    #expect(lead == 0 && accepted?.accepted == later.wall)
  }
}

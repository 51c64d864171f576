import PeerSyncCore
import Testing

@Suite struct HybridLogicalClockTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(clamping: milliseconds) }
  private let drift = Limits.clockDriftMilliseconds

  @Test func followsTheWallClock() throws {
    var clock = HybridLogicalClock()
    #expect(try clock.tick(now: at(1_000)) == Stamp(at(1_000)))
    #expect(try clock.tick(now: at(1_000)) == Stamp(at(1_000), counter: 1))
    #expect(try clock.tick(now: at(1_001)) == Stamp(at(1_001)))
    // Turned back: the counter goes on from the greatest millisecond.
    #expect(try clock.tick(now: at(5)) == Stamp(at(1_001), counter: 1))
  }

  @Test func aFullCounterCarries() throws {
    var clock = HybridLogicalClock(last: Stamp(at(1_000), counter: .max))
    #expect(try clock.tick(now: at(1_000)) == Stamp(at(1_001)))
  }

  @Test func theEndIsAnErrorNotATrap() throws {
    var clock = HybridLogicalClock(last: Stamp(rawValue: .max - 1))
    #expect(try clock.tick(now: at(0)) == Stamp(rawValue: .max))
    for _ in 0..<2 {
      #expect(throws: ClockError.exhausted) { try clock.tick(now: at(.max)) }
      #expect(clock.last == Stamp(rawValue: .max))
    }
  }

  @Test func datesBefore1970CountAs1970() throws {
    var clock = HybridLogicalClock()
    #expect(try clock.tick(now: at(.min)) == Stamp(rawValue: 1))
    try clock.observe(Stamp(at(drift)), now: at(.min))
    #expect(throws: ClockError.self) { try clock.observe(Stamp(at(drift + 1)), now: at(.min)) }
  }

  @Test func hearingDoesNotTick() throws {
    var clock = HybridLogicalClock(last: Stamp(at(1_000)))
    let heard = Stamp(at(2_000), counter: 7)
    try clock.observe(heard, now: at(1_000))
    let once = clock
    try clock.observe(heard, now: at(1_000))
    try clock.observe(Stamp(at(3)), now: at(1_000))
    #expect(clock == once && clock.last == heard)
    #expect(try clock.tick(now: at(1_000)) == Stamp(at(2_000), counter: 8))
  }

  @Test func theDriftIsBounded() throws {
    var clock = HybridLogicalClock()
    let now = at(1_000)
    try clock.observe(Stamp(at(1_000 + drift), counter: .max), now: now)
    let before = clock
    #expect(throws: ClockError.tooFarAhead(milliseconds: drift + 1)) {
      try clock.observe(Stamp(at(1_001 + drift)), now: now)
    }
    #expect(throws: ClockError.self) { try clock.observe(Stamp(rawValue: .max), now: at(.max)) }
    #expect(clock == before)
  }

  @Test(arguments: Seeds.all) func onlyGoesForward(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var clock = HybridLogicalClock()
    var wall: Int64 = 0
    var greatest = clock.last
    for _ in 0..<20_000 {
      switch random.below(10) {
      case 0: wall = Int64.random(in: 0...1_000_000_000_000, using: &random)
      case 1: wall -= Int64(random.below(100_000))
      default: wall += Int64(random.below(3))
      }
      let lead = Int64(random.below(Int(2 * drift))) - drift / 2
      let heard = Stamp(at(wall + lead), counter: UInt16(random.below(4)))
      let isWithin = heard.lead(over: at(wall)) <= drift
      #expect(isWithin == ((try? clock.observe(heard, now: at(wall))) != nil), "PEERSYNC_SEED=\(seed)")
      if isWithin { greatest = max(greatest, heard) }
      #expect(clock.last == greatest, "PEERSYNC_SEED=\(seed)")
      let stamp = try clock.tick(now: at(wall))
      #expect(stamp > greatest && stamp >= Stamp(at(wall)), "PEERSYNC_SEED=\(seed)")
      greatest = stamp
    }
  }
}

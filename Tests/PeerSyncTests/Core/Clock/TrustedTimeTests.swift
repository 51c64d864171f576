import PeerSyncCore
import Testing

@Suite struct TrustedTimeTests {
  static let start: Int64 = 1_800_000_000_000
  static let minute: Int64 = 60_000
  static let day: Int64 = 86_400_000
  private let peer = DeviceID(high: 1, low: 2)

  /// A reading: so long after the start by the monotonic clock, and the wall clock off by so much.
  private func now(_ passed: Int64, off: Int64 = 0) -> Now {
    Now(wall: Instant(clamping: Self.start + passed + off), monotonic: 5_000 + UInt64(passed))
  }

  private func at(_ passed: Int64) -> Instant { Instant(clamping: Self.start + passed) }

  private func running(_ kept: TrustedTime.Persisted = TrustedTime.Persisted()) -> TrustedTime {
    var time = TrustedTime(kept)
    _ = time.know([peer])
    time.begin(now(0))
    return time
  }

  @Test func aClockAloneIsNoEvidence() {
    let time = running()
    #expect(time.evidence(at: now(0, off: 700 * Self.day)) == nil)
    #expect(time.reading(at: now(0, off: 700 * Self.day)).now == at(700 * Self.day))
    #expect(time.reading(at: now(10)).now == at(10))
    #expect(time.reading(at: now(10)).voucher == nil && time.reading(at: now(10)).rollback == nil)
  }

  // MARK: The store

  @Test func theStoreMovesOnWithMonotonicTime() {
    var time = running()
    time.note(signed: at(3 * Self.minute), at: now(0))
    let later = time.reading(at: now(40 * Self.day, off: -60 * Self.day))
    #expect(later.now == at(40 * Self.day + 3 * Self.minute))
    #expect(later.voucher == .store(signed: at(3 * Self.minute)))
    #expect(later.rollback == 60 * Self.day + 3 * Self.minute)
    // An older fact that comes late changes nothing.
    time.note(signed: at(Self.minute), at: now(41 * Self.day))
    #expect(time.evidence(at: now(41 * Self.day))?.instant == at(41 * Self.day + 3 * Self.minute))
  }

  /// Apple signs with no wrong clock; a simulated store does.
  @Test func datesOfASimulatedStoreAreBounded() {
    let time = running(TrustedTime.Persisted(made: at(0)))
    let limit = time.storeLimit(in: .sandbox, at: now(5, off: 700 * Self.day))
    #expect(limit == at(5 + Limits.simulatedLeadMilliseconds))
    #expect(time.storeLimit(in: .xcode, at: now(5)) == limit)
    #expect(time.storeLimit(in: .production, at: now(5)) == Instant(clamping: .max))
  }

  /// [F70] However many dates there are, each 23 hours behind the one before, and however often they are looked at: the present
  /// is never more than a day ahead of the time that has passed.
  @Test func datesOfASimulatedStoreNeverWalkAhead() {
    var time = running(TrustedTime.Persisted(made: at(0)))
    let dates = (1...400).map { at(Int64($0) * 23 * 3_600_000) }
    for passed in 0..<400 as Range<Int64> {
      let now = now(passed * Self.minute)
      let limit = time.storeLimit(in: .sandbox, at: now)
      for date in dates where date <= limit { time.note(signed: date, at: now) }
      let present = time.reading(at: now).now
      #expect(present <= at(passed * Self.minute + Limits.simulatedLeadMilliseconds))
    }
  }

  // MARK: Peers

  @Test func twoClocksThatAgreeAreEvidence() {
    var time = running()
    time.note(at(-2 * Self.minute), of: peer, at: now(0))
    #expect(time.evidence(at: now(0))?.instant == at(-2 * Self.minute))
    time.note(at(4 * Self.minute), of: peer, at: now(0))
    // The earlier of the two: a peer never leads.
    #expect(time.evidence(at: now(0)) == TrustedTime.Evidence(instant: at(0), voucher: .peer(peer)))
    #expect(time.reading(at: now(7, off: -Self.day)).voucher == .peer(peer))
  }

  @Test func clocksThatDifferSayNothing() {
    let drift = Limits.clockDriftMilliseconds
    for off in [drift + 1, -drift - 1, 700 * Self.day, -700 * Self.day] {
      var time = running()
      time.note(at(off), of: peer, at: now(0))
      #expect(time.evidence(at: now(0)) == nil)
    }
    var time = running()
    let agreed = (time.note(at(drift), of: peer, at: now(0)), time.note(at(-drift), of: peer, at: now(0)))
    #expect(agreed == (true, true))
  }

  /// A peer whose clock goes too fast does not draw the others along, a little each time.
  @Test func nobodyIsDrawnAlong() {
    var time = running()
    for step in 1...1_000 {
      let now = now(Int64(step) * Self.minute)
      let known = time.reading(at: now).now
      time.note(known.advanced(byMilliseconds: Limits.clockDriftMilliseconds), of: peer, at: now)
      #expect(time.reading(at: now).now == now.wall)
    }
  }

  // MARK: Restarts

  @Test func theFloorOutlivesARestart() {
    var before = running(TrustedTime.Persisted(made: at(0)))
    before.note(at(8 * Self.day), of: peer, at: now(0, off: 8 * Self.day))
    let kept = before.persisted(at: now(Self.day))
    #expect(kept.ran == Self.day && kept.evidence?.instant == at(9 * Self.day))
    var time = TrustedTime(kept)
    #expect(time.reading(at: now(123)).now == at(9 * Self.day))
    time.begin(Now(wall: at(0), monotonic: 77))
    #expect(time.reading(at: Now(wall: at(0), monotonic: 87)).now == at(9 * Self.day + 10))
    // A monotonic clock that goes back does not take it away.
    #expect(time.reading(at: Now(wall: at(0), monotonic: 1)).now == at(9 * Self.day))
    // What dates of a simulated store are measured against has run on as well.
    let limit = time.storeLimit(in: .sandbox, at: Now(wall: at(0), monotonic: 87))
    #expect(limit == at(Self.day + 10 + Limits.simulatedLeadMilliseconds))
  }

  // MARK: Any movement of any clock

  /// [B24] Coverage that has ended by what is vouched for never comes back, whatever the clock is set to. [B25] And nobody is
  /// ever taken beyond the true time while the own clock is right, however wrong it was before, and however wrong one peer
  /// is.
  @Test(arguments: Seeds.all) func noMovementProlongsOrShortens(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var world = ClockWorld(&random)
      for _ in 0..<300 {
        world.step(&random)
        if let problem = world.problem {
          Issue.record("PEERSYNC_SEED=\(seed): \(problem)")
          return
        }
      }
    }
  }
}

/// A device in true time with a clock that somebody plays with, a right peer, a wrong one, and the store.
private struct ClockWorld {
  private var time: TrustedTime
  private var kept: TrustedTime.Persisted
  private var truth: Int64 = 0
  private var monotonic: UInt64 = 0
  private var off: Int64 = 0
  private var known: Instant?
  private let end: Int64
  private(set) var problem: String?

  private static let peer = DeviceID(high: 1, low: 1)

  init(_ random: inout SeededGenerator) {
    kept = TrustedTime.Persisted(made: Instant(clamping: TrustedTimeTests.start))
    time = TrustedTime(kept)
    _ = time.know([Self.peer])
    time.begin(Now(wall: Instant(clamping: TrustedTimeTests.start), monotonic: 0))
    end = Int64(random.below(20)) * TrustedTimeTests.day
  }

  private var now: Now {
    Now(wall: Instant(clamping: TrustedTimeTests.start + truth + off), monotonic: monotonic)
  }

  mutating func step(_ random: inout SeededGenerator) {
    switch random.below(10) {
    case 0..<4: pass(Int64(random.below(6 * 3_600_000)))
    case 4: off = random.chance(1, of: 2) ? 0 : Int64.random(in: -900...900, using: &random) * 3_600_000
    case 5: off = -Int64(random.below(40)) * TrustedTimeTests.day
    case 6: time.note(clock(off: 0), of: Self.peer, at: now)
    case 7:
      // Wrong by days and half an hour: no agreement with a clock that is right, nor with one that is wrong by whole hours.
      let wrong = Int64(1 + random.below(700)) * TrustedTimeTests.day + 1_800_000
      time.note(clock(off: wrong), of: Self.peer, at: now)
    case 8: time.note(signed: clock(off: -Int64(random.below(100_000_000))), at: now)
    default: restart(off: Int64(random.below(100_000_000)))
    }
    check()
  }

  private func clock(off: Int64) -> Instant { Instant(clamping: TrustedTimeTests.start + truth + off) }

  private mutating func pass(_ milliseconds: Int64) {
    truth += milliseconds
    monotonic += UInt64(milliseconds)
    known = known?.advanced(byMilliseconds: milliseconds)
    if milliseconds > 3_600_000 { kept = time.persisted(at: now) }
  }

  private mutating func restart(off milliseconds: Int64) {
    truth += milliseconds
    monotonic = 3
    time = TrustedTime(kept)
    _ = time.know([Self.peer])
    time.begin(now)
    known = kept.evidence?.instant
  }

  private mutating func check() {
    let reading = time.reading(at: now)
    if let floor = reading.evidence?.instant, floor > clock(off: 0) {
      problem = "vouched for \(floor) at \(clock(off: 0))"
    }
    if off == 0, reading.now != now.wall { problem = "a right clock at \(now.wall) shows \(reading.now)" }
    if let known, reading.now < known { problem = "it was after \(known), and now is \(reading.now)" }
    let limit = Instant(clamping: TrustedTimeTests.start + end)
    if let known, known >= limit, reading.now < limit { problem = "coverage came back" }
    known = max(known ?? .epoch, reading.evidence?.instant ?? .epoch)
  }
}

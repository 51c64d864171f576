import PeerSyncCore
import Testing

/// [F68] Bounds are kept for each supplier, and fall when the clocks that made them say otherwise.
@Suite struct TimeBoundsTests {
  static let start: Int64 = 1_800_000_000_000
  private static let day: Int64 = 86_400_000
  private static let minute: Int64 = 60_000
  private static let ahead = 400 * day
  private let tablet = DeviceID(high: 1, low: 1)
  private let watch = DeviceID(high: 2, low: 1)
  private let mac = DeviceID(high: 3, low: 1)

  private func now(_ passed: Int64, off: Int64 = 0) -> Now {
    Now(wall: Instant(clamping: Self.start + passed + off), monotonic: 9 + UInt64(passed))
  }

  private func at(_ passed: Int64) -> Instant { Instant(clamping: Self.start + passed) }

  private func clocks(_ devices: [DeviceID], _ wall: Instant) -> [(device: DeviceID, wall: Instant)] {
    devices.map { ($0, wall) }
  }

  /// A device that has met all three, and then, 400 days ahead, those that were ahead alike.
  private func wrongAlike(_ others: [DeviceID], members: [DeviceID]? = nil) -> TrustedTime {
    var time = TrustedTime()
    _ = time.know(members ?? [tablet, watch, mac])
    time.begin(now(0))
    for member in members ?? [tablet, watch, mac] { time.note(at(0), of: member, at: now(0)) }
    for other in others {
      time.note(at(Self.minute + Self.ahead), of: other, at: now(Self.minute, off: Self.ahead))
    }
    return time
  }

  @Test func aBoundOfEachIsShown() {
    let bounds = wrongAlike([tablet]).bounds(at: now(2 * Self.minute))
    #expect(bounds.map(\.evidence.voucher) == [.peer(tablet), .peer(watch), .peer(mac)])
    #expect(
      bounds.map(\.evidence.instant) == [
        at(Self.ahead + 2 * Self.minute), at(2 * Self.minute), at(2 * Self.minute),
      ])
    #expect(bounds.map(\.vouched) == [at(Self.ahead + Self.minute), at(0), at(0)])
  }

  @Test func threeClocksLowerABound() {
    var time = wrongAlike([tablet])
    let later = now(5 * Self.minute)
    #expect(time.reading(at: later).now == at(Self.ahead + 5 * Self.minute))
    let fallen = time.withdraw(clocks([tablet, watch], later.wall), at: later)
    #expect(fallen.map(\.supplier) == [tablet] && fallen.map(\.witness) == [watch])
    #expect(fallen.map(\.lead) == [Self.ahead])
    #expect(time.reading(at: later).now == later.wall && time.reading(at: later).voucher == nil)
    // And they stay down, through a restart as well.
    let again = TrustedTime(time.persisted(at: later))
    #expect(again.reading(at: later).now == later.wall)
  }

  @Test func fewerClocksLowerNothing() {
    let later = now(5 * Self.minute)
    let wrong = at(Self.ahead + 5 * Self.minute)
    for heard in [
      [], clocks([tablet], later.wall), clocks([watch, mac], later.wall),
      clocks([watch], later.wall) + clocks([tablet], wrong), clocks([tablet, watch], wrong),
      // The two others are each within the drift of this clock, and not of each other.
      clocks([tablet], at(9 * Self.minute)) + clocks([watch], at(Self.minute)),
    ] {
      var time = wrongAlike([tablet])
      let fell = time.withdraw(heard, at: later)
      #expect(fell.isEmpty)
      #expect(time.reading(at: later).now == wrong)
    }
    // Nor while this device's own clock is wrong.
    var time = wrongAlike([tablet])
    #expect(
      time.withdraw(clocks([tablet, watch], later.wall), at: now(5 * Self.minute, off: Self.day)).isEmpty)
  }

  /// Of devices that were wrong alike none is the witness of another.
  @Test func whoWasWrongAlikeIsNoWitness() {
    let later = now(5 * Self.minute)
    var time = wrongAlike([tablet, watch], members: [tablet, watch])
    let none = time.withdraw(clocks([tablet, watch], later.wall), at: later)
    #expect(none.isEmpty)
    // With a third both fall, and only once the clocks of both are right.
    time = wrongAlike([tablet, watch])
    let first = time.withdraw(clocks([tablet, mac], later.wall), at: later)
    #expect(first.map(\.supplier) == [tablet])
    #expect(time.reading(at: later).voucher == .peer(watch))
    let second = time.withdraw(clocks([watch, mac], later.wall), at: later)
    #expect(second.map(\.supplier) == [watch])
    #expect(time.reading(at: later).voucher == nil)
    time = wrongAlike([tablet, watch])
    #expect(
      time.withdraw(clocks([tablet, watch, mac], later.wall), at: later).map(\.supplier) == [tablet, watch])
  }

  /// A freshly paired device lowers nobody's bound, however long the supplier vouches on.
  @Test func whoCameLaterIsNoWitness() {
    var time = wrongAlike([tablet], members: [tablet])
    let news = time.know([tablet, mac])
    #expect(news)
    for passed in stride(from: 2 * Self.minute, to: 40 * Self.day, by: 7 * 3_600_000) {
      time.note(at(passed + Self.ahead), of: tablet, at: now(passed, off: Self.ahead))
    }
    let later = now(40 * Self.day)
    let none = time.withdraw(clocks([tablet, mac], later.wall), at: later)
    #expect(none.isEmpty)
    // It is one of what has been vouched for since.
    let further = 2 * Self.ahead
    time.note(at(40 * Self.day + further), of: tablet, at: now(40 * Self.day, off: further))
    let still = time.withdraw(clocks([tablet, mac], later.wall), at: later)
    #expect(still.isEmpty)
    let before = at(40 * Self.day + Self.ahead)
    let wall = Now(wall: before, monotonic: later.monotonic)
    let since = time.withdraw(clocks([tablet, mac], before), at: wall)
    #expect(since.map(\.lead) == [Self.ahead])
  }

  /// Who came in while others were ahead is a witness like any other once that is withdrawn.
  @Test func whatIsWithdrawnBindsNobody() {
    var time = wrongAlike([tablet], members: [tablet, watch])
    _ = time.know([tablet, watch, mac])
    let later = now(5 * Self.minute)
    #expect(!time.hasWitness(among: [tablet, mac], at: later) && time.hasWitness(among: [watch], at: later))
    let first = time.withdraw(clocks([tablet, watch], later.wall), at: later)
    time.note(at(6 * Self.minute + Self.ahead), of: tablet, at: now(6 * Self.minute, off: Self.ahead))
    let end = now(7 * Self.minute)
    #expect(time.hasWitness(among: [tablet, mac], at: end))
    let second = time.withdraw(clocks([tablet, mac], end.wall), at: end)
    #expect(first.map(\.witness) == [watch] && second.map(\.witness) == [mac])
  }

  /// Who was removed is not asked any more, and nothing else is different.
  @Test func whoIsNoMemberAnyMoreIsNotAsked() {
    let later = now(5 * Self.minute)
    for members in [[watch, mac], [tablet, watch, mac]] {
      var time = wrongAlike([tablet])
      _ = time.know(members)
      let fallen = time.withdraw(clocks([watch], later.wall), at: later)
      #expect(fallen.map(\.supplier) == (members.contains(tablet) ? [] : [tablet]))
      #expect((time.reading(at: later).now == later.wall) == !members.contains(tablet))
      #expect(time.bounds(at: later).count == members.count)
    }
    // Whoever was wrong alike is no witness of it either.
    var time = wrongAlike([tablet, watch])
    _ = time.know([watch, mac])
    let none = time.withdraw(clocks([watch], later.wall), at: later)
    #expect(none.isEmpty)
    // Where nobody may accept, nobody turns the time back by a removal.
    time = TrustedTime(
      TrustedTime.Persisted(
        peers: wrongAlike([tablet]).persisted(at: now(Self.minute)).peers, mayAccept: false))
    _ = time.know([watch, mac])
    let forbidden = time.withdraw(clocks([watch], later.wall), at: later)
    #expect(forbidden.isEmpty && time.bounds(at: later).count == 3)
  }

  /// A stamp is not borne out by what a simulated store signs.
  @Test func whatBearsOutAStamp() {
    var time = wrongAlike([])
    let later = now(5 * Self.minute)
    time.note(signed: at(Self.day), at: later)
    #expect(time.borneOut(in: .sandbox, at: later) == later.wall)
    #expect(time.borneOut(in: .production, at: later) == at(Self.day))
    let ahead = wrongAlike([tablet]).borneOut(in: .sandbox, at: later)
    #expect(ahead == at(Self.ahead + 5 * Self.minute))
  }

  @Test func theStoreIsNotOverruled() {
    var time = wrongAlike([tablet])
    time.note(signed: at(Self.day), at: now(Self.minute))
    let later = now(Self.minute)
    let fell = time.withdraw(clocks([tablet, watch], later.wall), at: later)
    #expect(fell.count == 1)
    #expect(time.reading(at: later).voucher == .store(signed: at(Self.day)))
    let lead = time.accept(at: later)
    #expect(lead == Self.day - Self.minute && time.reading(at: later).now == at(Self.day))
  }

  @Test func aPersonDecides() {
    var time = wrongAlike([tablet], members: [tablet])
    let later = now(5 * Self.minute)
    let lead = time.accept(at: later)
    #expect(lead == Self.ahead && time.bounds(at: later).isEmpty)
    #expect(time.reading(at: later).now == later.wall && time.reading(at: later).accepted == later.wall)
    // What is vouched for from now on counts as ever.
    time.note(later.wall, of: tablet, at: later)
    #expect(time.reading(at: now(6 * Self.minute, off: -Self.day)).now == at(6 * Self.minute))
    // And the clock that was accepted is what newcomers are measured against.
    _ = time.know([tablet, mac])
    time.note(at(6 * Self.minute + Self.ahead), of: tablet, at: now(6 * Self.minute, off: Self.ahead))
    let end = now(7 * Self.minute)
    let fell = time.withdraw(clocks([tablet, mac], end.wall), at: end)
    #expect(fell.count == 1)
  }

  /// Values of a disk, or of a peer's clock, at the ends of their ranges.
  @Test(arguments: [Int64.min, -1, 0, .max]) func nothingOverflows(number: Int64) {
    let bound = TrustedTime.Bound(origin: number, vouched: at(0))
    let peers = [tablet, watch].map { TrustedTime.Peer(device: $0, since: number, bound: bound) }
    var time = TrustedTime(TrustedTime.Persisted(ran: number, store: bound, peers: peers))
    let ends = [
      Now(wall: Instant(clamping: .min), monotonic: 0), Now(wall: Instant(clamping: .max), monotonic: .max),
    ]
    for now in ends {
      time.begin(now)
      time.note(signed: now.wall, at: now)
      time.note(now.wall, of: tablet, at: now)
      _ = time.withdraw(clocks([tablet, watch], now.wall), at: now)
      #expect(time.reading(at: now).now >= now.wall)
      _ = time.storeLimit(in: .sandbox, at: now)
      _ = TrustedTime(time.persisted(at: now)).bounds(at: now)
      _ = time.accept(at: now)
    }
  }

  // MARK: The slow twin

  /// Whatever happens, it is as what was said tells when all of it is gone through.
  @Test(arguments: Seeds.all) func isItsSlowTwin(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var world = BoundsWorld()
      for _ in 0..<120 {
        world.step(&random)
        if let problem = world.problem {
          Issue.record("PEERSYNC_SEED=\(seed): \(problem)")
          return
        }
      }
    }
  }
}

/// A device whose clock, and those of its peers, are one of a few; and all that was ever said, by the running time.
private struct BoundsWorld {
  private struct Statement {
    /// Nil: the store.
    let supplier: DeviceID?
    let time: Int64
    let ran: Int64
  }

  private var time = TrustedTime()
  private var said: [Statement] = []
  /// The floor when each came in, and the running time then.
  private var since: [DeviceID: (floor: Int64, ran: Int64)?] = [:]
  /// Who belongs to the group no more.
  private var gone: Set<DeviceID> = []
  private var ran: Int64 = 0
  /// Monotonic time of the present start.
  private var began: Int64 = 0
  private var off: Int64 = 0
  private(set) var problem: String?

  private static let drift = Limits.clockDriftMilliseconds
  private static let devices = (1...4).map { DeviceID(high: $0, low: 0) }

  init() { time.begin(now) }

  private var now: Now {
    Now(
      wall: Instant(clamping: TimeBoundsTests.start + ran + off), monotonic: UInt64(clamping: ran - began))
  }

  private func clock(_ random: inout SeededGenerator) -> Int64 {
    let jitter = Int64.random(in: -200_000...200_000, using: &random)
    return [0, 0, 900_000, 86_400_000, -86_400_000][random.below(5)] + jitter
  }

  mutating func step(_ random: inout SeededGenerator) {
    let device = Self.devices[random.below(4)]
    let before = floor
    var mayFall = false
    switch random.below(12) {
    case 0..<3: ran += Int64(random.below(600_000))
    case 3, 4: off = clock(&random)
    case 5: if random.below(4) == 0 { forget(device) } else { know(device) }
    case 6..<8: note(device, clock(&random))
    case 8:
      mayFall = true
      withdraw(&random)
    case 9: if random.below(3) == 0 { sign(clock(&random)) }
    case 10: restart()
    default:
      mayFall = true
      if random.below(6) == 0 { accept() }
    }
    compare()
    if !mayFall, let before, floor ?? .min < before { problem = "the floor fell by itself" }
    let store = said.filter { $0.supplier == nil }.map(value).max()
    if let store, time.reading(at: now).now.milliseconds < store { problem = "below what the store signed" }
  }

  private func value(_ statement: Statement) -> Int64 { statement.time + ran - statement.ran }
  private func bound(of device: DeviceID?) -> Int64? {
    said.filter { $0.supplier == device }.map(value).max()
  }
  private var floor: Int64? { said.map(value).max() }
  private var wall: Int64 { now.wall.milliseconds }

  private mutating func know(_ device: DeviceID) {
    if since[device] == nil { since[device] = .some(floor.map { ($0, ran) }) }
    gone.remove(device)
    _ = time.know(Set(since.keys).subtracting(gone))
  }

  private mutating func forget(_ device: DeviceID) {
    guard since[device] != nil else { return }
    gone.insert(device)
    _ = time.know(Set(since.keys).subtracting(gone))
  }

  private mutating func note(_ device: DeviceID, _ offset: Int64) {
    guard since[device] != nil, !gone.contains(device) else { return }
    let clock = TimeBoundsTests.start + ran + offset
    let agrees = abs(clock - wall) <= Self.drift
    let earlier = min(clock, wall)
    if agrees, bound(of: device).map({ $0 - earlier <= Self.drift }) ?? true {
      said.append(Statement(supplier: device, time: earlier, ran: ran))
    }
    if time.note(Instant(clamping: clock), of: device, at: now) != agrees { problem = "agrees otherwise" }
  }

  private mutating func sign(_ offset: Int64) {
    let date = TimeBoundsTests.start + ran + offset
    said.append(Statement(supplier: nil, time: date, ran: ran))
    time.note(signed: Instant(clamping: date), at: now)
  }

  private mutating func withdraw(_ random: inout SeededGenerator) {
    let heard = Self.devices.filter { since[$0] != nil && !gone.contains($0) }.shuffled(using: &random)
      .map { (device: $0, wall: TimeBoundsTests.start + ran + clock(&random)) }
    // Whoever is gone is taken to say what this clock says.
    let fallen = (heard + gone.map { (device: $0, wall: wall) }).filter { supplier in
      guard abs(supplier.wall - wall) <= Self.drift, let bound = bound(of: supplier.device) else {
        return false
      }
      return heard.contains { witness in
        let clocks = [supplier.wall, witness.wall, wall]
        guard let first = clocks.min(), let last = clocks.max(), last - first <= Self.drift else {
          return false
        }
        let limit = first + Self.drift
        let own = self.bound(of: witness.device)
        let joined = (since[witness.device] ?? nil).map { $0.floor + ran - $0.ran }
        return witness.device != supplier.device && bound > limit && own ?? .min <= limit
          && joined ?? .min <= limit
      }
    }
    for supplier in fallen {
      said.removeAll { $0.supplier == supplier.device }
      if !gone.contains(supplier.device) {
        said.append(Statement(supplier: supplier.device, time: min(supplier.wall, wall), ran: ran))
      }
    }
    // Nobody came in after what nobody vouches for any more.
    if !fallen.isEmpty { lowerSince(to: floor ?? .max) }
    let found = time.withdraw(heard.map { ($0.device, Instant(clamping: $0.wall)) }, at: now)
    if Set(found.map(\.supplier)) != Set(fallen.map(\.device)) {
      problem = "\(found) fell, and by what was said \(fallen)"
    }
  }

  private mutating func accept() {
    said.removeAll { $0.supplier != nil }
    lowerSince(to: wall)
    _ = time.accept(at: now)
  }

  private mutating func lowerSince(to limit: Int64) {
    for (device, joined) in since {
      since[device] = .some(joined.map { (min($0.floor + ran - $0.ran, limit), ran) })
    }
  }

  private mutating func restart() {
    time = TrustedTime(time.persisted(at: now))
    _ = time.know(Set(since.keys).subtracting(gone))
    began = ran
    time.begin(now)
  }

  private mutating func compare() {
    let evidence = time.evidence(at: now)?.instant.milliseconds
    if evidence != floor { problem = "the floor is \(evidence ?? -1), and by what was said \(floor ?? -1)" }
    let bounds = Set(time.bounds(at: now).map(\.evidence.instant.milliseconds))
    let expected = Set(([nil] + Self.devices.map(Optional.some)).compactMap { bound(of: $0) })
    if bounds != expected { problem = "the bounds are \(bounds), and by what was said \(expected)" }
  }
}

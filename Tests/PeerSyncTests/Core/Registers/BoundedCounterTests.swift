import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct BoundedCounterTests {
  private let phone = ReplicaID(high: 0, low: 1)
  private let tablet = ReplicaID(high: 0, low: 2)

  /// [D42] 5 credits, two devices apart, each tries 3: at most 5 are spent. [D43] rights are issued where the purchase
  /// was made.
  @Test func d42d43() throws {
    var onPhone = BoundedCounter()
    try onPhone.buy(5, on: phone)
    var onTablet = onPhone
    try onPhone.spend(3, on: phone)
    #expect(throws: CounterError.notEnough(rights: 0)) { try onTablet.spend(3, on: tablet) }
    #expect(onTablet.rights(of: phone) == 5)
    let both = onPhone.merging(onTablet)
    #expect(both.balance == 2 && both.rights(of: phone) == 2 && both.rights(of: tablet) == 0)
  }

  @Test func rightsMove() throws {
    var counter = BoundedCounter()
    try counter.buy(5, on: phone)
    try counter.move(2, from: phone, to: tablet)
    #expect(counter.rights(of: phone) == 3 && counter.rights(of: tablet) == 2)
    try counter.move(1, from: tablet, to: phone)
    #expect(counter.rights(of: phone) == 4 && counter.rights(of: tablet) == 1)
    #expect(throws: CounterError.notEnough(rights: 1)) { try counter.move(2, from: tablet, to: phone) }
    #expect(throws: CounterError.notEnough(rights: 4)) { try counter.spend(5, on: phone) }
    try counter.spend(4, on: phone)
    #expect(counter.balance == 1)
  }

  @Test func refusalsChangeNothing() throws {
    var counter = BoundedCounter()
    try counter.buy(.max, on: phone)
    let before = counter
    #expect(throws: CounterError.overflow) { try counter.buy(1, on: phone) }
    #expect(throws: CounterError.notEnough(rights: 0)) { try counter.spend(1, on: tablet) }
    #expect(throws: CounterError.notEnough(rights: 0)) { try counter.move(1, from: tablet, to: phone) }
    try counter.buy(0, on: tablet)
    try counter.spend(0, on: tablet)
    try counter.move(9, from: phone, to: phone)
    #expect(counter == before)
  }

  /// Rows at the ends of 64 bits, as only a hostile device makes them, are held at the ends, not trapped on.
  @Test func absurdRowsDoNotTrap() throws {
    let most = UInt64.max
    var counter = BoundedCounter()
    for device in [phone, tablet] { try counter.buy(most, on: device) }
    #expect(counter.balance == .max && counter.rights(of: phone) == .max)
    var bytes = counter.encoded
    // Nothing bought, all spent: a debt.
    bytes = [0] + bytes.dropLast(2) + [0]
    let debt = try BoundedCounter(decoding: bytes)
    #expect(debt.balance == .min && debt.rights(of: phone) == .min)
    var broke = debt
    #expect(throws: CounterError.notEnough(rights: .min)) { try broke.spend(1, on: phone) }
  }

  /// Random devices that spend, give and meet: whatever met whom, no more was spent than bought, and none is lost.
  @Test(arguments: Seeds.all) func neverOverspends(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var world = World(devices: 2 + random.below(4))
      for _ in 0..<100 { world.step(&random) }
      let union = world.union
      #expect(world.spent <= world.bought, "PEERSYNC_SEED=\(seed)")
      #expect(union.balance == Int64(world.bought - world.spent), "PEERSYNC_SEED=\(seed)")
      #expect(world.devices.allSatisfy { union.rights(of: $0) >= 0 }, "PEERSYNC_SEED=\(seed)")
      let rights = world.devices.reduce(0) { $0 + union.rights(of: $1) }
      #expect(rights == union.balance, "PEERSYNC_SEED=\(seed)")
    }
  }

  private struct World {
    let devices: [ReplicaID]
    var copies: [BoundedCounter]
    var bought: UInt64 = 0
    var spent: UInt64 = 0

    init(devices count: Int) {
      devices = (0..<count).map { ReplicaID(high: 0, low: UInt64($0)) }
      copies = Array(repeating: BoundedCounter(), count: count)
    }

    var union: BoundedCounter { copies.reduce(BoundedCounter()) { $0.merging($1) } }

    mutating func step(_ random: inout SeededGenerator) {
      let own = random.below(devices.count)
      let other = random.below(devices.count)
      let amount = UInt64(random.below(6))
      switch random.below(4) {
      case 0 where (try? copies[own].buy(amount, on: devices[own])) != nil: bought += amount
      case 1 where (try? copies[own].spend(amount, on: devices[own])) != nil: spent += amount
      case 2: try? copies[own].move(amount, from: devices[own], to: devices[other])
      default: copies[own].merge(copies[other])
      }
    }
  }
}

import PeerSyncCore
import Testing

/// Devices that never were members by what is known here, and of which numbers are named: one that an honest device let in is out with it,
/// and a dishonest member makes up others.
@Suite struct OutsideDeviceTests {
  private let phone = CreditStateTests.replica(0)
  private let tablet = CreditStateTests.replica(1)
  private let liar = CreditStateTests.replica(2)
  private let honest = CreditStateTests.replica(3)

  private static func madeUp(_ number: Int) -> ReplicaID { ReplicaID(high: 1, low: UInt64(number)) }

  private func key(_ number: Int) -> PublicKey { Author(UInt64(number)).key.publicKey }

  /// - Parameter madeUp: how many devices a member makes up
  private func state(madeUp: Int) -> CreditState {
    let members = [phone, tablet, liar].enumerated().map { (CreditHolder($1), key($0 + 1)) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: members),
      members: Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.1, $0) }))
    // Those made up come first by their keys as well.
    let keys = (4..<5 + madeUp).map(key).sorted()
    var named = Dictionary(
      uniqueKeysWithValues: keys.dropLast().enumerated().map { (CreditHolder(Self.madeUp($0)), $1) })
    named[CreditHolder(honest)] = keys.last
    return CreditState(lives: lives.adding(named: named))
  }

  private func lie(_ number: Int, in state: inout CreditState) {
    state.apply(.movedAgain(from: Self.madeUp(number), to: liar, by: liar), total: 1_000_000)
    state.apply(.spent(by: liar), total: 1_000_000 * UInt64(number + 1))
  }

  @Test("F58: what was bought for a device that is out pays for nothing that a member makes up")
  func bought() {
    var state = state(madeUp: 2)
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(honest), sign: 1)
    state.apply(.movedAgain(from: honest, to: phone, by: phone), total: 20)
    state.apply(.movedAgain(from: honest, to: tablet, by: phone), total: 22)
    for number in 0..<2 { lie(number, in: &state) }
    #expect(state.available(to: CreditHolder(phone)) == 20 && state.available(to: CreditHolder(tablet)) == 22)
    #expect(state.available(to: CreditHolder(honest)) == 58 && state.balance == 100)
    #expect(state.shares.first { $0.holder == CreditHolder(honest) }?.rights == 58)
    // Once nothing is bought for it any more it has given what it never had.
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(honest), sign: -1)
    #expect(state.available(to: CreditHolder(phone)) == 0)
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(honest), sign: 1)
    #expect(state.balance == 100)
  }

  @Test(
    "F58: to whom a member gave something pays for nothing that another one makes up",
    arguments: [1, OutsideDevices.vouchedByOne + 1])
  func given(madeUp: Int) {
    var state = state(madeUp: madeUp)
    state.count(CreditStateTests.bought(30, of: 30), at: CreditHolder(phone), sign: 1)
    state.apply(.moved(from: phone, to: honest), total: 10)
    state.apply(.movedAgain(from: honest, to: tablet, by: phone), total: 7)
    for number in 0..<madeUp {
      state.apply(.moved(from: liar, to: Self.madeUp(number)), total: 1)
      lie(number, in: &state)
    }
    #expect(state.available(to: CreditHolder(tablet)) == 7 && state.available(to: CreditHolder(honest)) == 3)
    #expect(state.balance == 30)
    // Beside the liar: those made up that do not stand alone are one.
    #expect(state.shares.filter { $0.rights < 0 }.count == 1 + min(madeUp, OutsideDevices.vouchedByOne + 1))
  }

  @Test("F58: nor is there an order in which it does", arguments: Seeds.all)
  func inAnyOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let entries: [(CreditEntry, UInt64)] = [
        (.moved(from: phone, to: honest), 10), (.movedAgain(from: honest, to: tablet, by: phone), 7),
        (.movedAgain(from: Self.madeUp(0), to: liar, by: liar), 1_000),
        (.movedAgain(from: Self.madeUp(1), to: liar, by: liar), 1_000),
        (.moved(from: liar, to: Self.madeUp(1)), 1), (.spent(by: liar), 3_000),
        (.lost(from: honest, by: tablet), 2),
      ]
      var state = state(madeUp: 2)
      state.count(CreditStateTests.bought(30, of: 30), at: CreditHolder(phone), sign: 1)
      for (entry, total) in entries.shuffled(using: &random) {
        state.apply(entry, total: total)
        if random.chance(2) { _ = state.balance }
      }
      let available = [phone, tablet, honest].map { state.available(to: CreditHolder($0)) }
      #expect(available == [20, 9, 1] && state.balance == 30, "PEERSYNC_SEED=\(seed)")
    }
  }

  /// In a sandbox anybody buys for anybody.
  @Test("I11: what was bought for any number of made-up devices has few of them stand alone")
  func boughtForMany() {
    let many = 2_000
    var state = state(madeUp: many)
    for number in 0..<many {
      state.count(CreditStateTests.bought(1, of: 1), at: CreditHolder(Self.madeUp(number)), sign: 1)
    }
    for (giver, receiver) in zip(0..<many, 1..<many) {
      let gift = CreditEntry.movedAgain(from: Self.madeUp(giver), to: Self.madeUp(receiver), by: liar)
      state.apply(gift, total: 1_000)
    }
    state.apply(.movedAgain(from: Self.madeUp(many - 1), to: liar, by: liar), total: 1_000)
    state.apply(.spent(by: liar), total: 1_000)
    #expect(state.balance == Int64(many) - 1_000)
    #expect(state.shares.count == 1 + OutsideDevices.boughtFor)
  }
}

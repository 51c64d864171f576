import PeerSyncCore
import Testing

/// What came round to where it started nobody pays for.
@Suite struct NetGiftTests {
  private let devices = (0..<6).map { CreditHolder(ReplicaID(high: 9, low: $0 + 1)) }

  private func generated(_ random: inout SeededGenerator) -> NetGifts.Gifts {
    var gifts: NetGifts.Gifts = [:]
    for giver in devices {
      for receiver in devices where giver != receiver && random.chance(2) {
        gifts[giver, default: [:]][receiver] =
          random.chance(9) ? Limits.creditTotal : Int64(random.pick(1...20))
      }
    }
    return gifts
  }

  /// What each has been given less what it gave.
  private func balances(_ gifts: NetGifts.Gifts) -> [Int64] {
    devices.map { device in
      let given = (gifts[device] ?? [:]).values.reduce(0, +)
      return gifts.values.reduce(0) { $0 + ($1[device] ?? 0) } - given
    }
  }

  /// Takes away who gives nothing that is left, again and again, until nobody is.
  private func comesRound(_ gifts: NetGifts.Gifts) -> Bool {
    var left = Set(devices)
    while let last = left.first(where: { (gifts[$0] ?? [:]).keys.allSatisfy { !left.contains($0) } }) {
      left.remove(last)
    }
    return !left.isEmpty
  }

  @Test(
    "F58: nobody's balance changes, no gift grows, and nothing comes round any more", arguments: Seeds.all)
  func nothingComesRound(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let gifts = generated(&random)
      let net = NetGifts(gifts).passed
      #expect(balances(net) == balances(gifts), "PEERSYNC_SEED=\(seed)")
      #expect(!comesRound(net), "PEERSYNC_SEED=\(seed)")
      for (giver, receivers) in net {
        for (receiver, amount) in receivers {
          #expect(1...(gifts[giver]?[receiver] ?? 0) ~= amount, "PEERSYNC_SEED=\(seed)")
        }
      }
      // Where nothing came round nothing changes.
      if !comesRound(gifts) { #expect(net == gifts, "PEERSYNC_SEED=\(seed)") }
    }
  }

  /// It gives back what it is given, or has a third device pass it on, and says in the end that it has spent without end.
  @Test("F58: who gives the credits of another one back costs it nothing", arguments: [false, true])
  func givenBack(isByAnother: Bool) {
    let (victim, liar, other) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), CreditStateTests.replica(2)
    )
    var state = CreditState()
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(victim), sign: 1)
    state.apply(.moved(from: victim, to: liar), total: 1_460)
    state.apply(.moved(from: liar, to: isByAnother ? other : victim), total: 1_435)
    if isByAnother { state.apply(.moved(from: other, to: victim), total: 1_435) }
    #expect(state.available(to: CreditHolder(victim)) == 75 && state.balance == 100)
    state.apply(.spent(by: liar), total: UInt64(Limits.creditTotal))
    #expect(state.available(to: CreditHolder(victim)) == 75 && state.balance == 75)
    #expect(state.doubts.map(\.holder) == [CreditHolder(liar)])
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(victim), sign: 1)
    #expect(state.available(to: CreditHolder(victim)) == 175)
  }

  @Test("F58: a number beyond the limit takes back nothing that was given", arguments: [1, .max] as [UInt64])
  func beyondTheLimit(beyond: UInt64) {
    let (victim, liar) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    var state = CreditState()
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(victim), sign: 1)
    state.apply(.moved(from: victim, to: liar), total: 825)
    state.apply(.moved(from: liar, to: victim), total: 750)
    let number = beyond == 1 ? UInt64(Limits.creditTotal) + 1 : beyond
    state.apply(.moved(from: liar, to: victim), total: number)
    state.apply(.spent(by: liar), total: 75)
    // It says that it gave back all it had, and more.
    #expect(state.available(to: CreditHolder(victim)) == 100 && state.balance == 100)
    #expect(state.doubts.map(\.holder) == [CreditHolder(liar)])
  }
}

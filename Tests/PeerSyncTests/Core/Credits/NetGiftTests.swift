import PeerSyncCore
import Testing

/// What came round to where it started nobody pays for.
@Suite struct NetGiftTests {
  private let devices = (0..<6).map { CreditHolder(ReplicaID(high: 9, low: $0 + 1)) }

  private func generated(_ random: inout SeededGenerator) -> NetGifts.Passed {
    var gifts: NetGifts.Passed = [:]
    for giver in devices {
      for receiver in devices where giver != receiver && random.chance(2) {
        gifts[giver, default: [:]][receiver] =
          random.chance(9) ? Limits.creditTotal : Int64(random.pick(1...20))
      }
    }
    return gifts
  }

  /// What each has been given less what it gave.
  private func balances(_ gifts: NetGifts.Passed) -> [Int64] {
    devices.map { device in
      let given = (gifts[device] ?? [:]).values.reduce(0, +)
      return gifts.values.reduce(0) { $0 + ($1[device] ?? 0) } - given
    }
  }

  /// Takes away of whom nothing passes to those who are left, again and again, until nobody is.
  private func comesRound(_ passed: [NetGifts.Passed]) -> Bool {
    var left = Set(devices)
    while let last = left.first(where: { device in
      passed.allSatisfy { ($0[device] ?? [:]).keys.allSatisfy { !left.contains($0) } }
    }) {
      left.remove(last)
    }
    return !left.isEmpty
  }

  @Test(
    "F58: nobody's balance changes, no gift grows, and nothing comes round any more", arguments: Seeds.all)
  func nothingComesRound(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let passed = [generated(&random), random.chance(2) ? generated(&random) : [:]]
      let net = NetGifts(passed[0], takings: passed[1])
      let left = [net.gifts, net.takings]
      func sums(_ passed: [NetGifts.Passed]) -> [Int64] {
        zip(balances(passed[0]), balances(passed[1])).map { $0 + $1 }
      }
      #expect(sums(left) == sums(passed), "PEERSYNC_SEED=\(seed)")
      #expect(!comesRound(left), "PEERSYNC_SEED=\(seed)")
      for (left, passed) in zip(left, passed) {
        for (giver, receivers) in left {
          for (receiver, amount) in receivers {
            #expect(1...(passed[giver]?[receiver] ?? 0) ~= amount, "PEERSYNC_SEED=\(seed)")
          }
        }
      }
      // Where nothing came round nothing changes.
      if !comesRound(passed) { #expect(left == passed, "PEERSYNC_SEED=\(seed)") }
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

  /// What the victim pays of what it lacks goes back to it, and it says that it has spent that as well.
  @Test("F58: what is taken over of what a member gave, and given back to it, costs no more the next time")
  func takenOverAndGivenBack() {
    let (custodian, liar, gone) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), CreditStateTests.replica(2)
    )
    var state = CreditState()
    for device in [custodian, liar] {
      state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(device), sign: 1)
    }
    state.apply(.moved(from: liar, to: gone), total: 30)
    state.apply(.taken(from: gone, by: custodian), total: 30)
    #expect(state.available(to: CreditHolder(custodian)) == 130)
    var (spent, given) = (UInt64(70), UInt64(0))
    for _ in 0..<5 {
      spent += 100
      state.apply(.spent(by: liar), total: spent)
      #expect(state.available(to: CreditHolder(custodian)) == 100)
      given += UInt64(state.paid(by: CreditHolder(custodian), for: CreditHolder(liar)))
      state.apply(.moved(from: custodian, to: liar), total: given)
    }
    #expect(given == 30 && state.doubts.map(\.holder) == [CreditHolder(liar)])
  }

  @Test("F58: nobody is given anything, nor gives anything", arguments: [false, true])
  func givenToNobody(givesIt: Bool) {
    let (custodian, liar) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    let nobody = ReplicaID(high: 0, low: 0)
    var state = CreditState()
    state.count(CreditStateTests.bought(100, of: 100), at: .nobody, sign: 1)
    state.apply(.taken(from: nobody, by: custodian), total: 100)
    state.apply(.moved(from: custodian, to: liar), total: 40)
    let gift: CreditEntry =
      givesIt ? .movedAgain(from: nobody, to: liar, by: liar) : .moved(from: liar, to: nobody)
    state.apply(gift, total: 1_000)
    #expect(state.rights(of: .nobody) == 0 && state.rights(of: CreditHolder(liar)) == 40)
    state.apply(.spent(by: liar), total: 1_000)
    #expect(state.available(to: CreditHolder(custodian)) == 60 && state.balance == 60)
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

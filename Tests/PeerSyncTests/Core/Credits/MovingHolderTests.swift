import PeerSyncCore
import Testing

/// Holders of credits that nobody knows, as numbers come in that have them be of another group, or known: they move, and the numbers of
/// others are not worked on again.
@Suite struct MovingHolderTests {
  private let devices = (0..<4).map(CreditStateTests.replica)
  /// Before and behind the devices in the order of the holders.
  private let others = (1...4).flatMap {
    [ReplicaID(high: 0, low: UInt64($0)), ReplicaID(high: 9 << 56, low: UInt64($0))]
  }

  private var lives: DeviceLives {
    let keys = devices.enumerated().map { (CreditHolder($1), Author(UInt64($0 + 1)).key.publicKey) }
    return DeviceLives(
      Dictionary(uniqueKeysWithValues: keys),
      members: Dictionary(uniqueKeysWithValues: keys.dropLast().enumerated().map { ($1.1, $0) }))
  }

  /// With some of the others as devices that never were members, two lives of one among them.
  private func lives(naming count: Int) -> DeviceLives {
    let named = others.prefix(count).enumerated().map {
      (CreditHolder($1), Author(UInt64(10 + $0 % 5)).key.publicKey)
    }
    return lives.adding(named: Dictionary(uniqueKeysWithValues: named))
  }

  /// What can be asked.
  private struct Answers: Equatable {
    let shares: [CreditShare]
    let spendable: [CreditShare]
    let available: [Int64]
    let balance: Int64
    let doubted: [CreditHolder]
    let doubts: [Int64]

    init(_ state: inout CreditState, _ holders: [CreditHolder]) {
      (shares, spendable, balance) = (state.shares, state.spendable, state.balance)
      (doubted, doubts) = (state.doubts.map(\.holder), state.doubts.map(\.amount))
      var available: [Int64] = []
      for holder in holders { available.append(state.available(to: holder)) }
      self.available = available
    }
  }

  /// So many that devices are in more groups than they have a word for.
  private var crowd: [ReplicaID] { (1...40).map { ReplicaID(high: 9 << 56, low: UInt64(100 + $0)) } }

  private func entry(_ random: inout SeededGenerator, about others: [ReplicaID]) -> CreditEntry {
    let (one, other, stranger) = (random.pick(devices), random.pick(devices), random.pick(others))
    if random.chance(12) {
      let known: [CreditEntry] = [
        .spent(by: stranger), .moved(from: stranger, to: one), .lost(from: one, by: stranger),
        .spentInAll(stranger, by: one), .spentAgain(stranger, CreditSpend(id: "a", amount: 2), by: one),
        .movedAgain(from: stranger, to: random.pick(others), by: one),
      ]
      return random.pick(known)
    }
    let all: [CreditEntry] = [
      .moved(from: one, to: stranger), .lost(from: stranger, by: one), .taken(from: stranger, by: one),
      .spent(by: one), .moved(from: one, to: other),
    ]
    return random.pick(all)
  }

  @Test("F58: what moves with a holder is what is worked out anew", arguments: Seeds.all, [false, true])
  func likeWorkedOutAnew(seed: UInt64, isCrowded: Bool) {
    var random = SeededGenerator(seed: seed)
    let about = isCrowded ? crowd : others
    let holders = (devices + about).map { CreditHolder($0) }
    for _ in 0..<(isCrowded ? 30 : 150) {
      let lives = lives(naming: random.pick([0, 0, 3, 6]))
      var state = CreditState(lives: lives)
      for device in devices {
        state.count(CreditStateTests.bought(30, of: 30), at: CreditHolder(device), sign: 1)
      }
      var bought: [CreditHolder] = []
      for _ in 0..<random.pick(isCrowded ? 60...160 : 5...40) {
        if random.chance(20) {
          // What was bought for one may be taken back.
          let isBack = !bought.isEmpty && random.chance(2)
          let holder = isBack ? bought.removeLast() : random.pick(holders)
          if !isBack { bought.append(holder) }
          state.count(CreditStateTests.bought(5, of: 5), at: holder, sign: isBack ? -1 : 1)
        } else {
          let total = random.chance(5) ? 1_000_000 : UInt64(random.pick(0...40))
          state.apply(entry(&random, about: about), total: total)
        }
        var anew = state
        anew.lives = DeviceLives()
        anew.lives = lives
        let answers = Answers(&state, holders)
        #expect(answers == Answers(&anew, holders), "PEERSYNC_SEED=\(seed)")
      }
    }
  }

  /// A device with credits that has given some to holders that it made up.
  private func liar(givingTo count: Int) -> CreditState {
    var state = CreditState(lives: lives)
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(devices[0]), sign: 1)
    for number in 0..<count { state.apply(.moved(from: devices[1], to: Self.madeUp(number)), total: 5) }
    _ = state.balance
    return state
  }

  private static func madeUp(_ number: Int) -> ReplicaID { ReplicaID(high: 9 << 56, low: UInt64(number)) }

  @Test("a member that has holders it made up change their groups has no other numbers worked on")
  func onlyTheHolderMoves() {
    var state = liar(givingTo: 200)
    for number in 0..<150 {
      state.apply(.lost(from: Self.madeUp(number), by: devices[1]), total: UInt64(1 + number))
      _ = state.balance
    }
    #expect(state.workings == 1)
    #expect(state.available(to: CreditHolder(devices[0])) == 100)
  }

  @Test("a holder that is known from now on has no numbers of others worked on")
  func onlyWhoIsKnownMoves() {
    var state = liar(givingTo: 200)
    let entries: [CreditEntry] = [
      .spent(by: Self.madeUp(0)), .moved(from: Self.madeUp(1), to: devices[0]),
      .lost(from: Self.madeUp(3), by: Self.madeUp(2)), .spentInAll(Self.madeUp(4), by: devices[1]),
      .spentAgain(Self.madeUp(5), CreditSpend(id: "a", amount: 2), by: devices[1]),
      .spend(by: Self.madeUp(6), slot: 1, CreditSpend(id: "b", amount: 2)),
    ]
    for entry in entries {
      state.apply(entry, total: 2)
      _ = state.balance
    }
    let bought = CreditStateTests.bought(9, of: 9)
    for number in [7, 200] {
      state.count(bought, at: CreditHolder(Self.madeUp(number)), sign: 1)
      _ = state.balance
    }
    #expect(state.workings == 1)
  }
}

import PeerSyncCore
import Testing

/// Lives of devices that were cut, and what is named of them.
@Suite struct CutLifeTests {
  /// A removed device may make up lives by the ten thousand, and a member names gifts from each to the next.
  @Test("F58: lives that are named pay for one another, however many there are") func livesThatAreNamed() {
    let (phone, tablet, removed) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), Author(3).key.publicKey
    )
    let keys = [CreditHolder(phone): Author(1).key.publicKey, CreditHolder(tablet): Author(2).key.publicKey]
    let madeUp = (1...20_000).map { ReplicaID(high: 9 << 56, low: $0) }
    // Their keys are made up as well.
    let made = (0..<50).map { Author(3 + $0).key.publicKey }
    let named = Dictionary(
      uniqueKeysWithValues: madeUp.enumerated().map { (CreditHolder($1), made[$0 % made.count]) })
    var state = CreditState(lives: DeviceLives(keys).adding(named: named))
    state.count(CreditStateTests.bought(5, of: 5), at: CreditHolder(phone), sign: 1)
    state.apply(.moved(from: phone, to: tablet), total: 2)
    for (giver, receiver) in zip(madeUp, madeUp.dropFirst()) {
      state.apply(.movedAgain(from: giver, to: receiver, by: tablet), total: 1_000)
    }
    state.apply(.movedAgain(from: madeUp[19_999], to: tablet, by: tablet), total: 1_000)
    // Nobody had it, and the tablet has nothing of it.
    #expect(state.balance == 5 && state.available(to: CreditHolder(tablet)) == 2)
    #expect(state.doubts.map(\.holder) == [CreditHolder(madeUp[0])] && state.doubts.map(\.amount) == [1_000])
    state.apply(.spent(by: tablet), total: 900)
    #expect(state.available(to: CreditHolder(phone)) == 3)
    // What was bought on one of them is its own, and so is what was bought on one that nobody has met.
    state.count(CreditStateTests.bought(7, of: 7), at: CreditHolder(madeUp[7]), sign: 1)
    state.count(
      CreditStateTests.bought(7, of: 7), at: CreditHolder(ReplicaID(high: 8 << 56, low: 1)), sign: 1)
    #expect(state.doubts.map(\.amount) == [1_000])
    // Of a device some life of which counts that one stands for all.
    let life = CreditHolder(CreditStateTests.replica(2))
    state.lives = DeviceLives(keys.merging([life: removed]) { first, _ in first })
      .adding(named: named.mapValues { _ in removed })
    #expect(state.doubts.map(\.holder) == [life] && state.doubts.map(\.amount) == [993])
  }

  /// Of a life that was cut its spends are remembered in slots, which a dishonest device uses again and again.
  @Test(
    "F66: a life that was cut has spent what is remembered and named, whatever was before",
    arguments: Seeds.all)
  func cutLives(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (life, later, last) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), CreditStateTests.replica(2)
    )
    for _ in 0..<100 {
      var (state, held) = (CreditState(), [RegisterKey: (entry: CreditEntry, total: UInt64)]())
      for _ in 0..<random.pick(1...40) {
        let spend = CreditSpend(id: "s\(random.below(6))", amount: Int64(random.pick(1...5)))
        let total = UInt64(random.pick(5...60))
        let entries: [CreditEntry] = [
          .spend(by: life, slot: UInt16(random.below(4)), spend), .spentAgain(life, spend, by: later),
          .spentAgain(life, spend, by: random.pick([later, last])), .spent(by: life),
        ]
        let entry = random.pick(entries)
        let key = entry.key(of: "owls")
        guard (held[key]?.total ?? 0) < total else { continue }
        held[key] = (entry, total)
        state.apply(entry, total: total)
      }
      var anew = CreditState()
      for (_, number) in held.sorted(by: { $0.key < $1.key }) {
        anew.apply(number.entry, total: number.total)
      }
      let ids = (0..<6).map { "s\($0)" }
      #expect(
        ids.map { state.spend($0)?.amount } == ids.map { anew.spend($0)?.amount }, "PEERSYNC_SEED=\(seed)")
      let seen = UInt64(random.pick(1...100))
      for holder in [life, later, last].map({ CreditHolder($0) }) {
        let rights = [state, anew].map { state in
          var state = state
          state.count(CreditStateTests.bought(100, of: 100), at: holder, sign: 1)
          let before = state.rights(of: holder)
          state.apply(.spentInAll(life, by: later), total: seen)
          return [before, state.rights(of: holder)]
        }
        #expect(rights[0] == rights[1], "PEERSYNC_SEED=\(seed)")
      }
    }
  }
}

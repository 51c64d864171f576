import PeerSyncCore
import Testing

/// Holders of credits that nobody knows, of which a member can make up as many as there is room for.
@Suite struct MadeUpHolderTests {
  private let phone = CreditStateTests.replica(0)
  private let tablet = CreditStateTests.replica(1)
  private let liar = CreditStateTests.replica(2)

  private var lives: DeviceLives {
    let keys = [phone, tablet, liar].enumerated().map {
      (CreditHolder($1), Author(UInt64($0 + 1)).key.publicKey)
    }
    let members = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.1, $0) })
    return DeviceLives(Dictionary(uniqueKeysWithValues: keys), members: members)
  }

  private static func madeUp(_ number: Int) -> ReplicaID { ReplicaID(high: 9 << 56, low: UInt64(number)) }

  /// Two devices with 60 and 40 credits, and a third with some of them.
  private func group() -> CreditState {
    var state = CreditState(lives: lives)
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(phone), sign: 1)
    state.apply(.moved(from: phone, to: tablet), total: 40)
    state.apply(.moved(from: phone, to: liar), total: 10)
    return state
  }

  private func available(_ state: inout CreditState) -> [Int64] {
    [phone, tablet, liar].map { state.available(to: CreditHolder($0)) }
  }

  @Test("F58: however many holders a member makes up, they are one", arguments: [1_000, 20_000])
  func madeUpHoldersAreOne(count: Int) throws {
    var state = group()
    for number in 1...count {
      state.apply(.lost(from: Self.madeUp(number), by: liar), total: 1_000)
      state.apply(.moved(from: liar, to: Self.madeUp(count + number)), total: 500)
    }
    // It holds nothing of what it says that it took: with the 10 that it had it pays for that.
    #expect(available(&state) == [50, 40, 0] && state.balance == 100)
    #expect(state.shares.count == 4 && state.spendable.count == 3)
    // It has given away what it never had.
    #expect(state.doubts.map(\.holder) == [CreditHolder(liar)])
    let strange = try #require(state.shares.last)
    #expect(strange.holder == CreditHolder(Self.madeUp(1)) && strange.rights == -500 * Int64(count))
    let lost = state.lost
    #expect(lost.map(\.by) == [liar] && lost.map(\.amount) == [1_000 * Int64(count)])
    // Nor does anybody else pay for it once it has spent that.
    state.apply(.spent(by: liar), total: 1_000_000_000)
    #expect(available(&state) == [50, 40, 0] && state.balance == 90)
    #expect(state.doubts.map(\.holder) == [CreditHolder(liar)] && state.shares.count == 4)
  }

  /// What was given to a device that has not been heard of is its own once it is, whoever makes holders up beside it.
  @Test func whoIsHeardOfIsNoStranger() {
    let late = Self.madeUp(7)
    for isSaidBefore in [true, false] {
      var state = group()
      if isSaidBefore { state.apply(.moved(from: phone, to: late), total: 20) }
      for number in 100...200 { state.apply(.lost(from: Self.madeUp(number), by: liar), total: 1_000) }
      if !isSaidBefore { state.apply(.moved(from: phone, to: late), total: 20) }
      // The liar did not call this one lost.
      #expect(available(&state) == [30, 40, 10] && state.balance == 100)
      // It says itself that it has spent nothing yet: its rights are its own from then on.
      state.apply(.spent(by: late), total: 0)
      #expect(available(&state) == [30, 40, 10] && state.available(to: CreditHolder(late)) == 20)
      #expect(state.spendable.map(\.rights) == [30, 40, 10, 20])
    }
  }

  /// Numbers come in any order, also after somebody has asked: what follows is the same.
  @Test(arguments: Seeds.all) func theOrderDoesNotMatter(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let devices = [phone, tablet, liar]
      let others = (1...4).map(Self.madeUp)
      var entries: [(CreditEntry, UInt64)] = []
      for _ in 0..<random.pick(1...15) {
        let (one, other) = (random.pick(devices), random.pick(devices + others))
        let all: [CreditEntry] = [
          .moved(from: one, to: other), .lost(from: other, by: one), .spent(by: one), .spent(by: other),
          .moved(from: other, to: one),
        ]
        entries.append((random.pick(all), UInt64(random.pick(1...30))))
      }
      let purchases = (0..<random.below(4)).map { _ in
        (CreditStateTests.bought(9, of: 9), CreditHolder(random.pick(devices + others)))
      }
      let states = (0..<3).map { round -> CreditState in
        var state = CreditState(lives: round == 0 ? lives : DeviceLives())
        for (bought, holder) in purchases.shuffled(using: &random) {
          state.count(bought, at: holder, sign: 1)
          if round == 2 { _ = state.balance }
        }
        for (entry, total) in entries.shuffled(using: &random) {
          state.apply(entry, total: total)
          if round == 2 { _ = state.balance }
        }
        // What was bought is taken back, and counts again: its holder is known, a stranger, and known.
        for sign in [-1, 1] as [Int64] {
          for (bought, holder) in purchases { state.count(bought, at: holder, sign: sign) }
          if round == 2 { _ = state.balance }
        }
        state.lives = lives
        return state
      }
      let answers = states.map { state in
        var state = state
        let available = (devices + others).map { state.available(to: CreditHolder($0)) }
        return (state.shares, state.spendable, state.balance, state.doubts.map(\.amount), available)
      }
      for answer in answers.dropFirst() {
        #expect(answer.0 == answers[0].0 && answer.1 == answers[0].1, "PEERSYNC_SEED=\(seed)")
        #expect(answer.2 == answers[0].2 && answer.3 == answers[0].3, "PEERSYNC_SEED=\(seed)")
        #expect(answer.4 == answers[0].4, "PEERSYNC_SEED=\(seed)")
        // All together can spend the balance.
        #expect(answer.1.reduce(0) { $0 + $1.rights } == max(answer.2, 0), "PEERSYNC_SEED=\(seed)")
      }
    }
  }

  private static let all: UInt64 = 1_000_000_000_000

  @Test("F58: whoever rightly took over from a lost device does not pay for what was given to a made-up one")
  func madeUpPassages() {
    let (lost, one, other) = (Self.madeUp(5), Self.madeUp(1), Self.madeUp(9))
    for (giftedTo, takenFrom) in [(one, other), (other, one), (one, one)] {
      var state = group()
      state.apply(.moved(from: phone, to: lost), total: 18)
      state.apply(.lost(from: lost, by: phone), total: 18)
      #expect(available(&state) == [50, 40, 10])
      state.apply(.moved(from: liar, to: tablet), total: 3)
      state.apply(.moved(from: liar, to: giftedTo), total: Self.all)
      state.apply(.lost(from: takenFrom, by: liar), total: Self.all)
      state.apply(.spent(by: liar), total: Self.all)
      // What the liar gave is gone.
      #expect(available(&state) == [50, 40, 0] && state.balance == 90)
      #expect(state.doubts.map(\.holder) == [CreditHolder(liar)])
    }
  }

  @Test("F58: whoever took over from a lost device what a liar had given that pays for it")
  func throughOneLostDevice() {
    let lost = [3, 4].map(Self.madeUp)
    var state = group()
    for device in lost { state.apply(.moved(from: phone, to: device), total: 9) }
    state.apply(.moved(from: liar, to: lost[0]), total: 1_000)
    state.apply(.lost(from: lost[0], by: tablet), total: 1_009)
    state.apply(.lost(from: lost[1], by: tablet), total: 9)
    // The tablet has 40 + 18 of what there was, and all that the liar had.
    #expect(available(&state) == [32, 68, 0] && state.balance == 100)
    // A liar says as well that it took all that it gave over again, and has spent it.
    state.apply(.lost(from: lost[0], by: liar), total: Self.all)
    state.apply(.spent(by: liar), total: Self.all)
    #expect(available(&state) == [32, 58, 0] && state.balance == 90)
  }

  @Test("what is lost is told by the devices that held it, however many a member makes up beside them")
  func whoHoldsTheMostIsTold() {
    var state = group()
    for number in 1...2 { state.apply(.moved(from: phone, to: Self.madeUp(number)), total: UInt64(number)) }
    for number in 100..<300 { state.apply(.moved(from: liar, to: Self.madeUp(number)), total: 1_000) }
    let told = state.spendable
    let others = [1, 2, 100].map(Self.madeUp)
    #expect(told.map(\.holder).filter { others.map { CreditHolder($0) }.contains($0) }.count == 3)
    #expect(told.map(\.rights).reduce(0, +) == 100 && told.count == 5)
    // Taken over, they are not there any more, and nobody pays.
    for (device, amount) in zip(others, [1, 2, 10] as [UInt64]) {
      state.apply(.lost(from: device, by: phone), total: amount)
    }
    #expect(available(&state) == [60, 40, 0] && state.balance == 100)
  }

  /// Devices that a liar let in say of holders that they gave them something, or took them over, no two of the same.
  private func crowded(_ state: inout CreditState, by liars: [ReplicaID], of count: Int) {
    for number in 0..<count {
      let madeUp = Self.madeUp(1_000 + number)
      let (one, other) = (number % liars.count, number / liars.count % liars.count)
      state.apply(.moved(from: liars[one], to: madeUp), total: Self.all)
      state.apply(.moved(from: liars[other], to: madeUp), total: UInt64(1 + number))
      state.apply(.lost(from: madeUp, by: liars[(one + other + 1) % liars.count]), total: Self.all)
    }
  }

  @Test("F58: however many groups of holders devices make up, they are told apart by few words of each")
  func madeUpGroupsAreFew() {
    let liars = (100..<130).map(CreditStateTests.replica)
    let keys = ([phone, tablet, liar] + liars).enumerated().map {
      (CreditHolder($1), Author(UInt64($0 + 1)).key.publicKey)
    }
    let members = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.1, $0) })
    var state = group()
    state.lives = DeviceLives(Dictionary(uniqueKeysWithValues: keys), members: members)
    // The tablet took over what the phone had given to a device that is lost.
    let lost = Self.madeUp(5)
    state.apply(.moved(from: phone, to: lost), total: 18)
    state.apply(.lost(from: lost, by: tablet), total: 18)
    for liar in liars { state.apply(.spent(by: liar), total: UInt64(Self.all)) }
    crowded(&state, by: liars, of: 900)
    _ = state.balance
    crowded(&state, by: liars, of: 1_800)
    #expect(state.toldApart <= keys.count + (liars.count + 2) * (3 + CreditState.groupsTold) + 1)
    #expect(available(&state) == [32, 58, 10] && state.balance == 100)
    // It is apart still where a liar says that it had to do with it as well.
    state.apply(.moved(from: liars[0], to: lost), total: 1)
    #expect(available(&state) == [32, 58, 10] && state.balance == 100)
  }
}

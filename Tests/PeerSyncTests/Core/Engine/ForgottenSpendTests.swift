import PeerSyncCore
import PeerSyncSimulation
import Testing

/// F66 for credits: what a device that was set back without noticing it had spent stays spent, once, as far as it or a member
/// knows of it.
@Suite struct ForgottenSpendTests {
  /// Three devices in sync that know of twenty owls of the first one, or more, which has spent three of them.
  private func harness(owls: Int64 = 20) -> Harness {
    let harness = Harness(3)
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: Int(owls / 4))
    harness.request(.addProducts([product], version: 0), of: 0)
    var transaction = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: 4, verification: .simulated)
    transaction.accountToken = CreditHolder(harness.replica(0).id).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: 0)
    #expect(spend(harness, 3, id: "before") == owls - 3)
    meet(harness, [(0, 1), (0, 2)])
    harness.cut()
    return harness
  }

  /// What is left after the first device has spent.
  private func spend(_ harness: Harness, _ amount: Int64, id: String) -> Int64? {
    let request = harness.request(.spend(Spending(credit: "owls", amount: amount, id: id)), of: 0)
    guard case .spent(let spent)? = harness.answers[request] else { return nil }
    return spent.balance
  }

  private func meet(_ harness: Harness, _ pairs: [(Int, Int)]) {
    for (left, right) in pairs { harness.connect(left, right) }
    harness.settle()
  }

  /// Fences and the first evidence of a fork end sessions, and only a repair finds commits that both sides claim and that
  /// differ: until then nobody else holds what the device has spent.
  private func getInStep(_ harness: Harness, _ pairs: [(Int, Int)]) {
    let isInStep = {
      pairs.allSatisfy { left, right in harness.replica(left).digest == harness.replica(right).digest }
    }
    for round in 0..<8 where round < 4 || !isInStep() {
      harness.cut()
      meet(harness, pairs)
      harness.advance(3 * Limits.beatMilliseconds)
    }
    for (left, right) in pairs { #expect(harness.replica(left).digest == harness.replica(right).digest) }
    harness.cut()
  }

  /// Lets pairs meet; a session goes on until a device ends it, and then there is another one.
  private func stayConnected(_ harness: Harness, _ pairs: [(Int, Int)]) {
    var sessions = pairs.map { harness.connect($0.0, $0.1) }
    for _ in 0..<12 {
      harness.advance(Limits.beatMilliseconds)
      let ended = Set(harness.closings.map(\.session))
      for (place, pair) in pairs.enumerated()
      where ended.contains(sessions[place].dialler) || ended.contains(sessions[place].listener) {
        sessions[place] = harness.connect(pair.0, pair.1)
      }
    }
    harness.cut()
  }

  private func balance(_ harness: Harness, _ index: Int) -> Int64 {
    var balance: Int64 = 0
    harness.adjust(index) { engine in balance = engine.ledger { $0.balance("owls") } }
    return balance
  }

  private func expectBalance(_ balance: Int64, _ harness: Harness, seed: UInt64 = 0) {
    getInStep(harness, [(0, 1), (0, 2), (1, 2)])
    for index in 0..<3 {
      #expect(self.balance(harness, index) == balance, "engine \(index), PEERSYNC_SEED=\(seed)")
      #expect(harness.replica(index).digest == harness.replica(0).digest, "PEERSYNC_SEED=\(seed)")
      #expect(harness.engines[index].setAside == SetAside(), "PEERSYNC_SEED=\(seed)")
      harness.expectSaved(index)
    }
  }

  /// Both lives have spent behind what was set back, and nobody holds any more what they had spent before.
  @Test(arguments: [[(0, 1)], [(1, 0)], [(0, 1), (0, 2)], [(1, 2), (0, 2)], [(0, 2), (1, 2)]])
  func whatBothLivesSpentStaysSpent(order: [(Int, Int)]) {
    let harness = harness()
    let disk = harness.disks[0]
    meet(harness, [(0, 1), (0, 2)])
    #expect(spend(harness, 4, id: "forgotten") == 13)
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    #expect(spend(harness, 2, id: "new") == 15)
    for pair in order { meet(harness, [pair]) }
    expectBalance(11, harness)
    // Asked for again, each answers as before.
    #expect(spend(harness, 4, id: "forgotten") == 11 && spend(harness, 2, id: "new") == 11)
  }

  /// What it gave away before it was set back others have spent: it has that much less.
  @Test func whatTheForgottenLifeGaveIsGiven() {
    let harness = harness()
    let disk = harness.disks[0]
    meet(harness, [(0, 1)])
    harness.advance(3 * Limits.beatMilliseconds)
    harness.settle()
    let request = harness.request(.spend(Spending(credit: "owls", amount: 6, id: "of the other")), of: 1)
    harness.settle()
    guard case .spent? = harness.answers[request] else {
      Issue.record("\(String(describing: harness.answers[request]))")
      return
    }
    harness.cut()
    harness.restart(0, from: disk)
    // As much as it believes to hold.
    #expect(spend(harness, 10, id: "new") == 7)
    expectBalance(1, harness)
    // It has spent and given one more than there was. Who was given that one gives it back, and nobody has more than there is.
    for index in 0..<3 {
      harness.adjust(index) { engine in
        #expect(engine.ledger { $0.doubts(of: "owls") }.isEmpty, "engine \(index)")
      }
    }
  }

  /// The lives part earlier than the evidence tells: what is valid of both counts as well.
  @Test func whatLiesBetweenThePartingAndTheCutStaysSpent() {
    let harness = harness()
    let disk = harness.disks[0]
    meet(harness, [(0, 1), (0, 2)])
    #expect(spend(harness, 4, id: "p1") == 13 && spend(harness, 2, id: "p2") == 11)
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    for number in 1...3 { harness.write(0, "value", [UInt8(number)]) }
    #expect(spend(harness, 1, id: "q1") == 16)
    expectBalance(10, harness)
  }

  /// A cut is lowered later, by a life of which no number lies beyond it.
  @Test func aLowerCutCountsNothingTwice() {
    let harness = harness()
    let disk = harness.disks[0]
    meet(harness, [(0, 1)])
    for number in 1...3 { harness.write(0, "value", [UInt8(number)]) }
    #expect(spend(harness, 1, id: "one") == 16)
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    for id in ["two", "three", "four"] { #expect(spend(harness, 1, id: id) != nil) }
    getInStep(harness, [(0, 1)])
    harness.restart(0, from: disk)
    harness.write(0, "value", [9])
    expectBalance(13, harness)
  }

  /// A spend that was asked for once more after the device was set back was made once.
  @Test func whatIsAskedForAgainIsSpentOnce() {
    let harness = harness()
    let disk = harness.disks[0]
    meet(harness, [(0, 1), (0, 2)])
    #expect(spend(harness, 4, id: "same") == 13)
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    #expect(spend(harness, 2, id: "new") == 15 && spend(harness, 4, id: "same") == 11)
    expectBalance(11, harness)
  }

  /// Nothing but the spends shows that the lives have parted: of what was written over no head is left.
  private func forgetHeads(_ harness: Harness) {
    for index in 0..<3 { harness.adjust(index) { $0.holdings.replica.headLimit = 0 } }
  }

  /// One branch spends one owl twice, the other one, behind values written over each other, `amount` and one.
  private func partLives(_ harness: Harness, amount: Int64) {
    let disk = harness.disks[0]
    forgetHeads(harness)
    meet(harness, [(0, 1)])
    for id in ["a1", "a2"] { #expect(spend(harness, 1, id: id) != nil) }
    harness.write(0, "value", [0])
    harness.settle()
    harness.cut()
    harness.restart(0, from: disk)
    forgetHeads(harness)
    for number in 1...30 { harness.write(0, "value", [UInt8(number)]) }
    for (id, amount) in [("b1", amount), ("b2", 1)] { #expect(spend(harness, amount, id: id) != nil) }
    harness.write(0, "value", [31])
  }

  /// The greater number of the later branch says nothing of how many spends lie before it.
  @Test(arguments: [5, 2_000, 5_000] as [Int64]) func howMuchWasSpentDoesNotTellHowOften(amount: Int64) {
    let harness = harness(owls: 20_000)
    partLives(harness, amount: amount)
    expectBalance(20_000 - 3 - 2 - amount - 1, harness)
    for (id, amount) in [("a1", 1), ("a2", 1), ("b1", amount), ("b2", 1)] {
      #expect(spend(harness, amount, id: id) != nil)
    }
    expectBalance(20_000 - 3 - 2 - amount - 1, harness)
  }

  /// Whoever finds out that it holds the other branch gives it back to the device at once, and not only when the two meet again.
  @Test(arguments: [5, 2_000] as [Int64]) func whatIsSetAsideIsGivenBackInTheSameSession(amount: Int64) {
    let harness = harness(owls: 20_000)
    partLives(harness, amount: amount)
    // It does not remember at which vector the two met last.
    harness.restart(1)
    meet(harness, [(0, 1)])
    #expect(harness.hasBegunAnew(0))
    #expect(balance(harness, 0) == 20_000 - 3 - 2 - amount - 1)
    expectBalance(20_000 - 3 - 2 - amount - 1, harness)
  }

  /// The others know that a life has two branches when an older disk of it is put back. What the device then decides before it meets
  /// them stands under an earlier number than what they hold of that life, and yet it was decided later.
  @Test func whatWasDecidedOnAnOlderDiskOfAForkedLifeStays() {
    let harness = harness()
    let oldest = harness.disks[0]
    for number in 1...3 {
      harness.advance(5)
      harness.write(0, "value", [UInt8(number)])
    }
    let older = harness.disks[0]
    #expect(spend(harness, 1, id: "one") != nil)
    getInStep(harness, [(0, 1), (0, 2)])
    harness.restart(0, from: older)
    #expect(spend(harness, 1, id: "other") != nil)
    getInStep(harness, [(0, 1), (0, 2)])
    #expect(harness.hasBegunAnew(0))
    harness.restart(0, from: oldest)
    harness.advance(5)
    harness.write(0, "value", [100])
    getInStep(harness, [(0, 1), (0, 2)])
    for index in 0..<3 { #expect(harness.value(index, "value") == [100], "engine \(index)") }
  }

  /// Two that hold both branches meet before the device meets one of them: what was decided later stays, and all spends.
  @Test(arguments: [false, true], [false, true]) func whatWasDecidedLaterStays(
    isPushed: Bool, isRestarted: Bool
  ) {
    let harness = harness()
    let disk = harness.disks[0]
    if isPushed { meet(harness, [(0, 1)]) }
    for id in ["a1", "a2"] { #expect(spend(harness, 1, id: id) != nil) }
    for number in 1...14 {
      harness.advance(5)
      harness.write(0, "value", [UInt8(number)])
    }
    meet(harness, [(0, 1)])
    harness.cut()
    harness.restart(0, from: disk)
    for number in 100...101 {
      harness.advance(5)
      harness.write(0, "value", [UInt8(number)])
    }
    meet(harness, [(0, 2)])
    harness.cut()
    harness.restart(0, from: disk)
    if isRestarted { for index in 1...2 { harness.restart(index) } }
    stayConnected(harness, [(1, 2)])
    expectBalance(15, harness)
    for index in 0..<3 { #expect(harness.value(index, "value") == [101], "engine \(index)") }
  }

  /// The same disk, or one of several, is put back again and again; the device spends in each life, and meets one of the others
  /// or both, before it is set back and after it, or these meet first. It writes over what would show where its lives part.
  @Test(arguments: Array(2...9) + [1, 20, 24, 33, 34, 37, 47, 73, 94, 108]) func aLoopOfSetBacksLosesNothing(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      let owls = random.pick([20, 100_000] as [Int64])
      let harness = harness(owls: owls)
      var disks = [harness.disks[0]]
      var spends: [(request: RequestID, amount: Int64)] = []
      var written: UInt8 = 0
      for _ in 0..<random.pick(1...4) {
        for _ in 0..<random.pick(1...3) {
          for _ in 0..<random.pick([0, 1, 1, 12]) {
            written = UInt8(truncatingIfNeeded: random.next())
            harness.advance(5)
            harness.write(0, "value", [written])
          }
          guard random.chance(2) else { continue }
          let amount = Int64(random.pick(owls == 20 || random.chance(2) ? 1...2 : 1...5_000))
          let spending = Spending(credit: "owls", amount: amount, id: "s\(spends.count)")
          spends.append((harness.request(.spend(spending), of: 0), amount))
        }
        if random.chance(3) { disks.append(harness.disks[0]) }
        let pairs = random.pick([[(0, 1)], [(0, 2)], [(0, 1), (0, 2)], [(0, 2), (1, 2)]])
        if random.chance(2) { getInStep(harness, pairs) } else { stayConnected(harness, pairs) }
        harness.restart(0, from: random.pick(disks))
        if random.chance(2) { stayConnected(harness, [(1, 2)]) }
      }
      var left = owls - 3
      for spend in spends {
        if case .spent? = harness.answers[spend.request] { left -= spend.amount }
      }
      expectBalance(left, harness, seed: seed)
      for index in 0..<3 where written > 0 {
        #expect(harness.value(index, "value") == [written], "engine \(index), PEERSYNC_SEED=\(seed)")
      }
    }
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Rights that were given out of more than there was go back to whoever lacks them.
@Suite struct ReturnedRightsTests {
  /// A group of three in which the second one knows and has bought something.
  private func group() -> Harness {
    let harness = JoiningTests.pair()
    harness.request(.join(harness.address(0), JoiningTests.key), of: 1)
    harness.advance(1_000)
    harness.add(isAlone: true)
    harness.start(2)
    harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
    harness.request(.join(harness.address(0), JoiningTests.key), of: 2)
    harness.advance(1_000)
    #expect(harness.engines[0].readySessions == 2)
    return harness
  }

  private func buy(_ id: String, _ harness: Harness, by device: Int) {
    var transaction = Transaction(
      transactionId: id, productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), verification: .simulated)
    transaction.accountToken = CreditHolder(harness.replica(device).id).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: device)
    harness.advance(1_000)
  }

  private func available(_ harness: Harness, _ devices: ClosedRange<Int>) -> [Int64] {
    devices.map { device in
      var available: Int64 = 0
      harness.adjust(device) { engine in
        let own = CreditHolder(engine.replica.id)
        available = engine.ledger { $0.available("owls", to: own) }
      }
      return available
    }
  }

  private func settle(_ harness: Harness) {
    for _ in 0..<10 { harness.advance(1_000) }
  }

  /// A member says that what was bought is a thousand million, and is removed.
  @Test("F57: what devices give out of an amount that is taken back goes back", arguments: 0...1)
  func raisedAmount(buyer: Int) {
    let harness = group()
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    harness.request(.addProducts([product], version: 0), of: 0)
    buy("one", harness, by: buyer)
    settle(harness)
    #expect(available(harness, 0...2).reduce(0, +) == 5)
    let raised = Product(id: "five", type: .consumable, credit: "owls", amount: 1_000_000_000)
    harness.request(.addProducts([raised], version: 7), of: 2)
    settle(harness)
    #expect(available(harness, 0...2).allSatisfy { $0 > 100_000_000 })
    let removal = harness.request(
      .remove(harness.identities[2].device, recoveryKey: nil, takingBack: .everything), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
    settle(harness)
    #expect(available(harness, 0...1).reduce(0, +) == 5)
    buy("two", harness, by: buyer)
    settle(harness)
    let held = available(harness, 0...1)
    #expect(held.reduce(0, +) == 10 && held.allSatisfy { $0 > 0 })
    // Nobody is at work any more, and nobody is named.
    let vectors = (0...1).map { harness.replica($0).vector }
    settle(harness)
    #expect((0...1).map { harness.replica($0).vector } == vectors)
    for device in 0...1 {
      harness.adjust(device) { engine in #expect(engine.ledger { $0.doubts(of: "owls") }.isEmpty) }
    }
    let spend = harness.request(.spend(Spending(credit: "owls", amount: 10, id: "all")), of: buyer)
    harness.advance(5_000)
    #expect(harness.answers[spend].map { if case .spent = $0 { true } else { false } } == true)
  }

  /// It has spent of it, and may have put the amount right itself before anybody noticed.
  @Test(
    "F57: what a member has spent out of an amount that it had raised nobody pays for",
    arguments: [2, 1_000, 100_000_000] as [Int64], [false, true])
  func spentOfRaisedAmount(amount: Int64, putsItRight: Bool) {
    let harness = group()
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    harness.request(.addProducts([product], version: 0), of: 0)
    buy("one", harness, by: 0)
    settle(harness)
    let raised = Product(id: "five", type: .consumable, credit: "owls", amount: 1_000_000_000)
    harness.request(.addProducts([raised], version: 7), of: 2)
    settle(harness)
    let spend = harness.request(.spend(Spending(credit: "owls", amount: amount, id: "much")), of: 2)
    settle(harness)
    #expect(harness.answers[spend].map { if case .spent = $0 { true } else { false } } == true)
    if putsItRight {
      harness.request(.addProducts([product], version: 8), of: 2)
      settle(harness)
    }
    let removal = harness.request(
      .remove(harness.identities[2].device, recoveryKey: nil, takingBack: .everything), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
    settle(harness)
    #expect(available(harness, 0...1).reduce(0, +) == max(5 - amount, 0))
    buy("two", harness, by: 0)
    buy("three", harness, by: 1)
    settle(harness)
    #expect(available(harness, 0...1).reduce(0, +) == max(5 - amount, 0) + 10)
    for device in 0...1 {
      let liar = CreditHolder(harness.replica(2).id)
      harness.adjust(device) { engine in
        #expect(engine.ledger { $0.doubts(of: "owls").allSatisfy { $0.holder == liar } })
      }
      let spend = harness.request(.spend(Spending(credit: "owls", amount: 4, id: "\(device)")), of: device)
      harness.advance(5_000)
      #expect(harness.answers[spend].map { if case .spent = $0 { true } else { false } } == true)
    }
  }

  /// Numbers only grow, and end: amounts that are raised and lowered again and again have rights go to and fro.
  @Test("F57: rebalancing leaves of what one can ever give another half for what is asked for")
  func numbersThatEnd() {
    let harness = Harness(2)
    let (one, other) = (harness.replica(0).id, harness.replica(1).id)
    harness.connect(0, 1)
    let half = Limits.creditTotal / 2
    for (device, from, to) in [(0, one, other), (1, other, one)] {
      harness.perform(device) { engine, _, effects in
        engine.holdings.write([.moved(from: from, to: to)], total: half - 1, of: "owls", &effects)
      }
    }
    harness.settle()
    func moved() -> Int64 {
      var moved: Int64 = 0
      harness.adjust(1) { engine in moved = engine.ledger { $0.given("owls", by: CreditHolder(other)) } }
      return moved
    }
    harness.buyOwls(by: 1, for: other, quantity: 20)
    for _ in 0..<10 { harness.advance(1_000) }
    #expect(moved() == half && harness.rights(of: one) == 1)
    let spend = harness.request(.spend(Spending(credit: "owls", amount: 60, id: "asked")), of: 0)
    harness.advance(5_000)
    #expect(harness.answers[spend].map { if case .spent = $0 { true } else { false } } == true)
    #expect(moved() == half + 59)
  }

  /// A member gave another one something, which that one spent, and says then that it has spent without end. A third one buys 25.
  @Test(
    "F58: who asks is given what it can spend, and nothing that would only be swallowed", arguments: [1, 20])
  func askedFor(purchases: Int) {
    let harness = group()
    harness.request(
      .addProducts([Product(id: "five", type: .consumable, credit: "owls", amount: 5)], version: 0), of: 0)
    for number in 0..<purchases { buy("liar \(number)", harness, by: 2) }
    settle(harness)
    let given = available(harness, 0...0)[0]
    #expect(given > 0 && (given < 10) == (purchases == 1))
    harness.request(.spend(Spending(credit: "owls", amount: given, id: "given")), of: 0)
    harness.perform(2) { engine, _, effects in
      let own = engine.replica.id
      engine.holdings.write([.spent(by: own)], total: Limits.creditTotal, of: "owls", &effects)
    }
    settle(harness)
    for number in 0..<5 { buy("honest \(number)", harness, by: 1) }
    settle(harness)
    let held = available(harness, 0...1)
    #expect(held == [0, 25])
    let spend = harness.request(.spend(Spending(credit: "owls", amount: 10, id: "asked")), of: 0)
    harness.advance(5_000)
    let isSpent = harness.answers[spend].map { if case .spent = $0 { true } else { false } }
    #expect(isSpent == (purchases == 1))
    let left = available(harness, 0...1)
    if purchases == 1 { #expect(left.reduce(0, +) == 15 - given) } else { #expect(left == held) }
  }

  private func lives(_ count: Int) -> DeviceLives {
    let keys = (0..<count).map {
      (CreditHolder(CreditStateTests.replica($0)), Author(UInt64($0 + 1)).key.publicKey)
    }
    return DeviceLives(
      Dictionary(uniqueKeysWithValues: keys),
      members: Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.1, $0) }))
  }

  /// Who has it and who lacks it may never meet.
  @Test("F57: what had come by another member can go back by it")
  func byAnotherMember() {
    let (last, middle, first) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), CreditStateTests.replica(2)
    )
    var state = CreditState(lives: lives(3))
    state.count(CreditStateTests.bought(5, of: 5), at: CreditHolder(first), sign: 1)
    state.apply(.moved(from: first, to: middle), total: 100)
    state.apply(.moved(from: middle, to: last), total: 100)
    #expect(state.paid(by: CreditHolder(last), for: CreditHolder(first)) == 95)
    #expect(state.paid(by: CreditHolder(last), for: CreditHolder(middle)) == 95)
    #expect(state.paidForMembers(by: CreditHolder(last)) == 95)
    // Else it gives away what it can spend, and nobody can.
    let inVain = state.gain(of: 2, from: last, to: middle)
    #expect(inVain.receiver == 0 && inVain.both == 0)
    state.apply(.moved(from: last, to: middle), total: 95)
    #expect(state.paid(by: CreditHolder(last), for: CreditHolder(middle)) == 0)
    #expect(state.paid(by: CreditHolder(middle), for: CreditHolder(first)) == 95)
    state.apply(.moved(from: middle, to: first), total: 95)
    #expect(state.spendable.map(\.holder) == [CreditHolder(last)] && state.balance == 5)
    let gain = state.gain(of: 2, from: last, to: middle)
    #expect(gain.receiver == 2 && gain.both == 0)
  }

  @Test("F58: what another device would have to pay with is not given to it")
  func swallowed() {
    let (liar, middle, giver) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), CreditStateTests.replica(2)
    )
    var state = CreditState(lives: lives(3))
    state.count(CreditStateTests.bought(30, of: 30), at: CreditHolder(giver), sign: 1)
    state.apply(.moved(from: liar, to: middle), total: 100)
    state.apply(.spent(by: middle), total: 90)
    for amount: Int64 in [1, 15, 30] {
      let gain = state.gain(of: amount, from: giver, to: middle)
      #expect(gain.receiver == 0 && gain.both == -amount)
    }
    #expect(state.available(to: CreditHolder(giver)) == 30)
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Numbers of a removed device that came ahead of their turn: they are void with its cut, and what they had replaced is gone; but
/// what was used up stays used up.
@Suite struct NamedNumberTests {
  private func available(_ harness: Harness) -> Int64 {
    var available: Int64 = 0
    harness.adjust(0) { engine in available = engine.available("owls") }
    return available
  }

  /// With the catalogue falls what was bought.
  @Test("F58: nobody is doubted while no product buys a credit") func noProduct() {
    let harness = Harness.withOwls()
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "spent")), of: 1)
    harness.settle()
    harness.cut()
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: nil, takingBack: .everything), of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
    harness.adjust(0) { engine in
      #expect(engine.ledger { !$0.knowsCredit("owls") && $0.doubts(of: "owls").isEmpty })
    }
  }

  @Test("D44: a spend that came ahead of its turn does not come back with the cut")
  func spendAheadOfItsTurn() {
    let harness = Harness.withOwls()
    let holder = harness.replica(1).id
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "claimed")), of: 1)
    harness.settle()
    #expect(harness.rights(of: holder) == 4)
    harness.lose { harness.write(1, "value", [1]) }
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "early")), of: 1)
    harness.settle()
    #expect(harness.rights(of: holder) == 2)
    harness.removeSecond()
    #expect(harness.rights(of: holder) == 2)
    harness.restart(0)
    #expect(harness.rights(of: holder) == 2)
    harness.expectSaved(0)
  }

  /// It has replaced what the device had spent, and goes with its removal.
  @Test("D44: a number beyond the limit that came ahead of its turn brings back nothing that was spent")
  func beyondTheLimit() throws {
    let harness = Harness.withOwls()
    let liar = harness.author(1)
    harness.request(.spend(Spending(credit: "owls", amount: 4, id: "claimed")), of: 1)
    harness.settle()
    #expect(harness.rights(of: liar.replica) == 1)
    let session = harness.welcomed(0, as: liar)
    let row = CreditEntry.spent(by: liar.replica).key(of: "owls").encoded
    let dot = Dot(replica: liar.replica, sequence: harness.replica(0).vector[liar.replica] + 2)
    let early = liar.commit([Write(key: row, stamp: Stamp(rawValue: .max), value: [], dot: dot)])
    harness.handle(0, [.received(session, .commit(try #require(early)))])
    #expect(harness.rights(of: liar.replica) < 0)
    harness.removeSecond()
    #expect(harness.rights(of: liar.replica) == 0)
  }

  /// As long as its first decision is held back, for its clock is ahead, none of its writes is claimed.
  @Test("D44: a spend and a gift of a device of which nothing counts do not come back with its removal")
  func firstDecisionHeldBack() {
    let harness = Harness(2)
    let holder = harness.replica(1).id
    harness.buyOwls(by: 0, for: holder)
    harness.connect(0, 1)
    harness.settle()
    harness.lose { harness.write(1, "value", [1]) }
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "spent")), of: 1)
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "given")), of: 0)
    harness.settle()
    #expect(harness.replica(0).vector[holder] == 0)
    let before = available(harness)
    #expect(harness.rights(of: holder) + before == 1)
    harness.removeSecond()
    #expect(harness.rights(of: holder) + available(harness) == 1)
    harness.restart(0)
    harness.adjust(0) { engine in
      #expect(engine.ledger { $0.balance("owls") == 1 && $0.doubts(of: "owls").isEmpty })
    }
    harness.expectSaved(0)
  }

  @Test("D44: a gift that came ahead of its turn stays given") func giftAheadOfItsTurn() {
    let harness = Harness.withOwls()
    let holder = harness.replica(1).id
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "asked for")), of: 0)
    harness.settle()
    let given = 4 - harness.rights(of: holder)
    harness.lose { harness.write(1, "value", [1]) }
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "more")), of: 0)
    harness.settle()
    let held = harness.rights(of: holder)
    #expect(held < 4 - given || held == 2)
    harness.removeSecond()
    #expect(harness.rights(of: holder) == held)
    harness.adjust(0) { engine in
      let (balance, doubts) = engine.ledger { ($0.balance("owls"), $0.doubts(of: "owls")) }
      #expect(balance == 2 && doubts.isEmpty)
    }
  }

  /// As a member, for the gift was spent in good faith; and it is not there once more when the device is removed.
  @Test(
    "F58: a device that equivocates from its first write on takes back nothing that it gave",
    arguments: [false, true])
  func forkAtTheFirstWrite(isRemovedFirst: Bool) throws {
    let harness = Harness(2)
    let author = harness.author(1)
    harness.buyOwls(by: 0, for: author.replica)
    harness.connect(0, 1)
    harness.settle()
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "given")), of: 0)
    harness.settle()
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "spent")), of: 1)
    harness.settle()
    let left = available(harness) + harness.rights(of: author.replica)
    #expect(left == 2)
    let heads = [UInt64(1), 2].map { author.head(1, 1, ContentHash(words: ($0, 0, 0, 0))) }
    let fork = try #require(Fork(author: author.incarnation, heads[0], heads[1]))
    func show() {
      let session = harness.welcomed(0, as: Author(40))
      harness.handle(0, [.received(session, .forks([fork]))])
    }
    if isRemovedFirst { harness.removeSecond() }
    show()
    if !isRemovedFirst {
      #expect(harness.replica(0).cuts[author.replica] == 0)
      expectLeft(left, harness)
      harness.removeSecond()
    }
    expectLeft(left, harness)
    harness.request(.reclaim(credit: "owls"), of: 0)
    harness.adjust(0) { engine in #expect(engine.ledger { $0.balance("owls") } == left) }
    harness.restart(0)
    expectLeft(left, harness)
    harness.expectSaved(0)
  }

  private func expectLeft(_ left: Int64, _ harness: Harness) {
    harness.adjust(0) { engine in
      let (balance, doubts) = engine.ledger { ($0.balance("owls"), $0.doubts(of: "owls")) }
      #expect(balance == left && doubts.isEmpty)
    }
  }

  /// Of a life that was cut others name how much it had spent, and a later life of the device each spend.
  @Test(
    "F66: what a device names itself, and others as well, it has spent once",
    arguments: [0, 4, 7] as [UInt64])
  func namedByBoth(named: UInt64) {
    let (life, later) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    var state = CreditState()
    let transaction = Transaction(
      transactionId: "t", productId: "ten", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: 1, verification: .simulated)
    let ten = Product(id: "ten", type: .consumable, credit: "owls", amount: 10)
    state.count(BoughtCredits(transaction, of: ten), at: CreditHolder(life), sign: 1)
    state.apply(.spentInAll(life, by: CreditStateTests.replica(2)), total: 7)
    #expect(state.balance == 3)
    if named > 0 {
      state.apply(.spentAgain(life, CreditSpend(id: "s", amount: Int64(named)), by: later), total: named)
    }
    #expect(state.rights(of: CreditHolder(life)) + state.rights(of: CreditHolder(later)) == 3)
  }

  @Test("F58: a void number beyond all there was makes nobody short") func tooMuch() {
    let (liar, other) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    var state = CreditState()
    let transaction = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: 1, verification: .simulated)
    let bought = BoughtCredits(
      transaction, of: Product(id: "five", type: .consumable, credit: "owls", amount: 5))
    state.count(bought, at: CreditHolder(liar), sign: 1)
    state.apply(.moved(from: liar, to: other), total: 2)
    state.apply(.spent(by: liar), total: 1)
    // Less than it says itself, then more than it ever held.
    for (seen, left) in [(1, 2), (2, 1), (1_000_000_000_000, 0)] as [(UInt64, Int64)] {
      state.apply(.spentInAll(liar, by: other), total: seen)
      #expect(state.rights(of: CreditHolder(liar)) == left && state.available(to: CreditHolder(other)) == 2)
    }
    #expect(state.doubts.isEmpty && state.balance == 2)
  }
}

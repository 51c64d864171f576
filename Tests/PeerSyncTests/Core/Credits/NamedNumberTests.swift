import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Numbers of a removed device that came ahead of their turn: they are void with its cut, and what they had replaced is gone; but
/// what was used up stays used up.
@Suite struct NamedNumberTests {
  /// How a device that a number is said of stands to the group.
  enum Standing { case member, removed, outside, unmet }

  /// Two devices in sync; the second one holds five owls.
  private func harness() -> Harness {
    let harness = Harness(2)
    buy(harness, by: 1, for: harness.replica(1).id)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  /// Five owls.
  private func buy(_ harness: Harness, by device: Int, for holder: ReplicaID) {
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    harness.request(.addProducts([product], version: 0), of: device)
    var transaction = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: 1, verification: .simulated)
    transaction.accountToken = CreditHolder(holder).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: device)
  }

  private func available(_ harness: Harness) -> Int64 {
    var available: Int64 = 0
    harness.adjust(0) { engine in available = engine.available("owls") }
    return available
  }

  private func rights(_ harness: Harness, of replica: ReplicaID) -> Int64 {
    var rights: Int64 = 0
    harness.adjust(0) { engine in rights = engine.ledger { $0.rights("owls", of: CreditHolder(replica)) } }
    return rights
  }

  /// What the second device does now gets to the first one, but not what it does meanwhile.
  private func lose(_ harness: Harness, _ body: () -> Void) {
    harness.filter = { _ in [] }
    body()
    harness.filter = { [$0] }
  }

  private func remove(_ harness: Harness) {
    harness.cut()
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: nil, takingBack: .nothing), of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
  }

  /// With the catalogue falls what was bought.
  @Test("F58: nobody is doubted while no product buys a credit") func noProduct() {
    let harness = harness()
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
    let harness = harness()
    let holder = harness.replica(1).id
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "claimed")), of: 1)
    harness.settle()
    #expect(rights(harness, of: holder) == 4)
    lose(harness) { harness.write(1, "value", [1]) }
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "early")), of: 1)
    harness.settle()
    #expect(rights(harness, of: holder) == 2)
    remove(harness)
    #expect(rights(harness, of: holder) == 2)
    harness.restart(0)
    #expect(rights(harness, of: holder) == 2)
    harness.expectSaved(0)
  }

  /// As long as its first decision is held back, for its clock is ahead, none of its writes is claimed.
  @Test("D44: a spend and a gift of a device of which nothing counts do not come back with its removal")
  func firstDecisionHeldBack() {
    let harness = Harness(2)
    let holder = harness.replica(1).id
    buy(harness, by: 0, for: holder)
    harness.connect(0, 1)
    harness.settle()
    lose(harness) { harness.write(1, "value", [1]) }
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "spent")), of: 1)
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "given")), of: 0)
    harness.settle()
    #expect(harness.replica(0).vector[holder] == 0)
    let before = available(harness)
    #expect(rights(harness, of: holder) + before == 1)
    remove(harness)
    #expect(rights(harness, of: holder) + available(harness) == 1)
    harness.restart(0)
    harness.adjust(0) { engine in
      #expect(engine.ledger { $0.balance("owls") == 1 && $0.doubts(of: "owls").isEmpty })
    }
    harness.expectSaved(0)
  }

  @Test("D44: a gift that came ahead of its turn stays given") func giftAheadOfItsTurn() {
    let harness = harness()
    let holder = harness.replica(1).id
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "asked for")), of: 0)
    harness.settle()
    let given = 4 - rights(harness, of: holder)
    lose(harness) { harness.write(1, "value", [1]) }
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "more")), of: 0)
    harness.settle()
    let held = rights(harness, of: holder)
    #expect(held < 4 - given || held == 2)
    remove(harness)
    #expect(rights(harness, of: holder) == held)
    harness.adjust(0) { engine in
      let (balance, doubts) = engine.ledger { ($0.balance("owls"), $0.doubts(of: "owls")) }
      #expect(balance == 2 && doubts.isEmpty)
    }
  }

  @Test("F60: numbers made up by the thousand crowd out none that counts")
  func thousandsOfNumbers() {
    let harness = harness()
    let holder = harness.replica(1).id
    let others = (0...Limits.namedNumbers).map { ReplicaID(high: 99, low: UInt64($0)) }
    lose(harness) { harness.write(1, "value", [1]) }
    harness.perform(1) { engine, _, effects in
      engine.holdings.write(others.map { .moved(from: holder, to: $0) }, total: 1, of: "owls", &effects)
      engine.holdings.write([.spent(by: holder)], total: 2, of: "owls", &effects)
    }
    harness.settle()
    remove(harness)
    let named = harness.replica(0).sortedWrites().filter {
      $0.dot.replica == harness.replica(0).id && $0.key.first == RegisterKind.credit.rawValue
    }
    #expect(named.count == Limits.namedNumbers)
    let row = RegisterKey.creditRowAgain(credit: "owls", life: holder, by: harness.replica(0).id)
    #expect(named.contains { $0.key == row.encoded && $0.stamp.rawValue == 2 })
  }

  @Test("F60: lives made up by the thousand crowd out no number of one of which something counts")
  func thousandsOfLives() {
    let harness = harness()
    let holder = harness.replica(1).id
    func write(_ entry: CreditEntry, of life: ReplicaID) -> Write {
      let key = entry.key(of: "owls").encoded
      return Write(key: key, stamp: Stamp(rawValue: 1), value: [], dot: Dot(replica: life, sequence: 9))
    }
    let lives = (0...Limits.namedNumbers).map { ReplicaID(high: 0, low: UInt64($0 + 1)) }
    let other = ReplicaID(high: 99, low: 1)
    let gift = write(.moved(from: holder, to: other), of: holder)
    let numbers = lives.map { write(.spent(by: $0), of: $0) } + [gift]
    harness.perform(0) { engine, _, effects in engine.holdings.name(numbers, &effects) }
    let named = RegisterKey.creditTransferAgain(
      credit: "owls", from: holder, to: other, by: harness.replica(0).id)
    #expect(harness.replica(0).sortedWrites().contains { $0.key == named.encoded })
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

  /// Its disk may be the only one that says whose life it was. All devices count alike, so nothing moves until it is said to be lost.
  @Test(
    "F59: of a life of which nothing counts its own device takes no more than others let it",
    arguments: [0, 1] as [UInt64])
  func whoTakesFromAnEmptyLife(claimed: UInt64) {
    let (mine, earlier, key) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), Author(1).key.publicKey
    )
    let vector = VersionVector(
      [Dot(replica: mine, sequence: 1), Dot(replica: earlier, sequence: claimed)].filter { $0.sequence > 0 })
    let taking = RegisterKey.creditTaking(credit: "c", from: earlier, by: mine)
    let lost = RegisterKey.creditLost(credit: "c", from: earlier, by: mine)
    for known in [[(mine, key), (earlier, key)], [(mine, key)]] where known.count == 2 || claimed == 0 {
      let takings = Takings(known, claimed: vector, members: [key], removed: [])
      let counting = Counting(own: [mine], ceiling: Stamp(rawValue: .max), takings: takings)
      #expect(taking.encoded.withUnsafeBytes { counting.includes(undecided: $0) } == (claimed > 0))
      #expect(lost.encoded.withUnsafeBytes { counting.includes(undecided: $0) })
    }
  }

  @Test(
    "F59: as lost a device is taken for that belongs to nobody's group, and of which nothing counts; of the members a junior one",
    arguments: [(nil, 0, true), (nil, 1, false), (1, 0, true), (0, 0, false), (1, 1, false)]
      as [(Int?, UInt64, Bool)])
  func whoIsLost(place: Int?, claimed: UInt64, isLost: Bool) {
    let (taker, other) = (Author(1), Author(2))
    let (mine, theirs) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    var members = [taker.key.publicKey]
    if let place { members.insert(other.key.publicKey, at: place) }
    let dots = [Dot(replica: mine, sequence: 1), Dot(replica: theirs, sequence: claimed)]
    let takings = Takings(
      [(mine, taker.key.publicKey), (theirs, other.key.publicKey)],
      claimed: VersionVector(dots.filter { $0.sequence > 0 }), members: members, removed: [])
    let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
    let key = CreditEntry.lost(from: theirs, by: mine).key(of: "owls").encoded
    #expect(key.withUnsafeBytes { counting.includes(undecided: $0) } == isLost)
  }

  @Test(
    "F59: numbers are named of devices that a removal names, and of lives of which nothing counts but for a member's",
    arguments: [
      (.member, 1, false), (.member, 0, false), (.removed, 1, true), (.removed, 0, true),
      (.outside, 1, false), (.outside, 0, true), (.unmet, 0, true),
    ] as [(Standing, UInt64, Bool)])
  func whoseNumbersAreNamed(standing: Standing, claimed: UInt64, isNamed: Bool) {
    let (one, other) = (Author(1), Author(2))
    let (mine, theirs) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    let keysOfAll = [one.key.publicKey, other.key.publicKey]
    let takings = Takings(
      [(mine, one.key.publicKey)] + (standing == .unmet ? [] : [(theirs, other.key.publicKey)]),
      claimed: VersionVector(
        [Dot(replica: mine, sequence: 1), Dot(replica: theirs, sequence: claimed)].filter { $0.sequence > 0 }),
      members: standing == .member ? keysOfAll : [one.key.publicKey],
      removed: standing == .removed ? [other.key.publicKey] : [])
    let nobody = ReplicaID(high: 0, low: 0)
    let keys: [RegisterKey] = [
      .creditRowAgain(credit: "c", life: theirs, by: mine),
      .creditTransferAgain(credit: "c", from: theirs, to: mine, by: mine),
      .creditTakingAgain(
        credit: "c", taken: CreditTaking(from: nobody, by: theirs, isLost: false), by: mine),
    ]
    let counting = Counting(own: [mine], ceiling: Stamp(rawValue: .max), takings: takings)
    for key in keys {
      #expect(key.encoded.withUnsafeBytes { counting.includes(undecided: $0) } == isNamed)
    }
    // What is the same holder, by another id.
    let alike = ReplicaID(high: theirs.high ^ 0x1000, low: theirs.low)
    #expect(CreditHolder(alike) == CreditHolder(theirs))
    for key in [
      RegisterKey.creditRowAgain(credit: "c", life: alike, by: mine),
      .creditTransferAgain(credit: "c", from: alike, to: mine, by: mine),
      .creditTakingAgain(credit: "c", taken: CreditTaking(from: nobody, by: alike, isLost: false), by: mine),
    ] {
      #expect(key.encoded.withUnsafeBytes { counting.includes(undecided: $0) } == (standing == .unmet))
    }
    let ofNobody = RegisterKey.creditRowAgain(credit: "c", life: nobody, by: mine).encoded
    #expect(!ofNobody.withUnsafeBytes { counting.includes(undecided: $0) })
    // A spend by its id only a life of the same device names.
    let spend = RegisterKey.creditSpendAgain(
      credit: "c", life: theirs, spend: SpendID(high: 1, low: 2), by: mine)
    #expect(!spend.encoded.withUnsafeBytes { counting.includes(undecided: $0) })
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Numbers of a removed device that came ahead of their turn: they are void with its cut, and what they had replaced is gone; but
/// what was used up stays used up.
@Suite struct NamedNumberTests {
  /// Two devices in sync; the second one holds five owls.
  private func harness() -> Harness {
    let harness = Harness(2)
    buy(harness, by: 1, for: harness.replica(1).id)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  /// Five owls, once or more often.
  private func buy(_ harness: Harness, by device: Int, for holder: ReplicaID, quantity: Int = 1) {
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    harness.request(.addProducts([product], version: 0), of: device)
    var transaction = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: quantity, verification: .simulated)
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

  /// As a member, for the gift was spent in good faith; and it is not there once more when the device is removed.
  @Test(
    "F58: a device that equivocates from its first write on takes back nothing that it gave",
    arguments: [false, true])
  func forkAtTheFirstWrite(isRemovedFirst: Bool) throws {
    let harness = Harness(2)
    let author = harness.author(1)
    buy(harness, by: 0, for: author.replica)
    harness.connect(0, 1)
    harness.settle()
    harness.request(.spend(Spending(credit: "owls", amount: 2, id: "given")), of: 0)
    harness.settle()
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "spent")), of: 1)
    harness.settle()
    let left = available(harness) + rights(harness, of: author.replica)
    #expect(left == 2)
    let heads = [UInt64(1), 2].map { author.head(1, 1, ContentHash(words: ($0, 0, 0, 0))) }
    let fork = try #require(Fork(author: author.incarnation, heads[0], heads[1]))
    func show() {
      let session = harness.welcomed(0, as: Author(40))
      harness.handle(0, [.received(session, .forks([fork]))])
    }
    if isRemovedFirst { remove(harness) }
    show()
    if !isRemovedFirst {
      #expect(harness.replica(0).cuts[author.replica] == 0)
      expectLeft(left, harness)
      remove(harness)
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

  @Test("F60: lives made up by the hundred crowd out no number of one of which something counts")
  func hundredsOfLives() throws {
    let harness = harness()
    let (liar, other) = (harness.author(1), ReplicaID(high: 99, low: 1))
    let session = harness.welcomed(0, as: liar)
    for number in 1...200 as ClosedRange<UInt64> {
      let life = Author(liar.number, life: number)
      let entries =
        [CreditEntry.spent(by: life.replica)]
        + (1...6).map { .moved(from: life.replica, to: ReplicaID(high: 99, low: $0)) }
      let writes = entries.enumerated().map { place, entry in
        Write(
          key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: [],
          // The first one is nowhere: nothing of it counts.
          dot: Dot(replica: life.replica, sequence: UInt64(place) + 2))
      }
      harness.handle(0, [.received(session, .commit(try #require(life.commit(writes))))])
    }
    // Something of its real life counts; this has come ahead of its turn.
    let key = CreditEntry.moved(from: liar.replica, to: other).key(of: "owls").encoded
    let dot = Dot(replica: liar.replica, sequence: harness.replica(0).vector[liar.replica] + 2)
    let early = try #require(liar.commit([Write(key: key, stamp: Stamp(rawValue: 1), value: [], dot: dot)]))
    harness.handle(0, [.received(session, .commit(early))])
    remove(harness)
    let named = harness.replica(0).sortedWrites().filter {
      $0.withView { RegisterKey.taking($0)?.signer } != nil
    }
    #expect(named.count == Limits.namedNumbers)
    let gift = RegisterKey.creditTransferAgain(
      credit: "owls", from: liar.replica, to: other, by: harness.replica(0).id)
    #expect(named.contains { $0.key == gift.encoded })
  }

  /// The first device spends what the second one gives it, while the third has removed some devices apart from both.
  private func spend(_ harness: Harness, _ amount: Int64, whileRemoving removed: [Author]) {
    for device in harness.engines.indices.dropFirst() {
      harness.write(device, "value", [1])
      harness.connect(0, device)
    }
    harness.settle()
    harness.cut()
    for author in removed { harness.request(.remove(author.device, recoveryKey: nil), of: 2) }
    harness.connect(0, 1)
    harness.settle()
    harness.request(.spend(Spending(credit: "owls", amount: amount, id: "spent")), of: 0)
    harness.settle()
    harness.cut()
  }

  /// Lives of a device that come before a replica wherever they are in order.
  private func lives(of liar: Author, before replica: ReplicaID, _ count: Int) -> [Author] {
    let lives = (1...1_000_000).lazy.map { Author(liar.number, life: $0) }
    return Array(lives.filter { $0.replica < replica }.prefix(count))
  }

  /// The liar has seen what the other one stated before, in one life or in many, and shows it again in each of its own.
  @Test(
    "F60: what others show of a device crowds out nothing it has stated itself", arguments: [false, true])
  func shownByHundreds(isOfManyLives: Bool) throws {
    let harness = Harness(4)
    let (gone, liar) = (harness.author(1), harness.author(3))
    buy(harness, by: 0, for: gone.replica, quantity: 2)
    spend(harness, 6, whileRemoving: [gone, liar])
    let session = harness.welcomed(0, as: liar)
    let old = gone.proofs(
      of: [.spent(by: gone.replica)]
        + [0, 2, 3].map { .moved(from: gone.replica, to: harness.replica($0).id) })
    let ofLives = (1...UInt64(Limits.namedNumbers + 4)).flatMap {
      let life = Author(gone.number, life: $0)
      return life.proofs(of: [.spent(by: life.replica)])
    }
    let lives = lives(of: liar, before: gone.replica, Limits.namedNumbers / old.count + 1)
    for (round, life) in lives.enumerated() {
      let shown = isOfManyLives ? Array(ofLives[round * old.count..<(round + 1) * old.count]) : old
      let writes = try shown.enumerated().map { place, shown in
        let key = try RegisterKey(decoding: shown.number.key[...]).named(by: life.replica)
        return Write(
          key: try #require(key).encoded, stamp: shown.number.stamp, value: shown.proof,
          dot: Dot(replica: life.replica, sequence: UInt64(place) + 1))
      }
      harness.handle(0, [.received(session, .commit(try #require(life.commit(writes))))])
    }
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    #expect(!harness.engines[0].group.isMember(gone.key.publicKey))
    let named = RegisterKey.creditTransferAgain(
      credit: "owls", from: gone.replica, to: harness.replica(0).id, by: harness.replica(0).id)
    #expect(
      harness.replica(0).sortedWrites().contains { $0.key == named.encoded && $0.stamp.rawValue > 1 })
    // Else the device itself has spent more than there was.
    guard !isOfManyLives else { return }
    harness.request(.reclaim(credit: "owls"), of: 2)
    harness.settle()
    for device in [0, 2] {
      harness.adjust(device) { engine in
        let (balance, doubts) = engine.ledger { ($0.balance("owls"), $0.doubts(of: "owls")) }
        #expect(balance == 3 && doubts.isEmpty)
      }
    }
  }

  @Test("F58: lives that never had anything crowd out nothing that a member was given")
  func hundredsOfEmptyLives() throws {
    let harness = Harness(3)
    let liar = harness.author(1)
    buy(harness, by: 0, for: liar.replica)
    spend(harness, 4, whileRemoving: [liar])
    let session = harness.welcomed(0, as: liar)
    let nobody = ReplicaID(high: 0, low: 0)
    #expect(CreditHolder(nobody) == .nobody)
    for life in lives(of: liar, before: liar.replica, Limits.namedNumbers / 2 + 1) {
      let entries: [CreditEntry] = [.spent(by: life.replica), .taken(from: nobody, by: life.replica)]
      let writes = entries.enumerated().map { place, entry in
        Write(
          key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: [],
          dot: Dot(replica: life.replica, sequence: UInt64(place) + 1))
      }
      harness.handle(0, [.received(session, .commit(try #require(life.commit(writes))))])
    }
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    let named = RegisterKey.creditTransferAgain(
      credit: "owls", from: liar.replica, to: harness.replica(0).id, by: harness.replica(0).id)
    #expect(harness.replica(0).sortedWrites().contains { $0.key == named.encoded })
    #expect(rights(harness, of: harness.replica(0).id) >= 0)
  }

  @Test("I11: of devices that are made up no more is named than of one")
  func hundredsOfDevices() throws {
    let harness = harness()
    let liar = harness.author(1)
    let session = harness.welcomed(0, as: liar)
    var sequence = harness.replica(0).vector[liar.replica] + 2
    for number in 1...100 as ClosedRange<UInt64> {
      let life = Author(10_000 + number)
      let entries = (1...UInt64(Limits.numberedWrites)).map {
        CreditEntry.moved(from: life.replica, to: ReplicaID(high: $0 << 32, low: number))
      }
      let writes = life.proofs(of: entries).enumerated().compactMap { place, shown in
        (try? RegisterKey(decoding: shown.number.key[...]))?.named(by: liar.replica).map {
          Write(
            key: $0.encoded, stamp: Stamp(rawValue: 1), value: shown.proof,
            dot: Dot(replica: liar.replica, sequence: sequence + UInt64(place)))
        }
      }
      sequence += UInt64(writes.count)
      harness.handle(0, [.received(session, .commit(try #require(liar.commit(writes))))])
    }
    #expect(sequence > Limits.namedNumbers)
    remove(harness)
    let named = harness.replica(0).sortedWrites().filter {
      $0.dot.replica != liar.replica && $0.withView { RegisterKey.taking($0)?.signer } != nil
    }
    #expect(named.count == Limits.namedNumbers)
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

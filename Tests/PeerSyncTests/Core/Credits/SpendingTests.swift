import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Devices that spend and give, message by message.
@Suite struct SpendingTests {
  /// Engines that know a product of five owls; each has bought so many units.
  private func harness(bought: [Int], connected: Bool = true) -> Harness {
    let harness = Harness(bought.count)
    for (index, units) in bought.enumerated() {
      let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
      harness.request(.addProducts([product], version: 0), of: index)
      if units > 0 { buy(harness, index, units) }
    }
    guard connected else { return harness }
    for index in bought.indices.dropFirst() { harness.connect(0, index) }
    harness.settle()
    return harness
  }

  private func buy(
    _ harness: Harness, _ index: Int, _ units: Int, id: String = "t", refunded: Bool = false
  ) {
    var transaction = Transaction(
      transactionId: "\(id)\(index)", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: units, verification: .simulated)
    transaction.accountToken = CreditHolder(harness.replica(index).id).accountToken
    if refunded { transaction.revocationDate = transaction.purchaseDate }
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: index)
  }

  @discardableResult
  private func spend(_ harness: Harness, _ index: Int, _ amount: Int64, id: String = "s") -> RequestID {
    harness.request(.spend(Spending(credit: "owls", amount: amount, id: id)), of: index)
  }

  /// What a device answers at once.
  private func answer(_ harness: Harness, _ index: Int, _ amount: Int64, id: String = "s") -> Answer? {
    let request = spend(harness, index, amount, id: id)
    return harness.answers[request]
  }

  private func available(_ harness: Harness, _ index: Int) -> Int64 {
    var available: Int64 = 0
    harness.adjust(index) { available = $0.available("owls") }
    return available
  }

  private func spent(_ amount: Int64, balance: Int64) -> Answer { spent("s", amount, balance: balance) }

  private func spent(_ id: String, _ amount: Int64, balance: Int64) -> Answer {
    .spent(Spent(id: id, amount: amount, balance: balance))
  }

  /// What had been spent under that id before.
  private func repeated(_ amount: Int64, balance: Int64) -> Answer {
    .spent(Spent(id: "s", amount: amount, balance: balance, isRepeated: true))
  }

  private func shortage(_ answer: Answer?) -> Shortage? {
    if case .refused(.notEnough(let shortage))? = answer { shortage } else { nil }
  }

  // MARK: Local rights

  /// A spend answers at once, is durable with its answer, and counts once whatever is asked again.
  @Test func aSpendCountsOnce() {
    let harness = harness(bought: [1])
    let first = answer(harness, 0, 3)
    #expect(first == spent(3, balance: 2))
    #expect(answer(harness, 0, 3) == repeated(3, balance: 2) && available(harness, 0) == 2)
    #expect(answer(harness, 0, 2) == .refused(.spentOtherwise(3)))
    harness.restart(0)
    #expect(answer(harness, 0, 3) == repeated(3, balance: 2) && available(harness, 0) == 2)
    #expect(answer(harness, 0, 2, id: "other") == spent("other", 2, balance: 0))
    #expect(shortage(answer(harness, 0, 1, id: "third"))?.others.isEmpty == true)
    harness.expectConverged()
  }

  @Test func whatCannotBeSpentIsRefused() {
    let harness = harness(bought: [1])
    let unknown = harness.request(.spend(Spending(credit: "hens", amount: 1, id: "s")), of: 0)
    #expect(harness.answers[unknown] == .refused(.unknownCredit))
    for amount in [0, -1, Limits.creditTotal + 1, .max, .min] {
      #expect(answer(harness, 0, amount) == .refused(.tooLarge))
    }
    #expect(answer(harness, 0, 1, id: "") == .refused(.tooLarge))
    #expect(shortage(answer(harness, 0, Limits.creditTotal)) != nil)
    #expect(available(harness, 0) == 5)
  }

  /// Nobody writes the numbers of credits but by spending and giving.
  @Test func numbersAreNotWrittenByHand() {
    let harness = harness(bought: [1])
    let key = RegisterKey.creditRow(credit: "owls", replica: harness.replica(0).id).encoded
    let request = harness.request(.write([LocalWrite(key: key, stamp: Stamp(rawValue: 1), value: [])]), of: 0)
    #expect(harness.answers[request] == .refused(.misfit))
  }

  /// [D45] Rights belong to an incarnation: the next one holds nothing of them, and no number is written in its name.
  @Test func D45_anotherIncarnationHoldsNothing() {
    let harness = harness(bought: [2])
    spend(harness, 0, 3)
    let next = Author(1, life: 5)
    harness.perform(0) { $0.begin(next.incarnation, now: $1, &$2) }
    #expect(available(harness, 0) == 0)
    let refused = shortage(answer(harness, 0, 1, id: "late"))
    #expect(
      refused?.others.map(\.holder) == [.earlierLife] && refused?.others.map(\.rights) == [7]
        && refused?.balance == 7)
    buy(harness, 0, 1, id: "new")
    #expect(answer(harness, 0, 5, id: "late") == spent("late", 5, balance: 7))
  }

  // MARK: Asking

  /// [D42] Who is short asks, waits, and spends what it was given; the grant is durable before it is sent.
  @Test func D42_aDeviceAsksForWhatIsMissing() throws {
    let harness = harness(bought: [1, 0, 1])
    let request = spend(harness, 1, 4)
    #expect(harness.answers[request] == nil)
    let asked = harness.wire.filter { $0.message.type == .rightsWanted }
    #expect(
      asked.map(\.to) == [0] && asked[0].message == .rightsWanted(RightsTotal(credit: "owls", total: 4)))
    harness.halfRound()
    let key = RegisterKey.creditTransfer(
      credit: "owls", from: harness.replica(0).id, to: harness.replica(1).id
    ).encoded
    #expect(
      harness.disks[0].registers[RegisterID(key: key, author: harness.replica(0).id)]?.stamp
        == Stamp(rawValue: 4))
    let types = harness.wire.filter { $0.to == 1 }.map(\.message.type)
    #expect(types.firstIndex(of: .commit) ?? 9 < types.firstIndex(of: .rightsGiven) ?? 0)
    harness.settle()
    #expect(harness.answers[request] == spent(4, balance: 6))
    #expect(available(harness, 0) == 1 && available(harness, 1) == 0)
  }

  /// [C32] What comes first pays what the device itself owes: it asks for that as well, and again while more comes.
  @Test(arguments: [2, 3]) func C32_aDeviceInDebtAsksForMore(units: Int) {
    let harness = harness(bought: [1, 0])
    spend(harness, 0, 5, id: "before")
    buy(harness, 0, 1, refunded: true)
    buy(harness, 1, units)
    harness.settle()
    // Before rights are rebalanced.
    #expect(available(harness, 0) == 0 && available(harness, 1) == Int64(units - 1) * 5)
    let request = spend(harness, 0, 5)
    harness.settle()
    #expect(harness.answers[request] == spent(5, balance: Int64(units - 2) * 5))
    let refused = spend(harness, 0, Int64(units), id: "beyond")
    harness.settle()
    harness.advance(Limits.spendWaitMilliseconds)
    #expect((shortage(harness.answers[refused]) != nil) == (units == 2))
  }

  /// A request heard twice, or long ago, moves nothing twice.
  @Test func aRequestHeardAgainMovesNothing() throws {
    let harness = harness(bought: [1, 0])
    spend(harness, 1, 2)
    let wanted = try #require(harness.wire.first { $0.message.type == .rightsWanted })
    harness.settle()
    #expect(available(harness, 0) == 3)
    for _ in 0..<3 {
      let effects = harness.handle(0, [.received(wanted.session, wanted.message)])
      #expect(effects.durable.writes.isEmpty && effects.messages.map(\.1.type) == [.rightsGiven])
    }
    // An answer that nobody waits for says nothing.
    let given = Message.rightsGiven(RightsTotal(credit: "owls", total: Limits.creditTotal))
    let end = try #require(harness.sent.last { $0.to == 1 && $0.from == 0 })
    #expect(harness.handle(1, [.received(end.session, given)]).durable.isEmpty)
    #expect(available(harness, 0) == 3 && available(harness, 1) == 0)
  }

  /// However much is wanted, a device gives what it has and no more.
  @Test(arguments: [0, 5, 6, Limits.creditTotal]) func aDeviceGivesNoMoreThanItHas(total: Int64) {
    let harness = harness(bought: [1])
    let session = harness.welcomed(0)
    let row = CreditEntry.spent(by: Author(40).replica).key(of: "owls").encoded
    let first = Write(
      key: row, stamp: Stamp(rawValue: 0), value: [], dot: Dot(replica: Author(40).replica, sequence: 1))
    harness.handle(0, [.received(session, .commit(.signed([first])))])
    for credit in ["owls", "hens"] {
      let wanted = Message.rightsWanted(RightsTotal(credit: credit, total: total))
      let effects = harness.handle(0, [.received(session, wanted)])
      let given = credit == "owls" ? min(total, 5) : 0
      #expect(effects.messages.last?.1 == .rightsGiven(RightsTotal(credit: credit, total: given)))
    }
    #expect(available(harness, 0) == 5 - min(total, 5))
  }

  @Test func twoThatAreShortDoNotTakeFromEachOtherInVain() {
    let harness = harness(bought: [1, 1])
    let requests = [spend(harness, 0, 8, id: "a"), spend(harness, 1, 8, id: "b")]
    harness.settle()
    harness.advance(Limits.spendWaitMilliseconds)
    let spent = requests.filter { if case .spent? = harness.answers[$0] { true } else { false } }
    #expect(spent.count == 1 && requests.allSatisfy { harness.answers[$0] != nil })
  }

  /// Nobody answers: after the wait it is refused, and says who holds the rest.
  @Test func aSpendWaitsNoLongerThanItMay() {
    let harness = harness(bought: [1, 0])
    let name = harness.identities[0].name
    harness.filter = { $0.message.type == .rightsWanted ? [] : [$0] }
    let request = spend(harness, 1, 5)
    harness.settle()
    harness.advance(Limits.spendWaitMilliseconds - 1)
    #expect(harness.answers[request] == nil)
    harness.advance(1)
    let refused = shortage(harness.answers[request])
    let holder = RightsHeld.Holder.member(harness.identities[0].device, name: name, isConnected: true)
    #expect(refused?.available == 2 && refused?.others.first?.holder == holder)
    #expect(refused?.others.map(\.description) == ["\(name) holds 3"])
  }

  @Test func onlySoManySpendsWait() {
    let harness = harness(bought: [1, 0])
    harness.filter = { $0.message.type == .rightsWanted ? [] : [$0] }
    let requests = (0...Limits.pendingSpends).map { spend(harness, 1, 9, id: "s\($0)") }
    #expect(harness.answers[requests[Limits.pendingSpends]] == .refused(.busy))
    #expect(requests.dropLast().allSatisfy { harness.answers[$0] == nil })
  }

  // MARK: Rebalancing

  @Test func devicesInSyncRebalance() {
    let harness = harness(bought: [2, 0, 0])
    harness.connect(1, 2)
    harness.settle()
    harness.advance(10 * Limits.rebalanceMilliseconds)
    let held = (0...2).map { available(harness, $0) }
    #expect(held.reduce(0, +) == 10 && held.allSatisfy { $0 >= 2 }, "\(held)")
    let before = harness.sent.count
    harness.advance(10 * Limits.rebalanceMilliseconds)
    #expect(harness.sent.count == before)
    harness.expectConverged()
  }

  /// [D42] A device that has never written says whose its rights are before it is given any.
  @Test func whoIsGivenRightsIsKnown() {
    let harness = harness(bought: [1], connected: false)
    harness.add()
    harness.start(1)
    harness.connect(0, 1)
    harness.settle()
    harness.advance(10 * Limits.rebalanceMilliseconds)
    #expect(available(harness, 1) == 2)
    harness.cut()
    let refused = shortage(answer(harness, 0, 4))
    let device = harness.identities[1].device
    #expect(
      refused?.others.map(\.holder) == [.member(device, name: "Device 2", isConnected: false)]
        && refused?.others.map(\.rights) == [2])
    // Nor is anything given for the asking to whom nobody could tell.
    let silent = harness.welcomed(0)
    let wanted = Message.rightsWanted(RightsTotal(credit: "owls", total: 1))
    let given = harness.handle(0, [.received(silent, wanted)]).messages.map(\.1)
    #expect(given == [.rightsGiven(RightsTotal(credit: "owls", total: 0))])
  }

  // MARK: Dishonest members

  /// A number that somebody else signs is a forgery, though he is a member.
  @Test func numbersOfOthersAreForged() throws {
    let harness = harness(bought: [1, 0])
    let thief = Author(30)
    let victim = harness.replica(0).id
    let keys: [RegisterKey] = [
      .creditRow(credit: "owls", replica: victim),
      .creditTransfer(credit: "owls", from: victim, to: thief.replica),
      .creditTaking(credit: "owls", from: thief.replica, by: victim),
      .creditSpend(credit: "owls", replica: victim, slot: 0),
    ]
    for (number, key) in keys.enumerated() {
      let session = harness.welcomed(1, as: Author(31 + UInt64(number)))
      let write = Write(
        key: key.encoded, stamp: Stamp(rawValue: 5), value: [],
        dot: Dot(replica: thief.replica, sequence: UInt64(number + 1)))
      let effects = harness.handle(1, [.received(session, .commit(.signed([write])))])
      #expect(effects.closings.map(\.1) == [.forged] && effects.durable.writes.isEmpty, "\(key)")
    }
    #expect(available(harness, 0) == 5)
  }

  /// Rights that a member makes out of nothing are worth nothing, in any amount.
  @Test(arguments: [5, UInt64(Limits.creditTotal), .max]) func giftsFromNothing(total: UInt64) {
    let harness = harness(bought: [1])
    let liar = Author(30)
    let session = harness.welcomed(0, as: liar)
    let gift = RegisterKey.creditTransfer(credit: "owls", from: liar.replica, to: harness.replica(0).id)
    let write = Write(
      key: gift.encoded, stamp: Stamp(rawValue: total), value: [],
      dot: Dot(replica: liar.replica, sequence: 1))
    harness.handle(0, [.received(session, .commit(.signed([write])))])
    #expect(available(harness, 0) == 5)
    #expect(answer(harness, 0, 5) != nil)
    harness.handle(0, [.closed(session)])
    #expect(shortage(answer(harness, 0, 1, id: "more")) != nil)
  }
}

import PeerSyncCore
import Testing

/// The escrow counter as the ledger keeps it, beside the one that is its definition.
@Suite struct CreditStateTests {
  static func replica(_ number: Int) -> ReplicaID { ReplicaID(high: 7, low: UInt64(number + 1)) }
  private static let replicas = (0..<4).map(replica)

  static func bought(_ left: Int64, of whole: Int64) -> BoughtCredits {
    var transaction = Fixtures.buy("1", Fixtures.credits, "2026-01-01", quantity: 1)
    var product = Fixtures.credits
    product.amount = Int(whole)
    if left < whole {
      transaction = transaction.refunded(
        "2026-01-02", type: .refundProrated, percentage: Int((whole - left) * 100_000 / whole))
    }
    return BoughtCredits(transaction, of: product)
  }

  /// Registers come in any order, again, and behind greater ones: the sums are those of the plain counter.
  @Test(arguments: Seeds.all) func agreesWithThePlainCounter(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var (state, counter) = (CreditState(), BoundedCounter())
      var known: [(CreditEntry, UInt64)] = []
      for replica in Self.replicas where random.chance(2) {
        let amount = random.pick(1...20)
        try counter.buy(UInt64(amount), on: replica)
        state.count(Self.bought(Int64(amount), of: Int64(amount)), at: CreditHolder(replica), sign: 1)
      }
      for _ in 0..<60 {
        let (one, other) = (random.pick(Self.replicas), random.pick(Self.replicas))
        let amount = UInt64(random.pick(1...4))
        if random.chance(2) {
          guard (try? counter.spend(amount, on: one)) != nil else { continue }
          known.append((.spent(by: one), counter.spent[one]?.value ?? 0))
        } else if one != other, (try? counter.move(amount, from: one, to: other)) != nil {
          let move = BoundedCounter.Move(from: one, to: other)
          known.append((.moved(from: one, to: other), counter.moved[move]?.value ?? 0))
        }
      }
      for (entry, total) in (known + known).shuffled(using: &random) { state.apply(entry, total: total) }
      for replica in Self.replicas {
        #expect(
          state.rights(of: CreditHolder(replica)) == counter.rights(of: replica), "PEERSYNC_SEED=\(seed)")
        #expect(state.available(to: CreditHolder(replica)) == counter.rights(of: replica))
      }
      #expect(state.balance == counter.balance)
    }
  }

  /// Whatever registers say, all devices together can spend no more than there is; and what was not given to a device is
  /// never doubted.
  @Test(arguments: Seeds.all) func availableIsNeverMoreThanTheBalance(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      // Some of them may be lives of one device.
      let keys = Self.replicas.map { (CreditHolder($0), Author(UInt64(random.pick(1...6))).key.publicKey) }
      var state = CreditState(lives: DeviceLives(Dictionary(keys) { first, _ in first }))
      for replica in Self.replicas where random.chance(2) {
        let whole = Int64(random.pick(1...20))
        state.count(Self.bought(random.chance(2) ? whole : 0, of: whole), at: CreditHolder(replica), sign: 1)
      }
      for _ in 0..<random.below(12) {
        let (one, other) = (random.pick(Self.replicas), random.pick(Self.replicas))
        let total = random.chance(8) ? UInt64(Limits.creditTotal) : UInt64(random.pick(1...15))
        let entries: [CreditEntry] = [
          .spent(by: one), .moved(from: one, to: other), .taken(from: one, by: other),
        ]
        state.apply(random.pick(entries), total: total)
      }
      let holders = Self.replicas.map { CreditHolder($0) }
      let available = holders.map { state.available(to: $0) }
      for (holder, available) in zip(holders, available) {
        #expect(0...max(state.rights(of: holder), 0) ~= available, "PEERSYNC_SEED=\(seed)")
      }
      #expect(available.reduce(0, +) == max(state.balance, 0), "PEERSYNC_SEED=\(seed)")
      // The same is told of all at once.
      #expect(state.spendable.map(\.rights) == available.filter { $0 > 0 }, "PEERSYNC_SEED=\(seed)")
    }
  }

  /// Whatever one device states that it has spent or given, the others lose no more than what they were given by it, or by those to
  /// whom it had come from it; and all together no more than that and what the device held.
  @Test("F58: a liar costs others what it gave", arguments: Seeds.all) func aLiarCostsWhatItGave(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var (state, counter) = (CreditState(), BoundedCounter())
      for replica in Self.replicas where random.chance(2) {
        let amount = random.pick(1...20)
        try counter.buy(UInt64(amount), on: replica)
        state.count(Self.bought(Int64(amount), of: Int64(amount)), at: CreditHolder(replica), sign: 1)
      }
      for _ in 0..<30 {
        let (one, other) = (random.pick(Self.replicas), random.pick(Self.replicas))
        let amount = UInt64(random.pick(1...4))
        if random.chance(3) {
          guard (try? counter.spend(amount, on: one)) != nil else { continue }
          state.apply(.spent(by: one), total: counter.spent[one]?.value ?? 0)
        } else if one != other, (try? counter.move(amount, from: one, to: other)) != nil {
          let move = BoundedCounter.Move(from: one, to: other)
          state.apply(.moved(from: one, to: other), total: counter.moved[move]?.value ?? 0)
        }
      }
      let (liar, others) = (Self.replica(3), Self.replicas.dropLast())
      let given = others.reduce(Int64(0)) {
        $0 + Int64(clamping: counter.moved[BoundedCounter.Move(from: liar, to: $1)]?.value ?? 0)
      }
      let before = others.map { state.available(to: CreditHolder($0)) }
      let (balance, held) = (state.balance, state.rights(of: CreditHolder(liar)))
      #expect(state.doubts.isEmpty)
      // Whoever it says that it has taken over from: those to whom that one gave do not pay.
      let takesOver = random.chance(2)
      let taken = takesOver ? max(state.rights(of: CreditHolder(others[0])), 0) : 0
      if takesOver { state.apply(.taken(from: others[0], by: liar), total: UInt64(Limits.creditTotal) / 2) }
      state.apply(.spent(by: liar), total: UInt64(Limits.creditTotal))
      let after = others.map { state.available(to: CreditHolder($0)) }
      let lost = zip(before, after).reduce(0) { $0 + $1.0 - $1.1 }
      #expect(zip(before, after).allSatisfy { $0 >= $1 }, "PEERSYNC_SEED=\(seed)")
      #expect(lost <= given + taken, "PEERSYNC_SEED=\(seed)")
      #expect(max(state.balance, 0) >= balance - held - given - taken, "PEERSYNC_SEED=\(seed)")
      #expect(state.doubts.map(\.holder) == [CreditHolder(liar)])
    }
  }

  /// Whatever is said to be given and taken over, as long as nobody spends there is just what was bought.
  @Test(arguments: Seeds.all) func nothingComesOfPassingOn(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let keys = Self.replicas.map { (CreditHolder($0), Author(UInt64(random.pick(1...6))).key.publicKey) }
      var state = CreditState(lives: DeviceLives(Dictionary(keys) { first, _ in first }))
      var sum: Int64 = 0
      for replica in Self.replicas where random.chance(2) {
        let amount = Int64(random.pick(1...20))
        state.count(Self.bought(amount, of: amount), at: CreditHolder(replica), sign: 1)
        sum += amount
      }
      for _ in 0..<random.below(12) {
        let (one, other) = (random.pick(Self.replicas), random.pick(Self.replicas))
        let total = random.chance(8) ? UInt64(Limits.creditTotal) : UInt64(random.pick(1...15))
        let entries: [CreditEntry] = [
          .moved(from: one, to: other), .taken(from: one, by: other), .lost(from: one, by: other),
        ]
        if one != other { state.apply(random.pick(entries), total: total) }
      }
      #expect(state.balance == sum, "PEERSYNC_SEED=\(seed)")
    }
  }

  /// Gifts of what never was go from hand to hand: the last one pays for all, whoever comes first in the order.
  @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]]) func theLastOnePaysForAll(order: [Int]) {
    let hands = order.map(Self.replica)
    var state = CreditState()
    state.count(Self.bought(5, of: 5), at: CreditHolder(hands[2]), sign: 1)
    state.apply(.taken(from: hands[0], by: hands[1]), total: 1_000)
    state.apply(.moved(from: hands[1], to: hands[2]), total: 2_000)
    #expect(state.rights(of: CreditHolder(hands[2])) == 2_005)
    #expect(state.available(to: CreditHolder(hands[2])) == 5 && state.balance == 5)
    #expect(state.doubts.map(\.holder) == [CreditHolder(hands[1])] && state.doubts.map(\.amount) == [2_000])
  }

  /// Whoever was given something pays of what was not there, in whatever order their ids are: as long as one can, nobody is owed.
  @Test(arguments: [(0, 1), (1, 0)]) func whoeverCanPaysFirst(spent: Int, holds: Int) {
    let (giver, receivers) = (Self.replica(2), [Self.replica(spent), Self.replica(holds)])
    var state = CreditState()
    state.count(Self.bought(10, of: 10), at: CreditHolder(giver), sign: 1)
    for receiver in receivers { state.apply(.moved(from: giver, to: receiver), total: 3) }
    state.apply(.spent(by: giver), total: 4)
    state.apply(.spent(by: receivers[0]), total: 3)
    #expect(state.available(to: CreditHolder(receivers[1])) == 3 && state.balance == 3)
    // The amount of the product is lowered, and there were never more than eight.
    state.count(Self.bought(10, of: 10), at: CreditHolder(giver), sign: -1)
    state.count(Self.bought(8, of: 8), at: CreditHolder(giver), sign: 1)
    #expect(state.available(to: CreditHolder(receivers[1])) == 1 && state.balance == 1)
  }

  /// What one life of a device lacks another one pays, before anybody else does.
  @Test func livesOfADevicePayForOneAnother() {
    let (phone, tablet) = (Author(1).key.publicKey, Author(2).key.publicKey)
    let (first, second, other) = (Self.replica(2), Self.replica(0), Self.replica(1))
    let keys = [CreditHolder(first): phone, CreditHolder(second): phone, CreditHolder(other): tablet]
    var state = CreditState(lives: DeviceLives(keys))
    state.count(Self.bought(10, of: 10), at: CreditHolder(first), sign: 1)
    // The second life has spent what the other device gave back to it, of a gift by the first one that is void now.
    state.apply(.moved(from: other, to: second), total: 4)
    state.apply(.spent(by: second), total: 4)
    #expect(state.doubts.map(\.amount) == [4] && state.balance == 6)
    // A later life names the gift.
    state.apply(.movedAgain(from: first, to: other, by: second), total: 4)
    #expect(state.doubts.isEmpty && state.balance == 6 && state.available(to: CreditHolder(first)) == 6)
    // It is the greater of what both say, told in any order.
    state.apply(.moved(from: first, to: other), total: 3)
    state.apply(.movedAgain(from: first, to: other, by: other), total: 2)
    #expect(state.balance == 6)
    state.apply(.spent(by: second), total: 7)
    #expect(state.doubts.isEmpty && state.balance == 3)
    #expect(state.available(to: CreditHolder(first)) == 3 && state.available(to: CreditHolder(second)) == 0)
    // Apart they would be strangers to each other.
    state.lives = DeviceLives()
    #expect(state.available(to: CreditHolder(first)) == 6)
  }

  /// [C32] A debt is paid out of all rights, in the order of the holders.
  @Test func C32_debtsArePaidFirst() {
    let (phone, tablet, watch) = (Self.replica(0), Self.replica(1), Self.replica(2))
    var state = CreditState()
    let five = Self.bought(5, of: 5)
    for replica in [phone, tablet, watch] { state.count(five, at: CreditHolder(replica), sign: 1) }
    state.apply(.spent(by: phone), total: 5)
    state.count(five, at: CreditHolder(phone), sign: -1)
    state.count(Self.bought(0, of: 5), at: CreditHolder(phone), sign: 1)
    #expect(state.balance == 5 && state.rights(of: CreditHolder(phone)) == -5)
    #expect(state.available(to: CreditHolder(tablet)) == 0 && state.available(to: CreditHolder(watch)) == 5)
    state.apply(.spent(by: tablet), total: 5)
    #expect(state.balance == 0 && state.available(to: CreditHolder(watch)) == 0)
  }

  /// A dishonest device gives away what it never had: who was given it can spend only what there is.
  @Test func rightsFromNothingAreDoubted() {
    let (liar, phone, tablet) = (Self.replica(3), Self.replica(0), Self.replica(1))
    var state = CreditState()
    state.count(Self.bought(5, of: 5), at: CreditHolder(tablet), sign: 1)
    state.apply(.moved(from: liar, to: phone), total: 1_000)
    #expect(state.rights(of: CreditHolder(phone)) == 1_000 && state.available(to: CreditHolder(phone)) == 0)
    #expect(state.available(to: CreditHolder(tablet)) == 5)
    // Nobody is told to ask the phone for a thousand.
    #expect(state.spendable.map(\.holder) == [CreditHolder(tablet)] && state.spendable.map(\.rights) == [5])
    // Beyond the limit it counts as that, and nothing traps.
    for total in [0, UInt64(Limits.creditTotal) + 1, .max] {
      state.apply(.moved(from: liar, to: tablet), total: total)
      state.apply(.spent(by: liar), total: total)
    }
    #expect(state.available(to: CreditHolder(tablet)) == 5 && state.balance == 5)
  }

  /// What a life that was cut has spent are the spends that are remembered of it, once each, and what lies before the first: in
  /// any order, told again, and as far as its own number does not say it.
  @Test(arguments: Seeds.all) func whatALifeHasSpentCountsOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let life = Self.replica(0)
      var entries: [(CreditEntry, UInt64)] = []
      var (own, base, carrier): (Int64, Int64, ReplicaID?) = (0, .max, nil)
      var (amounts, named): ([String: Int64], Set<String>) = ([:], [])
      for slot in 0..<UInt16(random.pick(1...8)) {
        let spend = CreditSpend(id: "s\(random.pick(1...6))", amount: Int64(random.pick(1...3)))
        let total = spend.amount + Int64(random.pick(0...5))
        switch random.pick(0...2) {
        case 0:
          own = max(own, total)
          entries.append((.spent(by: life), UInt64(total)))
          continue
        case 1: entries.append((.spend(by: life, slot: slot, spend), UInt64(total)))
        default:
          let by = Self.replica(random.pick(1...3))
          // Of what one life names of a spend the last word stands.
          guard named.insert("\(spend.id) \(by)").inserted else { continue }
          carrier = min(carrier ?? by, by)
          entries.append((.spentAgain(life, spend, by: by), UInt64(total)))
        }
        base = min(base, total - spend.amount)
        amounts[spend.id] = max(amounts[spend.id] ?? 0, spend.amount)
      }
      var state = CreditState()
      for (entry, total) in (entries + entries).shuffled(using: &random) { state.apply(entry, total: total) }
      let spent = carrier == nil ? 0 : amounts.values.reduce(base, +)
      for replica in Self.replicas {
        let charged = replica == carrier ? max(spent - own, 0) : 0
        let expected = 0 - charged - (replica == life ? own : 0)
        #expect(state.rights(of: CreditHolder(replica)) == expected, "PEERSYNC_SEED=\(seed)")
      }
      #expect(state.balance == 0, "PEERSYNC_SEED=\(seed)")
    }
  }

  @Test func theLastSpendsAreRemembered() {
    let phone = Self.replica(0)
    var state = CreditState()
    #expect(state.nextSlot(of: phone) == 0)
    state.apply(.spent(by: phone), total: 2 * (UInt64(Limits.rememberedSpends) + 3))
    for number in 0..<Int(Limits.rememberedSpends) + 3 {
      let spend = CreditSpend(id: "s\(number)", amount: 2)
      state.apply(
        .spend(by: phone, slot: state.nextSlot(of: phone), spend), total: UInt64(2 * (number + 1)))
    }
    #expect(state.spend("s2") == nil && state.spend("s3") == CreditSpend(id: "s3", amount: 2))
    #expect(state.nextSlot(of: phone) == 3)
    // An older one does not come back.
    state.apply(.spend(by: phone, slot: 2, CreditSpend(id: "s2", amount: 2)), total: 6)
    #expect(state.spend("s2") == nil && state.nextSlot(of: phone) == 3)
  }

  /// The bytes that docs/protocol.md shows.
  @Test func aSpendHasItsNumber() throws {
    let bytes: [UInt8] = [0, 1, 2, 0x73, 0x31, 2, 1, 0x0a, 3, 2, 0x82, 1]
    #expect(CreditSpend(id: "s1", amount: 5, number: 65).encoded == bytes)
    #expect(try CreditSpend(decoding: bytes[...]).number == 65)
    // One of an earlier version, and one of a later one.
    #expect(try CreditSpend(decoding: bytes.prefix(8)).number == nil)
    #expect(try CreditSpend(decoding: (bytes + [4, 1, 0])[...]).number == 65)
    for number in [[3, 1, 0], [3, 1, 1]] as [[UInt8]] {
      #expect(throws: WireError.beyondLimit) { try CreditSpend(decoding: (bytes.prefix(8) + number)[...]) }
    }
    let phone = Self.replica(0)
    var state = CreditState()
    #expect(state.nextNumber(of: phone) == 1)
    state.apply(.spend(by: phone, slot: 7, CreditSpend(id: "old", amount: 5)), total: 5)
    #expect(state.nextNumber(of: phone) == 1)
    state.apply(.spend(by: phone, slot: 8, CreditSpend(id: "s1", amount: 5, number: 65)), total: 10)
    #expect(state.nextNumber(of: phone) == 66)
  }

  @Test func spendsAreWithinTheirLimits() {
    for (id, amount) in [("", 1), ("s", 0), ("s", -1), ("s", Limits.creditTotal + 1)] as [(String, Int64)] {
      #expect(!CreditSpend(id: id, amount: amount).isWithinLimits)
    }
    let long = String(repeating: "x", count: Limits.textBytes)
    #expect(CreditSpend(id: long, amount: Limits.creditTotal).isWithinLimits)
    #expect(!CreditSpend(id: long + "x", amount: 1).isWithinLimits)
  }

  /// [D43] An app names its replica to the store; a token of an app's own names none.
  @Test func D43_holdersAreAccountTokens() throws {
    let replica = ReplicaID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)
    let token = CreditHolder(replica).accountToken
    #expect(token == "00112233-4455-8677-8899-aabbccddeeff")
    #expect(CreditHolder(accountToken: token) == CreditHolder(replica))
    #expect(CreditHolder(accountToken: token.uppercased()) == CreditHolder(replica))
    for other in [
      "", "00112233-4455-4677-8899-aabbccddeeff", "001122334455-8677-8899-aabbccddeeff-", token + "0",
      "00112233-4455-8677-c899-aabbccddeeff", "00112233445586778899aabbccddeeff",
    ] {
      #expect(CreditHolder(accountToken: other) == nil, "\(other)")
    }
    #expect(
      CreditHolder(ReplicaID(high: 0, low: 0)) == .nobody
        && CreditHolder(accountToken: CreditHolder.nobody.accountToken) == nil)
  }
}

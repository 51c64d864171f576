import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Which of several items about one transaction stands.
@Suite struct ItemChoiceTests {
  private let bought = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")

  /// Registers as a ledger reads them, one after another.
  private struct Reading {
    var ledger = Fixtures.ledger()
    var reader = StoreReader(verifier: .simulated, trustedRoots: SimulatedStore.trustedRoots)
    var registers: [[UInt8]: [UInt8]] = [:]

    mutating func take(_ writes: [LocalWrite]) {
      for write in writes { registers[write.key] = write.value }
      for write in writes where write.key.first != RegisterKind.storePart.rawValue {
        let registers = registers
        ledger.apply(
          key: write.key[...], value: write.value[...], stamp: write.stamp ?? Stamp(rawValue: 0), &reader
        ) { registers[$0.encoded] }
      }
    }
  }

  /// The item of a snapshot in another form than the usual one.
  private func verbatim(_ transaction: Transaction, stamp: Stamp? = nil) -> [LocalWrite] {
    let stamp = stamp ?? transaction.stamp
    let value = StoreItem.verbatim(text: SimulatedStore.sign(transaction).text).encoded(transaction.rank)
    let key = StoreSubject(transaction, device: nil).key(of: value, stamp: stamp, .simulated)
    return [LocalWrite(key: key.encoded, stamp: stamp, value: value)]
  }

  private func forged(_ transaction: Transaction) -> Transaction {
    var forged = transaction
    forged.verification = .unverified
    return forged
  }

  /// Whatever comes when: the newest of those that the store has signed stands, and the others are told.
  @Test func C40_everyOrderOfGoodAndBadItems() {
    let refunded = bought.refunded("2026-02-01")
    let items = [
      SimulatedStore.writes(of: bought), SimulatedStore.writes(of: refunded),
      SimulatedStore.writes(of: forged(bought.reinstated("2026-05-01"))),
      [bought.unsigned(stamp: Stamp(rawValue: .max))], verbatim(bought, stamp: Stamp(rawValue: .max)),
    ]
    for order in permutations(items) {
      var reading = Reading()
      for writes in order { reading.take(writes) }
      let record = reading.ledger.transaction("1")
      #expect(record?.rejection == nil && record?.transaction.signedDate == refunded.signedDate)
      #expect(record?.transaction.refund == .full)
      #expect(
        reading.ledger.refusals.map(\.reason)
          == [.badSignature, .unsigned, .contradictsRegister]
          .sorted { "\($0)" < "\($1)" })
    }
  }

  /// The store may sign a purchase and its refund in one millisecond, and an item may come in several forms.
  @Test func A7_theRevokedOneOfEqualDatesStands() {
    let refunded = bought.refunded("2026-01-01")
    let items = [
      SimulatedStore.writes(of: bought), verbatim(bought), SimulatedStore.writes(of: refunded),
      verbatim(refunded),
    ]
    for order in permutations(items) {
      var reading = Reading()
      for writes in order { reading.take(writes) }
      #expect(reading.ledger.transaction("1")?.transaction.refund == .full)
      #expect(reading.ledger.expires() == nil && reading.ledger.refusals.isEmpty)
      // Which is told: the store has contradicted itself, but not by saying one thing in two forms.
      #expect(reading.ledger.contradictions == ["1"])
    }
  }

  /// What it signs later settles it, whenever that comes; what counts for nothing contradicts nothing.
  @Test func A7_aContradictionStandsUntilTheStoreSaysMore() {
    let refunded = bought.refunded("2026-01-01")
    let later = bought.reinstated("2026-03-01")
    let stories: [(items: [Transaction], told: [String])] = [
      ([bought, bought, forged(refunded)], []), ([bought, refunded, forged(later)], ["1"]),
      ([bought, refunded, later], []), ([bought, later, later.refunded("2026-03-01")], ["1"]),
    ]
    for story in stories {
      for order in permutations(story.items) {
        var reading = Reading()
        for item in order { reading.take(SimulatedStore.writes(of: item)) }
        #expect(reading.ledger.contradictions == story.told)
      }
    }
  }

  /// A store that was put back from a copy may give an id again: one of the two purchases is gone, and nothing else shows it.
  @Test func anIdOfTwoPurchasesIsTold() {
    var other = bought
    other.purchaseDate = instant("2026-02-01")
    other.signedDate = instant("2026-02-01")
    var another = bought
    another.productId = Fixtures.sixMonths.id
    let stories: [(items: [Transaction], told: [String])] = [
      ([bought, bought.refunded("2026-03-01"), bought.reinstated("2026-04-01")], []),
      ([bought, other], ["1"]), ([bought.refunded("2026-03-01"), other, bought], ["1"]),
      ([bought, another], ["1"]), ([bought, forged(other)], []),
    ]
    for story in stories {
      for order in permutations(story.items) {
        var reading = Reading()
        for item in order { reading.take(SimulatedStore.writes(of: item)) }
        #expect(reading.ledger.reusedIds == story.told)
      }
    }
  }

  /// The same of what the store says of a renewal; the same said twice is none.
  @Test func aContradictionAboutARenewal() {
    let (on, off) = (
      Club.renewal(signed: "2026-01-02"), Club.renewal(signed: "2026-01-02", renews: false)
    )
    var unsigned = off
    unsigned.verification = .unverified
    let stories: [(items: [RenewalInfo], told: [String])] = [
      ([on, on], []), ([on, off, on], ["1"]), ([on, unsigned], []),
      ([on, off, Club.renewal(signed: "2026-01-03")], []),
    ]
    for story in stories {
      for order in permutations(story.items) {
        var ledger = Fixtures.ledger()
        for item in order { ledger.apply(item) }
        #expect(ledger.contradictions == story.told)
      }
    }
  }

  /// Without any good item the claims are shown as what they are.
  @Test func refusedItemsAreEvidence() {
    let claims = [
      forged(bought), forged(bought.reinstated("2026-03-01")), forged(bought.refunded("2026-02-01")),
    ]
    for order in permutations(claims) {
      var reading = Reading()
      for claim in order { reading.take(SimulatedStore.writes(of: claim)) }
      #expect(reading.ledger.expires() == nil)
      #expect(reading.ledger.transaction("1")?.rejection == .badSignature)
      #expect(reading.ledger.transaction("1")?.transaction.signedDate == instant("2026-03-01"))
      #expect(reading.ledger.refusals.map(\.count) == [3])
      reading.take(SimulatedStore.writes(of: bought))
      #expect(reading.ledger.transaction("1")?.rejection == nil)
      #expect(reading.ledger.expires() == instant("2026-04-01"))
    }
  }

  /// What is claimed alike and refused for different reasons: codes decide which is shown, and between equal codes the names of
  /// the items, whatever the words, and whatever comes first.
  @Test func wordsForPeopleDecideNothing() throws {
    func shown(_ items: [(UInt64, JWSRejection)]) -> JWSRejection? {
      var ledger = Fixtures.ledger()
      for (name, reason) in items {
        let key = RegisterKey.transaction(
          environment: bought.environment, bundleId: bought.bundleId, transactionId: "1", device: nil,
          item: StoreItemID(high: 0, low: name))
        let reading = StoreReading.refused(reason, claimed: .transaction(forged(bought)))
        ReadItem(reading, at: key, stamp: bought.stamp).map { ledger.apply(.item($0)) }
      }
      return ledger.transaction("1")?.rejection
    }
    // Their words are the other way round.
    #expect(JWSRejection.wrongAlgorithm.description < JWSRejection.badSignature.description)
    for order in permutations([(2, .badSignature), (1, .wrongAlgorithm)] as [(UInt64, JWSRejection)]) {
      #expect(shown(order) == .wrongAlgorithm)
    }
    for words in [["expired", "not yet valid"], ["not yet valid", "expired"]] {
      let items: [(UInt64, JWSRejection)] = [(1, .invalidPath(words[0])), (2, .invalidPath(words[1]))]
      for order in permutations(items) { #expect(shown(order) == .invalidPath(words[1])) }
    }
  }

  // MARK: Any story

  /// An item, and whether it counts.
  private struct Item {
    let writes: [LocalWrite]
    let claim: Transaction
    let stamp: Stamp
    let isGood: Bool
  }

  private func item(_ random: inout SeededGenerator) -> Item {
    let product = random.pick([Fixtures.threeMonths, Fixtures.sixMonths, Fixtures.credits])
    var claim = Fixtures.buy("\(random.below(3))", product, "2026-01-0\(1 + random.below(3))")
    if random.chance(3) { claim = claim.refunded("2026-02-0\(1 + random.below(3))") }
    claim.signedDate = instant("2026-02-0\(1 + random.below(4))")
    let stamp = random.chance(2) ? Stamp(rawValue: .max) : claim.stamp
    switch random.below(6) {
    case 0:
      return Item(
        writes: SimulatedStore.writes(of: forged(claim)), claim: forged(claim), stamp: claim.stamp,
        isGood: false)
    case 1:
      return Item(writes: [claim.unsigned(stamp: stamp)], claim: forged(claim), stamp: stamp, isGood: false)
    case 2:
      return Item(
        writes: verbatim(claim, stamp: stamp), claim: claim, stamp: stamp, isGood: stamp == claim.stamp)
    default:
      return Item(writes: SimulatedStore.writes(of: claim), claim: claim, stamp: claim.stamp, isGood: true)
    }
  }

  /// Against a twin that knows all items at once, and sorts.
  @Test(arguments: Seeds.all) func C40_theTwinChoosesTheSame(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let items = (0..<random.pick(1...12)).map { _ in item(&random) }
      var (straight, shuffled) = (Reading(), Reading())
      for item in items { straight.take(item.writes) }
      for item in (items + items.prefix(2)).shuffled(using: &random) {
        shuffled.take(item.writes)
        if random.chance(4) { _ = shuffled.ledger.view(at: instant("2026-03-01")) }
      }
      for id in ["0", "1", "2"] { expectTwin(straight.ledger, items, id, seed) }
      #expect(straight.ledger.transactions() == shuffled.ledger.transactions(), "seed \(seed)")
      #expect(straight.ledger.refusals.map(\.count) == shuffled.ledger.refusals.map(\.count), "seed \(seed)")
      let now = instant("2026-03-01")
      #expect(straight.ledger.view(at: now) == shuffled.ledger.view(at: now), "seed \(seed)")
    }
  }

  private func expectTwin(_ ledger: Ledger, _ items: [Item], _ id: String, _ seed: UInt64) {
    let own = items.filter { $0.claim.transactionId == id }
    let bad = Set(own.filter { !$0.isGood }.flatMap { $0.writes.suffix(1).map(\.key) })
    let candidates = own.contains(where: \.isGood) ? own.filter(\.isGood) : own
    let best = candidates.max { left, right in
      (left.stamp, left.claim.rank.rawValue) < (right.stamp, right.claim.rank.rawValue)
    }
    let record = ledger.transaction(id)
    #expect((record == nil) == own.isEmpty, "seed \(seed)")
    #expect((record?.rejection == nil) == own.contains(where: \.isGood) || own.isEmpty, "seed \(seed)")
    #expect(record?.transaction.rank == best?.claim.rank, "seed \(seed)")
    if best?.isGood == true { #expect(record?.transaction.stamp == best?.stamp, "seed \(seed)") }
    let all = items.filter { !$0.isGood && $0.claim.transactionId != id }
    let others = Set(all.flatMap { $0.writes.suffix(1).map(\.key) })
    #expect(ledger.refusals.reduce(0) { $0 + $1.count } == bad.count + others.count, "seed \(seed)")
  }
}

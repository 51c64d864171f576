import PeerSyncCore
import PeerSyncTesting
import Testing

/// What is applied to a ledger.
private enum Entry {
  case fact(Fact, stamp: Stamp)
  case renewal(RenewalInfo)

  func apply(to ledger: inout Ledger) {
    switch self {
    case .fact(let fact, let stamp): ledger.apply(fact, stamp: stamp)
    case .renewal(let info): ledger.apply(info)
    }
  }
}

/// Random facts about a few names, so that they meet.
private struct Story {
  var writes: [Entry] = []

  init(_ random: inout SeededGenerator) {
    for _ in 0..<random.pick(1...40) { add(&random) }
  }

  private mutating func add(_ random: inout SeededGenerator) {
    // One stamp for each write of a register, as between replicas the replica breaks ties.
    let stamp = Stamp(rawValue: UInt64(writes.count) + 1)
    switch random.pick(0...9) {
    case 0...4: addTransaction(&random)
    case 5: addRenewal(&random)
    case 6:
      var product = random.pick(Fixtures.all)
      if random.chance(3) { product.line = random.pick(["random", "other"]) }
      if random.chance(4) { product.period = period(random.pick(["P1M", "P2M", "P5D"])) }
      if random.chance(8) { product.type = random.pick(ProductType.allCases) }
      writes.append(.fact(.product(product), stamp: stamp))
    case 7:
      let covers = (0..<random.pick(0...3)).map { _ in "\(random.pick(0...9))" }
      let expires = random.chance(4) ? nil : day(&random)
      let register = ExpirationRegister(expires: expires, covers: covers)
      writes.append(.fact(.expiration(line: random.pick(["random", "other"]), register), stamp: stamp))
    default:
      let grant = Grant(
        present: !random.chance(3), until: random.maybe(day(&random)),
        transactionId: random.maybe("\(random.pick(0...9))"))
      writes.append(
        .fact(
          .grant(entitlement: random.pick(["random", "promo"]), id: "\(random.pick(0...1))", grant),
          stamp: stamp))
    }
  }

  private mutating func addTransaction(_ random: inout SeededGenerator) {
    let product = random.chance(12) ? Product(id: "unknown") : random.pick(Fixtures.all)
    let environment = random.chance(8) ? random.pick(Environment.allCases) : .sandbox
    // Snapshots of one transaction: what was bought stays, what became of it changes.
    var transaction = Fixtures.buy("\(random.pick(0...9))", product, "2026-01-01", environment: environment)
    transaction.purchaseDate = day(&random)
    transaction.originalTransactionId = "\(random.pick(0...9))"
    transaction.quantity = random.pick(1...2)
    if random.chance(3) {
      let type = random.pick(RevocationType.allCases)
      transaction = transaction.refunded(
        "2026-06-01", type: type, percentage: random.maybe(random.pick(0...100_000)))
    }
    if product.type == .autoRenewableSubscription { transaction.expiresDate = day(&random) }
    transaction.isUpgraded = random.chance(6)
    transaction.ownership = random.chance(4) ? .familyShared : .purchased
    if random.chance(10) { transaction.verification = .unverified }
    // A transaction may have several items, of one instant as well.
    transaction.signedDate = Instant(clamping: Int64(random.chance(3) ? 7 : writes.count + 1))
    writes.append(
      .fact(.transaction(transaction, device: DeviceID(high: 0, low: 1)), stamp: transaction.stamp))
  }

  private mutating func addRenewal(_ random: inout SeededGenerator) {
    var info = RenewalInfo(
      originalTransactionId: "\(random.pick(0...9))", productId: Fixtures.monthly.id,
      autoRenewStatus: random.chance(2), renewalDate: random.maybe(day(&random)), environment: .sandbox,
      // Several of one instant as well.
      signedDate: random.chance(2) ? instant("2026-02-01") : day(&random),
      verification: random.chance(6) ? .unverified : .simulated)
    info.isInBillingRetryPeriod = random.chance(3)
    info.gracePeriodExpiresDate = random.chance(3) ? day(&random) : nil
    info.expirationIntent = random.chance(3) ? random.pick(1...5) : nil
    writes.append(.renewal(info))
  }

  private func day(_ random: inout SeededGenerator) -> Instant {
    instant("2026-01-01").adding(months: 0, days: random.pick(0...200))
  }

  func ledger(_ writes: [Entry]) -> Ledger {
    var ledger = Fixtures.ledger(products: [Fixtures.threeMonths, Fixtures.owl])
    for write in writes { write.apply(to: &ledger) }
    return ledger
  }
}

/// Everything that a ledger answers.
private struct Answers: Equatable {
  let view: LedgerView
  let whys: [Why?]
  let records: [TransactionRecord]
  let catalogue: Catalogue
  let offers: [Offer?]

  init(_ ledger: inout Ledger, at now: Instant) {
    view = ledger.view(at: now)
    whys = ["random", "owl", "club", "promo"].map { ledger.why($0, at: now) }
    records = ledger.transactions()
    catalogue = ledger.catalogue
    offers = Fixtures.all.map { ledger.offer($0.id, at: now) }
  }
}

@Suite struct LedgerConvergenceTests {
  @Test(arguments: Seeds.all) func I2_I7_I8_orderAndRepetitionChangeNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let story = Story(&random)
      let now = instant("2026-01-01").adding(months: 0, days: random.pick(0...250))
      var straight = story.ledger(story.writes)
      let answers = Answers(&straight, at: now)
      var shuffled = story.ledger(story.writes.shuffled(using: &random))
      guard Answers(&shuffled, at: now) == answers else {
        Issue.record("round \(round): order shows in \(story.writes)")
        return
      }
      for write in story.writes.shuffled(using: &random) { write.apply(to: &shuffled) }
      guard Answers(&shuffled, at: now) == answers else {
        Issue.record("round \(round): repetition shows in \(story.writes)")
        return
      }
    }
  }

  @Test(arguments: Seeds.all) func aLedgerKeptUpEqualsOneMadeFromScratch(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let story = Story(&random)
      var kept = story.ledger([])
      for count in story.writes.indices {
        let now = instant("2026-01-01").adding(months: 0, days: random.pick(0...250))
        story.writes[count].apply(to: &kept)
        var fresh = story.ledger(Array(story.writes[...count]))
        guard Answers(&kept, at: now) == Answers(&fresh, at: now) else {
          Issue.record("round \(round), write \(count) of \(story.writes)")
          return
        }
      }
    }
  }

  @Test(arguments: Seeds.all) func everyFlipComesWhenItWasForetold(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func active(_ view: LedgerView) -> [Bool] {
      view.lines.map(\.active) + view.entitlements.map(\.active) + view.subscriptions.map(\.givesAccess)
    }
    for round in 0..<40 {
      let story = Story(&random)
      var ledger = story.ledger(story.writes)
      var previous = ledger.view(at: instant("2025-12-31"))
      for day in 0..<300 {
        let now = instant("2026-01-01").adding(months: 0, days: day)
        let view = ledger.view(at: now)
        let foretold = previous.nextChange.map { $0 <= now } ?? false
        guard active(view) == active(previous) || foretold else {
          Issue.record("round \(round), day \(day) of \(story.writes)")
          return
        }
        previous = view
      }
    }
  }
}

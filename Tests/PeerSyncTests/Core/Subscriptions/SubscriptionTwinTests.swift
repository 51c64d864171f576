import PeerSyncCore
import Testing

/// One snapshot, in days since the first of January.
private struct Snapshot {
  let id: String
  let product: Product
  let start: Int
  let end: Int
  let signed: Int
  /// 0: stands; 1: upgraded; 2: revoked.
  let standing: Int
  let isFree: Bool
  let isForged: Bool

  init(_ random: inout SeededGenerator, signed: Int) {
    id = "\(random.pick(0...5))"
    product = random.pick(Club.products)
    start = random.pick(0...260)
    end = start + random.pick([0, 7, 30, 31, 90])
    self.signed = signed
    standing = [0, 0, 0, 0, 1, 2][random.pick(0...5)]
    isFree = random.chance(5)
    isForged = random.chance(6)
  }

  var transaction: Transaction {
    var transaction = Fixtures.buy(id, product, "2026-01-01")
    transaction.originalTransactionId = "0"
    (transaction.purchaseDate, transaction.expiresDate) = (day(start), day(end))
    transaction.signedDate = day(signed)
    transaction.isUpgraded = standing == 1
    transaction.revocationDate = standing == 2 ? day(signed) : nil
    transaction.offer = isFree ? StoreOffer(code: 1, payment: .freeTrial) : nil
    transaction.verification = isForged ? .unverified : .simulated
    return transaction
  }
}

/// What the store says of the renewal, in days.
private struct News {
  let signed: Int
  let renews: Bool
  let due: Int?
  let grace: Int?
  let isRetrying: Bool
  let intent: Int?
  let isForged: Bool

  init(_ random: inout SeededGenerator, signed: Int) {
    self.signed = signed
    renews = !random.chance(3)
    due = random.maybe(random.pick(0...300))
    grace = random.chance(3) ? random.pick(0...320) : nil
    isRetrying = random.chance(3)
    intent = random.chance(4) ? random.pick(1...5) : nil
    isForged = random.chance(6)
  }

  var info: RenewalInfo {
    var info = Club.renewal(signed: "2026-01-01", renews: renews, original: "0")
    info.signedDate = day(signed)
    info.renewalDate = due.map(day)
    info.gracePeriodExpiresDate = grace.map(day)
    info.isInBillingRetryPeriod = isRetrying
    info.expirationIntent = intent
    info.verification = isForged ? .unverified : .simulated
    return info
  }
}

private func day(_ number: Int) -> Instant {
  instant("2026-01-01").advanced(byMilliseconds: Int64(number) * Instant.dayMilliseconds)
}

/// What the twin and the ledger are compared by.
private struct Answer: Equatable {
  var state: SubscriptionState
  var product: String
  var expires: Instant?
  var access: Instant?
  var willRenew: Bool?
  var reason: ExpiryReason?
  var paidDays: Int
}

/// The slow obvious twin: knows everything at once, looks for the newest by sorting, and counts paid days one by one.
private struct Twin {
  let periods: [Snapshot]
  let news: News?

  init(_ snapshots: [Snapshot], _ news: [News]) {
    let good = snapshots.filter { !$0.isForged }
    periods = Set(good.map(\.id)).sorted().compactMap { id in
      good.filter { $0.id == id }.sorted { $0.signed < $1.signed }.last
    }
    self.news = news.filter { !$0.isForged }.sorted { $0.signed < $1.signed }.last
  }

  private func last(_ periods: [Snapshot]) -> Snapshot? {
    periods.sorted { ($0.end, $0.start, $0.id) < ($1.end, $1.start, $1.id) }.last
  }

  func answer(on now: Int) -> Answer? {
    let standing = last(periods.filter { $0.standing == 0 })
    guard let current = standing ?? last(periods) else { return nil }
    let newest = periods.filter { $0.standing != 1 }.sorted { ($0.start, $0.id) < ($1.start, $1.id) }.last
    let isRevoked = newest.map { $0.standing == 2 && (standing == nil || $0.end > current.end) } ?? false
    // Whether the news is about this period, and whether it tells how it ended.
    let lead = min(1, Double(current.end - current.start) / 7)
    let knows = news.map {
      $0.due.map { $0 >= current.end } ?? (Double($0.signed) >= Double(current.start) - lead)
    }
    let tells = news.map {
      $0.due.map { $0 >= current.end } ?? (Double($0.signed) >= Double(current.end) - lead)
    }
    let known = knows == true ? news : nil
    let told = knows == true && tells == true ? news : nil
    var grace: Int?
    if let told, let end = told.grace, end > current.end, told.intent == nil || told.intent == 2 {
      grace = end
    }
    let tries = told.map { $0.isRetrying || grace != nil && $0.intent == nil } ?? false
    var answer = Answer(
      state: .subscribed, product: inForce(current, on: now).product.id,
      expires: standing.map { day($0.end) },
      access: standing.map { day(max($0.end, isRevoked ? 0 : grace ?? 0)) },
      willRenew: known?.renews ?? (news?.renews == true ? true : nil), reason: nil, paidDays: paid(on: now))
    if standing == nil {
      answer.state = isRevoked ? .revoked : .expired
    } else if now >= current.end {
      if isRevoked {
        answer.state = .revoked
      } else if let grace, now < grace {
        answer.state = .inGracePeriod
      } else {
        answer.state = tries && now < current.end + 60 ? .inBillingRetry : .expired
      }
    }
    if answer.state == .expired || answer.state == .inBillingRetry {
      let reasons: [ExpiryReason] = [
        .turnedOff, .billingError, .priceNotAccepted, .productUnavailable, .other,
      ]
      answer.reason =
        told?.intent.map { reasons[$0 - 1] }
        ?? (tries ? .billingError : known?.renews == false ? .turnedOff : nil)
    }
    return answer
  }

  /// What came before a period that is still to come, while it lasts.
  private func inForce(_ current: Snapshot, on now: Int) -> Snapshot {
    guard current.standing == 0, now < current.start else { return current }
    let earlier = periods.filter {
      $0.standing == 0 && ($0.start, $0.id) < (current.start, current.id)
    }
    guard let before = last(earlier), before.start <= now, now < before.end else { return current }
    return before
  }

  private func isPaid(_ today: Int) -> Bool {
    periods.contains { period in
      guard !period.isFree, period.standing != 2, period.start <= today, today < period.end else {
        return false
      }
      guard period.standing == 1 else { return true }
      let next = periods.map(\.start).filter { $0 > period.start }.min() ?? .max
      return today < period.signed && today < next
    }
  }

  private func paid(on now: Int) -> Int {
    var (count, unpaid) = (0, 0)
    for today in 0..<max(now, 0) {
      if isPaid(today) {
        count = unpaid > 60 ? 1 : count + 1
        unpaid = 0
      } else if count > 0 {
        unpaid += 1
      }
    }
    return unpaid > 60 ? 0 : count
  }
}

extension Answer {
  fileprivate init(_ view: SubscriptionView) {
    self.init(
      state: view.state, product: view.productId, expires: view.expires, access: view.accessUntil,
      willRenew: view.willRenew, reason: view.reason, paidDays: view.paidDays)
  }
}

@Suite struct SubscriptionTwinTests {
  private enum Fact {
    case snapshot(Snapshot)
    case news(News)
  }

  private func apply(_ fact: Fact, to ledger: inout Ledger) {
    switch fact {
    case .snapshot(let snapshot): ledger.take(snapshot.transaction)
    case .news(let news): ledger.apply(news.info)
    }
  }

  @Test(arguments: Seeds.all) func theTwinAnswersTheSame(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<250 {
      var signed = 0
      let facts = (0..<random.pick(1...14)).map { _ -> Fact in
        signed += random.pick(1...25)
        return random.chance(3)
          ? .news(News(&random, signed: signed)) : .snapshot(Snapshot(&random, signed: signed))
      }
      let twin = Twin(
        facts.compactMap { if case .snapshot(let snapshot) = $0 { snapshot } else { nil } },
        facts.compactMap { if case .news(let news) = $0 { news } else { nil } })
      var ledger = Club.ledger()
      for fact in (facts + facts.prefix(3)).shuffled(using: &random) {
        apply(fact, to: &ledger)
        // Asking fills caches.
        if random.chance(3) { _ = ledger.view(at: day(random.pick(0...400))) }
      }
      for _ in 0..<8 {
        let now = random.pick(0...420)
        let answer = ledger.view(at: day(now)).subscriptions.first.map(Answer.init)
        guard answer == twin.answer(on: now) else {
          let expected = twin.answer(on: now)
          Issue.record(
            "seed \(seed), round \(round), day \(now): \(answer as Any), not \(expected as Any), for \(facts)"
          )
          return
        }
      }
    }
  }

  /// Every date at which a view changes is foretold: between two of them nothing differs.
  @Test(arguments: Seeds.all) func everyChangeOfAccessIsForetold(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      var ledger = Club.ledger()
      for number in 0..<random.pick(1...8) {
        ledger.take(Snapshot(&random, signed: number * 10 + 1).transaction)
        if random.chance(2) { ledger.apply(News(&random, signed: number * 10 + 5).info) }
      }
      var previous = ledger.view(at: day(-1))
      for now in 0..<420 {
        let view = ledger.view(at: day(now))
        let foretold = previous.nextChange.map { $0 <= day(now) } ?? false
        guard view.subscriptions.map(\.state) == previous.subscriptions.map(\.state) || foretold else {
          Issue.record("seed \(seed), round \(round), day \(now): a change that nobody foretold")
          return
        }
        previous = view
      }
    }
  }
}

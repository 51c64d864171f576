import PeerSyncCore
import PeerSyncSandbox
import Testing

@Suite("The sandbox store") struct SandboxTests {
  @Test("a subscription renews a day before its end, from the anchor, and keeps its 31st")
  func renewals() throws {
    var fixture = try SandboxFixture()
    let first = try fixture.buy("monthly")
    #expect(try fixture.subscription.end == "2026-02-28T00:00:00.000Z")
    try fixture.advance(to: "2026-02-26T23:59:59.999Z")
    #expect(fixture.store.transactions.count == 1)
    try fixture.advance(to: "2026-02-27")
    let renewed = try #require(fixture.store.transactions.last)
    #expect(renewed.original == first && renewed.isRenewal && renewed.purchaseDate == Instant("2026-02-28"))
    #expect(renewed.signed == Instant("2026-02-27"))
    try fixture.advance(to: "2026-05-31")
    #expect(try fixture.subscription.end == "2026-06-30T00:00:00.000Z")
    #expect(fixture.store.transactions.map(\.expires?.date.day) == [28, 31, 30, 31, 30])
    #expect(fixture.told == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_RENEW", "DID_RENEW", "DID_RENEW"])
  }

  @Test("Apple's sandbox table: a month takes five minutes, and after twelve renewals it is over")
  func sandboxTable() throws {
    var fixture = try SandboxFixture(.sandbox, at: "2026-01-01")
    try fixture.buy("monthly")
    #expect(try fixture.subscription.end == "2026-01-01T00:05:00.000Z")
    try fixture.advance(to: "2026-01-01T02:00:00Z")
    #expect(fixture.store.transactions.count == 13)
    #expect(try fixture.subscription.end == "2026-01-01T01:05:00.000Z")
    #expect(try fixture.subscription.state == .expired)
    #expect(try fixture.subscription.reason == .turnedOff)
    #expect(fixture.store.nextDeadline == nil)
    for (period, minutes) in [
      ("P3D", 2), ("P1W", 3), ("P1M", 5), ("P2M", 10), ("P3M", 15), ("P6M", 30), ("P1Y", 60),
    ] {
      let end = SandboxScale.sandbox.end(of: try #require(Period(period)), times: 1, from: .epoch)
      #expect(end.milliseconds == Int64(minutes) * 60_000, "\(period)")
    }
  }

  @Test(
    "the time rates of .storekit files",
    arguments: [
      (0, "P1M", 31 * 86_400), (1, "P1D", 3600), (4, "P1D", 60), (6, "P1M", 30),
      (10, "P1Y", 12 * 3600),
      (11, "P1W", 600), (13, "P1M", 300), (15, "P1W", 10),
    ] as [(Int, String, Int64)])
  func timeRates(rate: Int, period: String, seconds: Int64) throws {
    let scale = try #require(SandboxScale(timeRate: rate))
    #expect(
      scale.end(of: try #require(Period(period)), times: 1, from: .epoch).milliseconds == seconds * 1000)
    #expect(SandboxScale(timeRate: 7) == nil)
  }

  @Test("[C33] an upgrade happens at once; [C34] a downgrade at the next renewal")
  func changes() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let first = try fixture.buy("monthly")
    try fixture.advance(to: "2026-01-11")
    let upgraded = try fixture.buy("premium")
    #expect(fixture.store.transaction(first)?.isUpgraded == true)
    #expect(fixture.store.transaction(upgraded)?.original == first)
    #expect(try fixture.subscription.end == "2026-02-11T00:00:00.000Z")
    #expect(try fixture.buy("weekly") == upgraded)
    #expect(try fixture.subscription.productId == "premium")
    try fixture.advance(to: "2026-02-11")
    #expect(try fixture.subscription.productId == "weekly")
    #expect(try fixture.subscription.end == "2026-02-18T00:00:00.000Z")
    #expect(
      fixture.told == [
        "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
        "DID_RENEW",
      ])
    #expect(fixture.store.entitlements(of: fixture.seen()).map(\.productId) == ["weekly"])
  }

  @Test("a crossgrade of another length waits, one of the same length does not; going back withdraws it")
  func crossgrade() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let first = try fixture.buy("monthly")
    #expect(try fixture.buy("yearly") == first)
    #expect(try fixture.subscription.nextProductId == "yearly")
    #expect(try fixture.buy("monthly") == first)
    #expect(try fixture.subscription.nextProductId == "monthly")
    try fixture.advance(to: "2026-02-01")
    #expect(fixture.told.suffix(2) == ["DID_CHANGE_RENEWAL_PREF", "DID_RENEW"])
  }

  @Test("[C35] a failed payment leads into grace and retry, and in grace nothing is interrupted")
  func grace() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-01")
    #expect(try fixture.subscription.state == .inGracePeriod)
    #expect(try fixture.subscription.graceEnds == Instant("2026-02-17"))
    #expect(fixture.store.entitlements(of: fixture.seen()).count == 1)
    try fixture.advance(to: "2026-02-10")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(try fixture.subscription.end == "2026-03-01T00:00:00.000Z")
    #expect(fixture.store.transactions.last?.purchaseDate == Instant("2026-02-01"))
    #expect(fixture.told.suffix(2) == ["DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_RENEW/BILLING_RECOVERY"])
  }

  @Test("[C36] in retry there is no access; a recovery starts at recovery, and after 60 days it is over")
  func retry() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    try fixture.handle(.setGrace(false))
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-20")
    #expect(try fixture.subscription.state == .inBillingRetry)
    #expect(fixture.store.entitlements(of: fixture.seen()).isEmpty)
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(try fixture.subscription.end == "2026-03-20T00:00:00.000Z")
    try fixture.handle(.setCard(account: SandboxFixture.me, expires: Instant("2026-03-15")))
    try fixture.advance(to: "2026-03-12")
    #expect(try fixture.subscription.warnings == ["the card expires before the renewal"])
    try fixture.advance(to: "2026-05-20")
    #expect(try fixture.subscription.state == .expired)
    #expect(try fixture.subscription.reason == .billingError)
    #expect(fixture.told.suffix(2) == ["DID_FAIL_TO_RENEW", "EXPIRED/BILLING_RETRY"])
  }

  @Test(
    "[C37] a higher price: agreed to it renews at it; refused or unanswered the subscription ends",
    arguments: [
      true, false, nil,
    ])
  func prices(agrees: Bool?) throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    try fixture.handle(.raisePrice(product: "monthly", price: 3990, needsConsent: true))
    #expect(try fixture.subscription.increase?.status == 0)
    try fixture.advance(to: "2026-01-25")
    #expect(try fixture.subscription.warnings == ["a higher price has not been agreed to"])
    if let agrees { try fixture.handle(.answerIncrease(transaction: id, agrees: agrees)) }
    try fixture.advance(to: "2026-02-01")
    if agrees == true {
      #expect(fixture.store.transactions.last?.price == 3990)
      #expect(try fixture.subscription.state == .subscribed)
      try fixture.advance(to: "2026-03-01")
      #expect(fixture.store.transactions.last?.price == 3990)
    } else {
      #expect(try fixture.subscription.state == .expired)
      #expect(try fixture.subscription.reason == .priceNotAccepted)
    }
    #expect(fixture.refusal(.answerIncrease(transaction: id, agrees: true)) == .noIncrease(id))
  }

  @Test(
    "ten days ahead the store says what stands in the way of the renewal, and no longer once nothing does")
  func preflight() throws {
    let obstacles: [(warning: String, sets: SandboxCommand, withdraws: SandboxCommand)] = [
      (
        "payments of this account fail", .setBilling(account: SandboxFixture.me, isFailing: true),
        .setBilling(account: SandboxFixture.me, isFailing: false)
      ),
      (
        "the product is no longer for sale", .withdraw(product: "monthly", isWithdrawn: true),
        .withdraw(product: "monthly", isWithdrawn: false)
      ),
    ]
    for obstacle in obstacles {
      var fixture = try SandboxFixture(at: "2026-01-01")
      try fixture.buy("monthly")
      try fixture.handle(obstacle.sets)
      try fixture.advance(to: "2026-01-21T23:59:59.999Z")
      #expect(try fixture.subscription.warnings.isEmpty)
      try fixture.advance(to: "2026-01-22")
      #expect(try fixture.subscription.warnings == [obstacle.warning])
      try fixture.handle(obstacle.withdraws)
      #expect(try fixture.subscription.warnings.isEmpty)
    }
  }

  @Test("before the renewal the store says that every renewal fails, as a file has it")
  func failingRenewals() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    fixture.store.setTerms { $0.isBillingFailing = true }
    try fixture.buy("monthly")
    try fixture.advance(to: "2026-01-22")
    #expect(try fixture.subscription.warnings == ["payments of this account fail"])
  }

  @Test("who was told of a higher price before keeps the old one until then")
  func announcedPrice() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    try fixture.handle(.raisePrice(product: "monthly", price: 3990, needsConsent: false))
    try fixture.advance(to: "2026-02-01")
    #expect(fixture.store.transactions.map(\.price) == [2990, 3990])
    #expect(
      fixture.refusal(.raisePrice(product: "monthly", price: 3990, needsConsent: true))
        == .noLowerPrice("monthly"))
  }

  @Test("turned off it ends with its period, and bought again it continues with the same first transaction")
  func turnedOff() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let first = try fixture.buy("monthly")
    try fixture.handle(.setRenewal(transaction: first, isOn: false))
    try fixture.advance(to: "2026-03-05")
    #expect(try fixture.subscription.reason == .turnedOff)
    let again = try fixture.buy("monthly")
    #expect(fixture.store.transaction(again)?.original == first)
    #expect(try fixture.subscription.start == Instant("2026-03-05"))
    #expect(fixture.told.suffix(2) == ["EXPIRED/VOLUNTARY", "SUBSCRIBED/RESUBSCRIBE"])
    try fixture.handle(.withdraw(product: "monthly", isWithdrawn: true))
    try fixture.advance(to: "2026-04-06")
    #expect(try fixture.subscription.reason == .productUnavailable)
    #expect(fixture.refusal(.buy(SandboxFixture.order("monthly"))) == .notForSale("monthly"))
  }

  @Test("a free trial is for newcomers")
  func trial() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("trial")
    #expect(fixture.store.transaction(id)?.price == 0 && fixture.store.transaction(id)?.offer == .freeTrial)
    #expect(try fixture.subscription.end == "2026-01-08T00:00:00.000Z")
    try fixture.advance(to: "2026-01-08")
    #expect(fixture.store.transactions.last?.price == 990 && fixture.store.transactions.last?.offer == nil)
    #expect(try fixture.subscription.end == "2026-02-08T00:00:00.000Z")
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    try fixture.advance(to: "2026-03-01")
    let again = try fixture.buy("trial")
    #expect(fixture.store.transaction(again)?.price == 990)
  }

  // MARK: Purchases

  @Test("purchases fail, are cancelled, and go through, for one account or for all")
  func moods() throws {
    var fixture = try SandboxFixture()
    let order = SandboxCommand.buy(SandboxFixture.order("owls"))
    try fixture.handle(.setMood(.fail, account: nil, isOnce: false))
    try fixture.handle(.setMood(.cancel, account: SandboxFixture.me, isOnce: true))
    #expect(try fixture.handle(order) == .cancelled)
    #expect(try fixture.handle(order) == .failed)
    // What was for one purchase leaves alone what stands, of everybody and of an account.
    for account in [nil, SandboxFixture.me] {
      try fixture.handle(.setMood(.fail, account: account, isOnce: false))
      try fixture.handle(.setMood(.cancel, account: account, isOnce: true))
      #expect(try (1...3).map { _ in try fixture.handle(order) } == [.cancelled, .failed, .failed])
    }
    #expect(fixture.store.transactions.isEmpty && fixture.told.isEmpty)
    try fixture.handle(.setMood(.succeed, account: SandboxFixture.me, isOnce: false))
    try fixture.buy("owls")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    #expect(try fixture.handle(order) == .failed)
  }

  @Test("[C39] a purchase waits for approval, and may arrive on another device")
  func approval() throws {
    var fixture = try SandboxFixture()
    try fixture.handle(.setMood(.ask, account: nil, isOnce: false))
    #expect(try fixture.handle(.buy(SandboxFixture.order("owls"))) == .pending(request: 1))
    #expect(try fixture.handle(.buy(SandboxFixture.order("owls"))) == .pending(request: 2))
    #expect(fixture.store.transactions.isEmpty)
    #expect(try fixture.handle(.approve(request: 1)) == .purchased(fixture.store.terms.firstId))
    #expect(fixture.store.unfinished(of: fixture.seen(on: "tablet")).count == 1)
    try fixture.handle(.finish(account: SandboxFixture.me, transactions: [fixture.store.terms.firstId]))
    #expect(fixture.store.unfinished(of: fixture.seen(on: "phone")).isEmpty)
    #expect(try fixture.handle(.decline(request: 2)) == .cancelled)
    #expect(fixture.refusal(.approve(request: 2)) == .decided(2))
    #expect(fixture.refusal(.approve(request: 3)) == .unknownRequest(3))
  }

  @Test("each device sees what StoreKit would show it")
  func views() throws {
    var fixture = try SandboxFixture()
    let (owls, season) = (try fixture.buy("owls"), try fixture.buy("season"))
    let (carefree, monthly) = (try fixture.buy("carefree"), try fixture.buy("monthly"))
    let (phone, tablet) = (fixture.seen(), fixture.seen(on: "tablet"))
    #expect(fixture.store.history(of: phone).map(\.id) == [owls, season, carefree, monthly])
    #expect(fixture.store.history(of: tablet).map(\.id) == [carefree, monthly])
    #expect(fixture.store.entitlements(of: phone).map(\.id) == [season, carefree, monthly])
    #expect(fixture.store.restorable(of: phone).map(\.id) == [carefree, monthly])
    #expect(fixture.store.changes(since: 0, for: tablet).transactions.map(\.id) == [carefree, monthly])
    let known = fixture.store.changes(since: 0, for: phone).revision
    #expect(fixture.store.changes(since: known, for: phone).transactions.isEmpty)
    try fixture.handle(.refund(transaction: owls, percentage: nil))
    #expect(fixture.store.changes(since: known, for: tablet).transactions.map(\.id) == [owls])
    #expect(fixture.store.history(of: fixture.seen(by: "you@example.com")).isEmpty)
    #expect(try fixture.buy("carefree") == carefree)
  }

  // MARK: Refunds

  @Test("a refund ends the subscription, a reversed one gives it back")
  func refunds() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    let season = try fixture.buy("season")
    try fixture.handle(.refund(transaction: id, percentage: nil))
    try fixture.handle(.refund(transaction: season, percentage: 50_000))
    #expect(try fixture.subscription.state == .revoked)
    #expect(fixture.store.transaction(season)?.revocation?.percentage == 50_000)
    #expect(fixture.refusal(.refund(transaction: id, percentage: nil)) == .alreadyRefunded(id))
    #expect(fixture.refusal(.refund(transaction: 5, percentage: nil)) == .unknownTransaction(5))
    let refunded = fixture.store
    try fixture.handle(.declineRefund(transaction: season))
    try fixture.handle(.requestConsumption(transaction: season))
    #expect(refunded.transactions == fixture.store.transactions)
    try fixture.handle(.reverseRefund(transaction: id))
    #expect(try fixture.subscription.state == .subscribed)
    #expect(
      fixture.told.suffix(6) == [
        "REFUND", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "REFUND", "REFUND_DECLINED",
        "CONSUMPTION_REQUEST", "REFUND_REVERSED",
      ])
    let snapshots = fixture.events.compactMap { event -> Instant? in
      if case .transaction(let snapshot) = event, snapshot.id == id { snapshot.signed } else { nil }
    }
    #expect(snapshots.count == 3 && snapshots == snapshots.sorted() && Set(snapshots).count == 3)
  }

  // MARK: Limits

  @Test("what comes from outside is bounded")
  func limits() throws {
    var fixture = try SandboxFixture()
    var order = SandboxFixture.order("owls")
    order.quantity = Limits.quantity + 1
    #expect(fixture.refusal(.buy(order)) == .wrongQuantity(Limits.quantity + 1))
    order = SandboxFixture.order("owls", by: String(repeating: "a", count: Limits.textBytes + 1))
    #expect(fixture.refusal(.buy(order)) == .tooLong)
    #expect(
      fixture.refusal(.raisePrice(product: "owls", price: Limits.sandboxPrice + 1, needsConsent: false))
        == .tooHighPrice)
    #expect(SandboxRefusal.tooHighPrice.description == "a price is at most 1000000000.00; give a lower price")
    #expect(SandboxProduct(id: "x", type: .consumable, price: .max).price == Limits.sandboxPrice)
    order = SandboxFixture.order("season")
    order.date = fixture.store.time.advanced(byMilliseconds: 1)
    #expect(fixture.refusal(.buy(order)) == .wrongDate(try #require(order.date)))
  }

  @Test("accounts, purchases that wait, and deadlines are bounded")
  func fullStore() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    for number in 0..<Limits.sandboxAccounts {
      try fixture.handle(.setMood(.ask, account: "\(number)", isOnce: false))
    }
    #expect(fixture.refusal(.setMood(.ask, account: "one more", isOnce: false)) == .full("accounts"))
    for number in 0..<Limits.sandboxRequests {
      try fixture.handle(.buy(SandboxFixture.order("owls", by: "\(number)")))
    }
    #expect(fixture.refusal(.buy(SandboxFixture.order("owls", by: "7"))) == .full("purchases to approve"))
    try fixture.handle(.decline(request: 3))
    #expect(
      try fixture.handle(.buy(SandboxFixture.order("owls", by: "7")))
        == .pending(request: UInt64(Limits.sandboxRequests + 1)))
    var fast = try SandboxFixture(.faster(Limits.sandboxSpeed), at: "2026-01-01")
    try fast.buy("weekly")
    #expect(throws: SandboxRefusal.tooFar) { try fast.advance(to: "2027-01-01") }
  }

  @Test("so much happens when the clock is set on, and no more")
  func manyDeadlines() throws {
    var fixture = try SandboxFixture(.faster(Limits.sandboxSpeed), at: "2026-01-01")
    try fixture.buy("weekly")
    // A look ahead and a renewal, each at an instant of its own.
    var step = fixture.store
    for _ in 0..<Limits.sandboxDeadlines { try step.advance(to: try #require(step.nextDeadline)) }
    let (last, next) = (step.time, try #require(step.nextDeadline))
    #expect(next > last)
    var store = fixture.store
    try store.advance(to: last)
    #expect(store.transactions == step.transactions)
    store = fixture.store
    #expect(throws: SandboxRefusal.tooFar) { try store.advance(to: next) }
  }

  @Test("a store full of subscriptions sells nothing more")
  func fullOfSubscriptions() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    for number in 0..<(Limits.sandboxSubscriptions / 2) {
      for product in ["monthly", "trial"] { try fixture.buy(product, by: "\(number)") }
    }
    #expect(fixture.store.subscriptions.count == Limits.sandboxSubscriptions)
    #expect(fixture.refusal(.buy(SandboxFixture.order("owls", by: "0"))) == .full("transactions"))
  }

  @Test("a full store sells and renews nothing, and the oldest notifications make room")
  func fullOfTransactions() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    for _ in 1..<Limits.sandboxTransactions {
      _ = try fixture.store.handle(.buy(SandboxFixture.order("owls")), now: fixture.store.time)
    }
    #expect(fixture.refusal(.buy(SandboxFixture.order("owls"))) == .full("transactions"))
    #expect(fixture.store.notifications.count <= Limits.sandboxNotifications)
    #expect(fixture.store.notifications.last?.number == UInt64(Limits.sandboxTransactions))
    #expect(
      fixture.store.changes(since: 0, for: fixture.seen()).transactions.count <= Limits.sandboxAnswerItems)
    try fixture.advance(to: "2026-03-01")
    #expect(try fixture.subscription.reason == .other)
  }
}

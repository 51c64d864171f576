import PeerSyncCore
import Testing

/// How a subscription stands, case by case.
@Suite struct SubscriptionTests {
  private let january = Club.period("1", from: "2026-01-01", to: "2026-02-01")

  private func ledger(_ transactions: [Transaction], _ infos: [RenewalInfo] = []) -> Ledger {
    var ledger = Club.ledger()
    for info in infos { ledger.apply(info) }
    for transaction in transactions { ledger.take(transaction) }
    return ledger
  }

  @Test func withoutRenewalInfoOnlyThePeriodIsKnown() throws {
    let ledger = ledger([january])
    let running = try #require(ledger.club(at: "2026-01-31"))
    #expect(running.state == .subscribed && running.expires == instant("2026-02-01"))
    #expect(running.willRenew == nil && running.nextProductId == nil && running.nextBilling == nil)
    #expect(running.renewalSigned == nil && running.priceConsent == nil && running.lastChange == nil)
    #expect(ledger.club(at: "2026-02-01")?.state == .expired)
    #expect(ledger.club(at: "2026-02-01")?.reason == nil)
  }

  @Test func renewalInfoAloneShowsNothing() {
    var ledger = ledger([], [Club.renewal(signed: "2026-01-01", due: "2027-01-01")])
    #expect(ledger.view(at: instant("2026-01-02")).subscriptions.isEmpty)
    #expect(ledger.entitlement("basic", at: "2026-01-02")?.active == false)
  }

  @Test func whatRenewsSaysWhenAndAsWhat() throws {
    var info = Club.renewal(signed: "2026-01-10", due: "2026-02-01")
    (info.renewalPrice, info.currency) = (4990, "EUR")
    info.offer = StoreOffer(code: 4, id: "back", payment: .payAsYouGo)
    let ledger = ledger([january], [info])
    let view = try #require(ledger.club(at: "2026-01-20"))
    #expect(view.willRenew == true && view.nextProductId == "basic" && view.nextChange == nil)
    #expect(view.nextBilling == instant("2026-02-01") && view.renewalPrice == 4990 && view.currency == "EUR")
    #expect(view.nextOffer?.kind == .winBack && view.renewalSigned == instant("2026-01-10"))
    #expect(ledger.club(at: "2026-02-01")?.nextBilling == nil, "nothing is known of what comes then")
  }

  @Test(arguments: [
    (1, ExpiryReason.turnedOff), (2, .billingError), (3, .priceNotAccepted), (4, .productUnavailable),
    (5, .other), (99, .other),
  ]) func everyReason(_ code: Int, _ reason: ExpiryReason) throws {
    var info = Club.renewal(signed: "2026-02-01", renews: false)
    info.expirationIntent = code
    let ledger = ledger([january], [info])
    #expect(ledger.club(at: "2026-01-31")?.reason == nil, "it has not ended")
    let view = try #require(ledger.club(at: "2026-02-01"))
    #expect(view.state == .expired && view.reason == reason && view.willRenew == false)
  }

  @Test func C37_aReasonThatIsFinalEndsTheGracePeriodAsWell() {
    var info = Club.renewal(signed: "2026-02-01", due: "2026-02-01")
    info.gracePeriodExpiresDate = instant("2026-02-17")
    let open = ledger([january], [info])
    #expect(open.club(at: "2026-02-05")?.state == .inGracePeriod)
    info.expirationIntent = 1
    let final = ledger([january], [info])
    #expect(final.club(at: "2026-02-05")?.state == .expired)
    #expect(final.club(at: "2026-02-05")?.accessUntil == instant("2026-02-01"))
  }

  /// Apple has been seen to state a grace period and no billing retry.
  @Test func C35_graceWithoutRetryIsGrace() {
    var info = Club.renewal(signed: "2026-02-01", due: "2026-02-01")
    info.gracePeriodExpiresDate = instant("2026-02-17")
    info.expirationIntent = 2
    var ledger = ledger([january], [info])
    #expect(ledger.club(at: "2026-02-16")?.state == .inGracePeriod)
    #expect(ledger.entitlement("basic", at: "2026-02-16")?.active == true)
    #expect(ledger.club(at: "2026-02-17")?.state == .expired)
    #expect(ledger.club(at: "2026-02-17")?.reason == .billingError)
  }

  @Test func C35_anOldPeriodThatWasTakenBackSaysNothingOfALaterOne() {
    let year = Club.period("0", Club.yearly, from: "2026-01-01", to: "2027-01-01").refunded("2026-01-09")
    let month = Club.period("2", from: "2026-01-10", to: "2026-02-10")
    var info = Club.renewal(signed: "2026-02-10", due: "2026-02-10")
    info.gracePeriodExpiresDate = instant("2026-02-26")
    let graced = ledger([year, month], [info])
    #expect(graced.club(at: "2026-02-15")?.state == .inGracePeriod)
    #expect(graced.club(at: "2026-02-15")?.revocation == nil)
    let ended = ledger([year, month], [Club.renewal(signed: "2026-02-10", renews: false)])
    #expect(ended.club(at: "2026-02-15")?.state == .expired)
    #expect(ended.club(at: "2026-02-15")?.reason == .turnedOff)
  }

  @Test func C35_aRefundOfTheRenewalEndsTheGraceBeforeIt() {
    let february = Club.period("2", from: "2026-02-01", to: "2026-03-01").refunded("2026-02-05")
    var info = Club.renewal(signed: "2026-02-01", due: "2026-02-01")
    info.gracePeriodExpiresDate = instant("2026-02-17")
    var ledger = ledger([january, february], [info])
    #expect(ledger.club(at: "2026-02-10")?.state == .revoked)
    #expect(ledger.club(at: "2026-02-10")?.accessUntil == instant("2026-02-01"))
    #expect(ledger.entitlement("basic", at: "2026-02-10")?.active == false)
  }

  @Test func C34_aRenewalThatIsSettledAheadWaitsForItsStart() throws {
    let premium = Club.period("1", Club.plus, from: "2026-01-01", to: "2026-02-01")
    let basic = Club.period("2", from: "2026-02-01", to: "2026-03-01")
    var ledger = ledger([premium, basic])
    let before = try #require(ledger.club(at: "2026-01-31"))
    #expect(before.productId == "plus" && before.expires == instant("2026-03-01"))
    #expect(before.nextProductId == "basic" && before.lastChange == nil)
    #expect(before.nextChange?.to == "basic" && before.nextChange?.kind == .downgrade)
    #expect(before.nextChange?.date == instant("2026-02-01"))
    #expect(ledger.entitlement("plus", at: "2026-01-31")?.active == true)
    #expect(ledger.entitlement("basic", at: "2026-01-31")?.active == false)
    let after = try #require(ledger.club(at: "2026-02-01"))
    #expect(after.productId == "basic" && after.nextChange == nil)
    #expect(after.lastChange?.date == instant("2026-02-01"))
    #expect(ledger.entitlement("plus", at: "2026-02-01")?.active == false)
    #expect(ledger.entitlement("basic", at: "2026-02-01")?.active == true)
  }

  @Test func theNewestInfoCountsInAnyOrder() {
    let infos = [
      Club.renewal(signed: "2026-01-05", renews: false, due: "2026-02-01"),
      Club.renewal(signed: "2026-01-10", renews: true, due: "2026-02-01"),
      Club.renewal(signed: "2026-01-07", renews: false, due: "2026-02-01"),
    ]
    for order in permutations(infos) {
      let ledger = ledger([january], order)
      #expect(ledger.club(at: "2026-01-20")?.willRenew == true)
    }
  }

  @Test func C40_anInfoThatDoesNotCountHidesNone() {
    var forged = Club.renewal(signed: "2026-01-20", renews: false, due: "2026-02-01")
    forged.verification = .unverified
    forged.gracePeriodExpiresDate = instant("2027-01-01")
    let good = Club.renewal(signed: "2026-01-05", due: "2026-02-01")
    for order in permutations([forged, good]) {
      let ledger = ledger([january], order)
      #expect(ledger.club(at: "2026-01-25")?.willRenew == true)
      #expect(ledger.club(at: "2026-02-02")?.state == .expired)
    }
    let alone = ledger([january], [forged])
    #expect(alone.club(at: "2026-01-25")?.willRenew == nil)
  }

  @Test func anInfoOfAnotherEnvironmentOrSubscriptionSaysNothing() {
    var other = Club.renewal(signed: "2026-01-20", renews: false, due: "2026-02-01")
    other.environment = .production
    other.verification = .verified
    let ledger = ledger(
      [january], [other, Club.renewal(signed: "2026-01-20", due: "2026-02-01", original: "2")])
    #expect(ledger.club(at: "2026-01-25")?.willRenew == nil)
  }

  /// The renewal of a new period arrives before what the store says of it.
  @Test func anInfoOfTheFormerPeriodSaysNothingOfTheNewOne() throws {
    var failed = Club.renewal(signed: "2026-02-01", due: "2026-02-01")
    failed.isInBillingRetryPeriod = true
    failed.priceIncreaseStatus = 0
    failed.autoRenewProductId = "yearly"
    let february = Club.period("2", from: "2026-02-10", to: "2026-03-10")
    let ledger = ledger([january, february], [failed])
    let view = try #require(ledger.club(at: "2026-02-20"))
    #expect(view.state == .subscribed && view.willRenew == true && view.priceConsent == nil)
    #expect(view.nextProductId == "basic")
    #expect(ledger.club(at: "2026-03-10")?.state == .expired)
    let off = Club.renewal(signed: "2026-01-20", renews: false)
    let again = self.ledger([january, february], [off])
    #expect(again.club(at: "2026-02-20")?.willRenew == nil, "turned on again, or there were no new period")
  }

  @Test func C33_C34_changesAreNamedByLevels() throws {
    for (next, kind) in [
      ("plus", ProductChange.Kind.upgrade), ("yearly", .upgrade), ("unheard-of", nil),
    ] {
      var info = Club.renewal(signed: "2026-01-10", due: "2026-02-01")
      info.autoRenewProductId = next
      let ledger = ledger([january], [info])
      let change = try #require(ledger.club(at: "2026-01-20")?.nextChange)
      #expect(change.to == next && change.from == "basic" && change.kind == kind)
      #expect(change.date == instant("2026-02-01"))
    }
    let plus = Club.period("2", Club.plus, from: "2026-02-01", to: "2026-03-01")
    let yearly = Club.period("3", Club.yearly, from: "2026-03-01", to: "2027-03-01")
    var ledger = ledger([january, plus, yearly])
    #expect(ledger.club(at: "2026-03-02")?.lastChange?.kind == .crossgrade)
    // A catalogue that arrives later changes the answer.
    var moved = Club.yearly
    moved.level = 3
    ledger.apply(.product(moved), stamp: Stamp(rawValue: 1))
    #expect(ledger.club(at: "2026-03-02")?.lastChange?.kind == .downgrade)
  }

  @Test func theStateOfTheLastPeriodDecidesWhetherItWasRevoked() {
    let february = Club.period("2", from: "2026-02-01", to: "2026-03-01")
    let old = ledger([january.refunded("2026-02-10"), february])
    #expect(old.club(at: "2026-02-20")?.state == .subscribed)
    #expect(old.club(at: "2026-03-01")?.state == .expired && old.club(at: "2026-03-01")?.revocation == nil)
    let new = ledger([january, february.refunded("2026-01-30")])
    #expect(new.club(at: "2026-01-31")?.state == .subscribed, "January was not refunded")
    #expect(new.club(at: "2026-02-01")?.state == .revoked)
    #expect(new.club(at: "2026-02-01")?.revocation?.type == .refundFull)
    #expect(new.club(at: "2026-02-01")?.expires == instant("2026-02-01"))
  }

  @Test func theWindowsEndWhereTheyEnd() {
    var info = Club.renewal(signed: "2026-02-01", due: "2026-02-01")
    info.isInBillingRetryPeriod = true
    var ledger = ledger([january], [info])
    for (now, state) in [
      ("2026-01-31T23:59:59.999Z", SubscriptionState.subscribed), ("2026-02-01", .inBillingRetry),
      ("2026-04-01T23:59:59.999Z", .inBillingRetry), ("2026-04-02", .expired),
    ] {
      #expect(ledger.club(at: now)?.state == state, "\(now)")
    }
    #expect(ledger.view(at: instant("2026-02-02")).nextChange == instant("2026-04-02"))
  }

  @Test func extremeDatesAreHeld() {
    var last = january
    last.expiresDate = Instant(clamping: .max)
    last.purchaseDate = Instant(clamping: .min)
    var info = Club.renewal(signed: "2026-02-01", due: "9999-12-31")
    info.isInBillingRetryPeriod = true
    info.gracePeriodExpiresDate = Instant(clamping: .max)
    let ledger = ledger([last], [info])
    #expect(ledger.club(at: "2026-02-01")?.state == .subscribed)
    #expect((ledger.club(at: "2026-02-01")?.paidDays ?? 0) > 700_000)
  }
}

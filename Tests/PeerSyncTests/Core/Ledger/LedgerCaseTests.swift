import PeerSyncCore
import Testing

/// The cases of docs/semantics.md that concern the ledger, as facts in every order.
@Suite struct LedgerCaseTests {
  private let now = instant("2026-03-01")

  /// The views of every order of some facts, which must be one.
  private func view(_ facts: [Transaction], at now: String = "2026-03-01") throws -> LedgerView {
    let views = permutations(facts).map { order in
      var ledger = Fixtures.ledger()
      for transaction in order { ledger.take(transaction) }
      return ledger.view(at: instant(now))
    }
    #expect(views.allSatisfy { $0 == views[0] }, "the order of arrival shows")
    return try #require(views.first)
  }

  @Test func A1_threeAndSixMonthsAreNine() throws {
    let view = try view([
      Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"),
      Fixtures.buy("2", Fixtures.sixMonths, "2026-01-31"),
    ])
    let line = try #require(view.lines.first)
    #expect(line.expires == instant("2026-10-31") && line.active)
    #expect(
      line.runs == [
        Run(start: instant("2026-01-31"), end: instant("2026-10-31"), transactions: ["1", "2"])
      ])
    #expect(view.nextChange == instant("2026-10-31"))
  }

  @Test func A2_thePurchaseDeliveredAgainCountsOnce() throws {
    let purchase = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31")
    #expect(try view([purchase, purchase, purchase]).lines.first?.expires == instant("2026-04-30"))
  }

  @Test func A3_xcodeIdsOfTwoDevicesAreTwoPurchases() throws {
    var ledger = Fixtures.ledger(.xcode)
    let (phone, tablet) = (DeviceID(high: 0, low: 1), DeviceID(high: 0, low: 2))
    ledger.take(Fixtures.buy("0", Fixtures.threeMonths, "2026-01-31", environment: .xcode), device: tablet)
    ledger.take(Fixtures.buy("0", Fixtures.sixMonths, "2026-01-31", environment: .xcode), device: phone)
    ledger.take(Fixtures.buy("0", Fixtures.sixMonths, "2026-01-31", environment: .xcode), device: phone)
    #expect(ledger.expires() == instant("2026-10-31"))
    #expect(ledger.transactionIds(ofLine: "random") == ["0@\(phone)", "0@\(tablet)"])
    #expect(ledger.transaction("0@\(tablet)")?.transaction.productId == "three")
    #expect(ledger.transaction("0")?.device == phone)
    #expect(ledger.transaction("7") == nil)
    let covers = ledger.transactionIds(ofLine: "random")
    let register = ExpirationRegister(expires: instant("2026-03-01"), covers: [covers[0]])
    ledger.apply(.expiration(line: "random", register), stamp: Stamp(instant("2026-02-01")))
    #expect(ledger.expires() == instant("2026-06-01"))
  }

  @Test func A4_aRestoredPurchaseGoesByItsOriginal() throws {
    var original = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    var restored = Fixtures.buy("2", Fixtures.owl, "2026-02-01")
    restored.originalTransactionId = "1"
    #expect(try view([restored]).purchased == ["owl"], "the original may be missing")
    #expect(try view([original, restored]).purchased == ["owl"])
    original = original.refunded("2026-02-15")
    #expect(try view([original, restored]).purchased == [], "the refund arrives under the original's id")
    let own = Fixtures.buy("3", Fixtures.owl, "2026-02-10")
    #expect(try view([original, restored, own]).purchased == ["owl"], "one's own purchase stays")
    #expect(try view([restored.refunded("2026-02-20")]).purchased == [])
    #expect(try view([original, restored, original.reinstated("2026-02-25")]).purchased == ["owl"])
  }

  @Test func A4_theNewestSnapshotOfAPurchaseDecides() throws {
    let original = Fixtures.buy("1", Fixtures.owl, "2026-01-01").refunded("2026-02-15")
    var restored = Fixtures.buy("2", Fixtures.owl, "2026-02-20")
    restored.originalTransactionId = "1"
    #expect(try view([original, restored]).purchased == ["owl"], "restored by the store after the refund")
    restored.signedDate = original.signedDate
    #expect(try view([original, restored]).purchased == [], "of one instant the revoked one counts")
  }

  @Test func C38_aFamilysRevocationLeavesOnesOwnPurchase() throws {
    var shared = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    shared.ownership = .familyShared
    let revoked = shared.refunded("2026-02-01", type: .familyRevoke)
    #expect(try view([shared, revoked]).purchased == [])
    #expect(try view([shared, revoked, Fixtures.buy("2", Fixtures.owl, "2026-01-15")]).purchased == ["owl"])
  }

  @Test func aNewerSnapshotMayNameAnotherProduct() throws {
    let purchase = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31")
    var corrected = purchase.reinstated("2026-02-01")
    corrected.productId = "six"
    #expect(try view([purchase, corrected]).lines.first?.expires == instant("2026-07-31"))
  }

  @Test func A5_autoRenewablesDoNotAddUp() throws {
    let renewals = [
      ("1", "2026-01-01", "2026-02-01"), ("2", "2026-02-01", "2026-03-05"), ("3", "2026-01-15", "2026-02-15"),
    ]
    .map { id, date, end in
      var transaction = Fixtures.buy(id, Fixtures.monthly, date)
      transaction.originalTransactionId = "1"
      transaction.expiresDate = instant(end)
      return transaction
    }
    let view = try view(renewals)
    #expect(view.subscriptions.map(\.expires) == [instant("2026-03-05")])
    #expect(view.subscriptions.map(\.state) == [.subscribed])
    #expect(view.entitlements.first { $0.id == "club" }?.expires == instant("2026-03-05"))
    #expect(view.nextChange == instant("2026-03-05"))
    let after = try self.view(renewals, at: "2026-03-05")
    #expect(after.subscriptions.map(\.state) == [.expired])
    #expect(after.entitlements.first { $0.id == "club" }?.active == false)
    var upgraded = renewals
    upgraded[1].isUpgraded = true
    upgraded[1].signedDate = instant("2026-02-02")
    #expect(try self.view(upgraded).subscriptions.map(\.expires) == [instant("2026-02-15")])
    let revoked = try self.view([renewals[0].refunded("2026-01-05")], at: "2026-01-10")
    #expect(revoked.subscriptions.map(\.state) == [.revoked])
    #expect(revoked.entitlements.first { $0.id == "club" }?.active == false)
  }

  @Test func A6_A7_theNewestSnapshotWins() throws {
    let purchase = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31")
    let refunded = purchase.refunded("2026-02-10")
    #expect(try view([purchase, refunded]).lines.first?.expires == nil)
    #expect(try view([purchase, refunded, purchase.reinstated("2026-02-05")]).lines.first?.expires == nil)
    // Signed at one instant, the revoked snapshot wins.
    #expect(try view([purchase, purchase.refunded("2026-01-31")]).lines.first?.expires == nil)
  }

  @Test func A8_aPurchaseThatSurfacesLateNeverShortens() throws {
    var ledger = Fixtures.ledger()
    ledger.take(Fixtures.buy("3", Fixtures.sixMonths, "2026-06-01"))
    #expect(ledger.expires() == instant("2026-12-01"))
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"))
    #expect(ledger.expires() == instant("2026-12-01"))
    ledger.take(Fixtures.buy("2", Fixtures.threeMonths, "2026-04-01"))
    #expect(ledger.expires() == instant("2027-01-31"))
    let runs = ledger.view(at: now).lines.first?.runs
    #expect(runs?.map(\.transactions) == [["1", "2", "3"]])
  }

  @Test func A10_theLaterStampDecidesAGrant() {
    let given = Fact.grant(entitlement: "club", id: "promo", Grant())
    let taken = Fact.grant(entitlement: "club", id: "promo", Grant(present: false))
    for (first, second, active) in [(given, taken, false), (taken, given, true)] {
      for reversed in [false, true] {
        var ledger = Fixtures.ledger()
        let writes = [(first, Stamp(rawValue: 5)), (second, Stamp(rawValue: 6))]
        for (fact, stamp) in reversed ? writes.reversed() : writes { ledger.apply(fact, stamp: stamp) }
        #expect(ledger.entitlement("club", at: "2026-03-01")?.active == active)
      }
    }
    var tied = Fixtures.ledger()
    for fact in [given, taken, given] { tied.apply(fact, stamp: Stamp(rawValue: 5)) }
    #expect(tied.entitlement("club", at: "2026-03-01")?.active == false, "of equal stamps the removal wins")
  }

  @Test func B17_noZonePlaysAPart() throws {
    // The hours around Europe's and America's change of clocks, and a date written in another zone.
    for date in [
      "2026-03-29T01:30:00Z", "2026-03-29T03:30:00+02:00", "2026-03-08T10:00:00Z", "2026-10-25T00:30:00Z",
    ] {
      let start = instant(date)
      let line = try #require(try view([Fixtures.buy("1", Fixtures.tenDays, date)], at: date).lines.first)
      #expect(line.expires?.milliseconds == start.milliseconds + 10 * 86_400_000)
    }
  }

  @Test func B18_B19_daysRemainingRoundUp() throws {
    let purchase = Fixtures.buy("1", Fixtures.tenDays, "2026-02-01T12:00:00Z")
    for (now, days, active) in [
      ("2026-02-01T11:59:59.999Z", 0, false), ("2026-02-01T12:00:00Z", 10, true),
      ("2026-02-01T12:00:00.001Z", 10, true),
      ("2026-02-02T12:00:00Z", 9, true), ("2026-02-10T12:00:00Z", 1, true),
      ("2026-02-11T11:59:59.999Z", 1, true),
      ("2026-02-11T12:00:00Z", 0, false),
    ] {
      let line = try #require(try view([purchase], at: now).lines.first)
      #expect(line.daysRemaining == days && line.active == active, "at \(now)")
      #expect(line.expires == instant("2026-02-11T12:00:00Z"))
    }
  }

  @Test func B18_aHeldViewNeverShowsYesterday() throws {
    // One ledger asked again and again answers as a new one does.
    var held = Fixtures.ledger()
    held.take(Fixtures.buy("1", Fixtures.tenDays, "2026-02-01T12:00:00Z"))
    for hour in 0..<300 {
      let now = instant("2026-01-31").advanced(byMilliseconds: Int64(hour) * 3_600_000)
      var fresh = Fixtures.ledger()
      fresh.take(Fixtures.buy("1", Fixtures.tenDays, "2026-02-01T12:00:00Z"))
      #expect(held.view(at: now) == fresh.view(at: now))
    }
    #expect(held.view(at: instant("2026-02-05")).lines.first?.daysRemaining == 7, "back in time as well")
  }

  @Test func B21_quantityMultipliesTimeAndCredits() throws {
    let view = try view([
      Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31", quantity: 2),
      Fixtures.buy("2", Fixtures.credits, "2026-01-01", quantity: 3),
    ])
    #expect(view.lines.first?.expires == instant("2026-07-31"))
    #expect(view.credits.map(\.balance) == [15])
  }

  @Test func B22_anUnknownProductCountsAsSoonAsItIsKnown() throws {
    var ledger = Fixtures.ledger(products: [])
    let bought = [
      Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"), Fixtures.buy("2", Fixtures.owl, "2026-01-31"),
      Fixtures.buy("3", Fixtures.credits, "2026-01-31"),
    ]
    for transaction in bought { ledger.take(transaction) }
    #expect(ledger.view(at: now).lines.isEmpty && ledger.view(at: now).purchased.isEmpty)
    #expect(ledger.transactions().count == 3)
    for product in Fixtures.all { ledger.apply(.product(product), stamp: Stamp(rawValue: 0)) }
    #expect(ledger.view(at: now) == (try view(bought)))
    // A later catalogue changes the length, and the line.
    ledger.apply(.product(Fixtures.product("three", "P4M")), stamp: Stamp(rawValue: 1))
    #expect(ledger.expires() == instant("2026-05-31"))
    ledger.apply(.product(Fixtures.product("three", "P9M")), stamp: Stamp(rawValue: 0))
    #expect(ledger.expires() == instant("2026-05-31"), "an older catalogue changes nothing")
    ledger.apply(.product(Fixtures.product("three", "P4M", line: "other")), stamp: Stamp(rawValue: 2))
    #expect(ledger.expires() == nil)
    #expect(ledger.expires("other") == instant("2026-05-31"))
  }

  @Test func B26_environmentsAndAppsNeverMix() throws {
    var ledger = Fixtures.ledger(.production)
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31", environment: .sandbox))
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31", environment: .xcode))
    var foreign = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31", environment: .production)
    foreign.bundleId = "com.example.other"
    ledger.take(foreign)
    #expect(ledger.expires() == nil && ledger.transactions().isEmpty)
    let steps = ledger.why("random", at: now)?.lines.first?.steps
    #expect(steps?.map(\.counted) == Array(repeating: .environmentMismatch, count: 3))
    ledger.take(Fixtures.buy("1", Fixtures.sixMonths, "2026-01-31", environment: .production))
    #expect(ledger.expires() == instant("2026-07-31"))
  }

  @Test func C27_C28_refundsRefold() throws {
    let january = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    let february = Fixtures.buy("2", Fixtures.sixMonths, "2026-02-01")
    #expect(try view([january, february]).lines.first?.expires == instant("2026-10-01"))
    #expect(
      try view([january, february, january.refunded("2026-02-20")]).lines.first?.expires
        == instant("2026-08-01"))
    #expect(
      try view([january, february, february.refunded("2026-02-20")]).lines.first?.expires
        == instant("2026-04-01"))
  }

  @Test func C29_aProratedRefundLeavesItsDays() throws {
    let january = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    let half = january.refunded("2026-02-15", type: .refundProrated, percentage: 50_000)
    #expect(try view([january, half]).lines.first?.expires == instant("2026-02-15"))
    #expect(
      try view([january, half, Fixtures.buy("2", Fixtures.sixMonths, "2026-02-01")]).lines.first?.expires
        == instant("2026-08-15"))
    let unstated = january.refunded("2026-02-15", type: .refundProrated)
    #expect(
      try view([january, unstated]).lines.first?.expires == nil, "without a percentage all is refunded")
  }

  @Test func C30_aReversedRefundReturnsTheTime() throws {
    let january = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    let facts = [january, january.refunded("2026-02-10"), january.reinstated("2026-02-20")]
    #expect(try view(facts).lines.first?.expires == instant("2026-04-01"))
  }

  @Test func C32_aRefundTakesItsCreditsBack() throws {
    let first = Fixtures.buy("1", Fixtures.credits, "2026-01-01")
    let second = Fixtures.buy("2", Fixtures.credits, "2026-01-02")
    #expect(try view([first, second, first.refunded("2026-02-01")]).credits.map(\.balance) == [5])
    let part = first.refunded("2026-02-01", type: .refundProrated, percentage: 50_000)
    #expect(try view([first, part]).credits.map(\.balance) == [2])
    let view = try view([first, first.refunded("2026-02-01")])
    #expect(view.credits.map(\.balance) == [0] && view.credits.map(\.debt) == [0])
    #expect(view.entitlements.first { $0.id == "random" }?.active == false)
  }

  @Test func C40_anUnverifiedSnapshotHidesNoGoodOne() throws {
    let good = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    var forged = good.reinstated("2026-02-20")
    forged.quantity = 1000
    forged.verification = .unverified
    #expect(try view([good, forged]).lines.first?.expires == instant("2026-04-01"))
    #expect(try view([forged]).lines.first?.expires == nil)
    var production = Fixtures.ledger(.production)
    var simulated = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01", environment: .production)
    simulated.verification = .simulated
    production.take(simulated)
    #expect(production.expires() == nil, "production needs the store's signature")
  }
}

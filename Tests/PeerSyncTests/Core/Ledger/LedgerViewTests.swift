import PeerSyncCore
import Testing

@Suite struct LedgerViewTests {
  private let now = instant("2026-03-01")

  @Test func rule3_4_anExplicitDateAndARenewalItsWriterHadNotSeen() {
    var ledger = Fixtures.ledger()
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"))
    let register = ExpirationRegister(
      expires: instant("2026-05-15"), covers: ledger.transactionIds(ofLine: "random"))
    ledger.apply(.expiration(line: "random", register), stamp: Stamp(instant("2026-02-20")))
    #expect(ledger.expires() == instant("2026-05-15"))
    ledger.take(Fixtures.buy("2", Fixtures.sixMonths, "2026-02-10"))
    #expect(ledger.expires() == instant("2026-11-15"))
    let older = ExpirationRegister(expires: instant("2030-01-01"), covers: [])
    ledger.apply(.expiration(line: "random", older), stamp: Stamp(instant("2026-02-19")))
    #expect(ledger.expires() == instant("2026-11-15"), "an older write changes nothing")
    let none = ExpirationRegister(expires: nil, covers: ledger.transactionIds(ofLine: "random"))
    ledger.apply(.expiration(line: "random", none), stamp: Stamp(instant("2026-02-21")))
    #expect(ledger.expires() == nil)
    #expect(ledger.entitlement("random", at: "2026-03-01")?.reasons == [.setToNone("random")])
    ledger.take(Fixtures.buy("3", Fixtures.threeMonths, "2026-02-25"))
    #expect(ledger.entitlement("random", at: "2026-03-01")?.reasons == [.covered("random")])
  }

  @Test func theStoresEvidenceOfTimeIsTheSameInAnyOrder() {
    let bought = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    let items = [bought, bought.refunded("2026-01-05")]
    for order in [items, items.reversed()] {
      var ledger = Fixtures.ledger()
      for item in order { ledger.take(item) }
      #expect(ledger.newestSignedDate(upTo: instant("2026-01-03")) == bought.signedDate)
    }
  }

  @Test func rule3_4_aDateCoversOnlyWhatCounted() {
    var ledger = Fixtures.ledger()
    var forged = Fixtures.buy("2", Fixtures.sixMonths, "2026-02-01")
    forged.verification = .unverified
    let refunded = Fixtures.buy("3", Fixtures.threeMonths, "2026-02-02").refunded("2026-02-03")
    for transaction in [Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"), forged, refunded] {
      ledger.take(transaction)
    }
    #expect(ledger.transactionIds(ofLine: "random") == ["1"])
    let register = ExpirationRegister(expires: instant("2026-05-01"), covers: ["1"])
    ledger.apply(.expiration(line: "random", register), stamp: Stamp(instant("2026-02-20")))
    // What the store says of them later counts on top.
    ledger.take(Fixtures.buy("2", Fixtures.sixMonths, "2026-02-01"))
    #expect(ledger.expires() == instant("2026-11-01"))
    ledger.take(refunded.reinstated("2026-02-25"))
    #expect(ledger.expires() == instant("2027-02-01"))
    // What a date stood in for once is covered by the next, even if it has been refunded since.
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31").refunded("2026-03-01"))
    #expect(ledger.transactionIds(ofLine: "random") == ["1", "2", "3"])
  }

  @Test func anExplicitDateIsActiveAtOnceAndMakesALine() throws {
    var ledger = Fixtures.ledger(products: [])
    let register = ExpirationRegister(expires: instant("2026-04-01"), covers: [])
    ledger.apply(.expiration(line: "support", register), stamp: Stamp(now.advanced(byMilliseconds: 60_000)))
    let lineAnswer = ledger.view(at: now).lines.first
    let line = try #require(lineAnswer)
    #expect(line.id == "support" && line.active && line.daysRemaining == 31)
    #expect(ledger.knowsLine("support") && !ledger.knowsLine("random"))
  }

  @Test func entitlementsAreTheUnionOfTheirSources() {
    var ledger = Fixtures.ledger()
    #expect(
      ledger.entitlement("random", at: "2026-03-01")?.because == "nothing bought or granted gives it now")
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"))
    #expect(ledger.entitlement("random", at: "2026-03-01")?.expires == instant("2026-04-30"))
    ledger.apply(
      .grant(entitlement: "random", id: "p", Grant(until: instant("2026-06-01"))), stamp: Stamp(rawValue: 1))
    #expect(ledger.entitlement("random", at: "2026-03-01")?.expires == instant("2026-06-01"))
    #expect(ledger.entitlement("random", at: "2026-06-01")?.active == false)
    ledger.take(Fixtures.buy("2", Fixtures.credits, "2026-02-01"))
    let endless = ledger.entitlement("random", at: "2026-07-01")
    #expect(endless?.active == true && endless?.expires == nil && endless?.because == "5 of credit owls left")
    ledger.take(Fixtures.buy("3", Fixtures.owl, "2026-02-01"))
    #expect(ledger.entitlement("owl", at: "2026-07-01")?.because == "owl is bought")
  }

  @Test func theNextChangeIsTheNextFlip() {
    var ledger = Fixtures.ledger()
    #expect(ledger.view(at: now).nextChange == nil)
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-05-01"))
    #expect(ledger.view(at: now).nextChange == instant("2026-05-01"), "bought by a clock that is ahead")
    #expect(ledger.view(at: instant("2026-05-01")).nextChange == instant("2026-08-01"))
    ledger.apply(
      .grant(entitlement: "x", id: "1", Grant(until: instant("2026-06-01"))), stamp: Stamp(rawValue: 1))
    #expect(ledger.view(at: instant("2026-05-01")).nextChange == instant("2026-06-01"))
    #expect(ledger.view(at: instant("2026-08-01")).nextChange == nil)
  }

  @Test func theStoresRevocationOutranksAGrant() {
    var ledger = Fixtures.ledger()
    let purchase = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    ledger.apply(.grant(entitlement: "owl", id: "g", Grant(transactionId: "1")), stamp: Stamp(rawValue: 9))
    #expect(ledger.entitlement("owl", at: "2026-03-01")?.active == true)
    ledger.take(purchase)
    #expect(ledger.entitlement("owl", at: "2026-03-01")?.active == true)
    ledger.take(purchase.refunded("2026-02-01"))
    #expect(ledger.entitlement("owl", at: "2026-03-01")?.active == false)
    #expect(ledger.grants(of: "owl").isEmpty)
    #expect(ledger.why("owl", at: now)?.grants.map(\.stands) == [false])
  }

  @Test func theRevocationOfAnUnknownProductOutranksAGrantAsWell() {
    var ledger = Fixtures.ledger()
    ledger.apply(.grant(entitlement: "promo", id: "g", Grant(transactionId: "1")), stamp: Stamp(rawValue: 9))
    #expect(ledger.entitlement("promo", at: "2026-03-01")?.active == true)
    ledger.take(Fixtures.buy("1", Product(id: "mystery"), "2026-01-01").refunded("2026-02-01"))
    #expect(ledger.entitlement("promo", at: "2026-03-01")?.active == false)
  }

  @Test func whyShowsEveryTransactionAndHowItCounted() throws {
    var ledger = Fixtures.ledger()
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-31"))
    ledger.take(Fixtures.buy("2", Fixtures.sixMonths, "2026-02-01").refunded("2026-02-10"))
    ledger.take(Fixtures.buy("3", Fixtures.tenDays, "2026-02-11", quantity: 2))
    ledger.take(Fixtures.buy("4", Fixtures.credits, "2026-02-12"))
    ledger.take(Fixtures.buy("5", Product(id: "mystery"), "2026-02-12"))
    let whyAnswer = ledger.why("random", at: now)
    let why = try #require(whyAnswer)
    let steps = try #require(why.lines.first).steps
    #expect(steps.map(\.record.reference) == ["1", "2", "3"])
    #expect(steps.map(\.counted) == [.startedRun, .revoked, .joinedRun])
    #expect(steps.map(\.contribution) == ["+3 months", "", "+20 days"])
    #expect(steps.map(\.end) == [instant("2026-04-30"), nil, instant("2026-05-20")])
    #expect(why.purchases.map(\.counted) == [.credits(5)])
    #expect(why.unknown.map(\.record.reference) == ["5"])
    #expect(why.credits.map(\.balance) == [5])
    #expect(why.entitlement == ledger.entitlement("random", at: "2026-03-01"))
    #expect(ledger.why("nothing", at: now) == nil)
  }

  @Test func whyShowsAPurchaseWithoutATypeOnceAndUntilThereIsOne() {
    var ledger = Fixtures.ledger()
    var untyped = Product(id: "mystery")
    untyped.entitlements = ["promo"]
    ledger.apply(.product(untyped), stamp: Stamp(rawValue: 1 << 16))
    ledger.take(Fixtures.buy("1", untyped, "2026-01-01"))
    var why = ledger.why("promo", at: now)
    #expect(why?.purchases.isEmpty == true && why?.unknown.map(\.record.reference) == ["1"])
    ledger.apply(
      .product(Product(id: "mystery", type: .nonConsumable, entitlements: ["promo"])),
      stamp: Stamp(rawValue: 2 << 16))
    why = ledger.why("promo", at: now)
    #expect(why?.unknown.isEmpty == true && why?.purchases.map(\.counted) == [.owned])
  }

  @Test func offersTellBuyFromRenew() throws {
    var ledger = Fixtures.ledger()
    let firstAnswer = ledger.offer("three", at: now)
    let first = try #require(firstAnswer)
    #expect(first.action == .buy && first.expires == instant("2026-06-01"))
    ledger.take(Fixtures.buy("1", Fixtures.sixMonths, "2026-02-28"))
    let secondAnswer = ledger.offer("three", at: now, quantity: 2)
    let second = try #require(secondAnswer)
    #expect(second.action == .renew && second.expires == instant("2027-02-28"))
    #expect(ledger.expires() == instant("2026-08-28"), "asking changes nothing")
    #expect(ledger.offer("owl", at: now)?.action == .buy)
    ledger.take(Fixtures.buy("2", Fixtures.owl, "2026-01-01"))
    #expect(ledger.offer("owl", at: now)?.action == .owned)
    #expect(ledger.offer("five", at: now)?.expires == nil)
    #expect(ledger.offer("unknown", at: now) == nil)
    #expect(
      ledger.expiryIfBought("three", at: now, quantity: .max)?.milliseconds
        == instant("2276-08-28").milliseconds)
  }

  @Test func namesThatOnlyLookAlikeStayApart() {
    var ledger = Fixtures.ledger(products: [])
    let (one, two) = ("e\u{301}", "\u{e9}")
    for (id, length) in [(one, "P1M"), (two, "P2M")] {
      ledger.apply(.product(Fixtures.product(id, length, line: id)), stamp: Stamp(rawValue: 0))
      ledger.take(Fixtures.buy(id, Product(id: id), "2026-02-01"))
    }
    #expect(ledger.view(at: now).lines.map(\.expires) == [instant("2026-03-01"), instant("2026-04-01")])
    #expect(ledger.catalogue.products.count == 2)
  }
}

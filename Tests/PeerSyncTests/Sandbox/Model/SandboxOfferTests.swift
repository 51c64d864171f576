import PeerSyncCore
import PeerSyncSandbox
import Testing

@Suite("Offers of the sandbox store") struct SandboxOfferTests {
  /// A customer whose monthly subscription has run out on 2026-02-01.
  private func formerSubscriber() throws -> SandboxFixture {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    try fixture.advance(to: "2026-02-01")
    return fixture
  }

  // MARK: Who may have it

  @Test("a promotional offer is for those who have or had a subscription of the group")
  func promotional() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let refusal = fixture.refusal(of: "free")
    #expect(refusal == .notForThem(offer: "free", [.existing, .expired]))
    #expect(
      refusal?.description
        == "the offer 'free' is only for subscribers and former subscribers of the group; buy without it")
    #expect(fixture.store.accounts.isEmpty && fixture.store.transactions.isEmpty)
    #expect(fixture.refusal(of: "nothing") == .unknownOffer("nothing"))
    #expect(fixture.refusal(of: "free", "owls") == .unknownOffer("free"))
    try fixture.buy("trial")
    #expect(fixture.refusal(of: "free") == refusal, "a subscription of another group")
    try fixture.buy("weekly")
    try fixture.buy("monthly", at: "free")
    #expect(fixture.told.last == "OFFER_REDEEMED/UPGRADE")
  }

  @Test(
    "a code is for those whom it names, and good once",
    arguments: [
      ("welcome", SandboxOffer.Customer.new), ("stay", .existing), ("again", .expired),
    ])
  func codes(id: String, customer: SandboxOffer.Customer) throws {
    let names = ["welcome", "stay", "again"]
    var fixture = try customer == .expired ? formerSubscriber() : SandboxFixture(at: "2026-01-01")
    if customer == .existing { try fixture.buy("monthly") }
    for (other, whose) in zip(names, SandboxOffer.Customer.allCases) where other != id {
      #expect(fixture.refusal(of: other) == .notForThem(offer: other, [whose]))
    }
    try fixture.buy("monthly", at: id)
    if customer == .existing { #expect(fixture.refusal(of: id) == .redeemed(id), "it is still to come") }
    try fixture.advance(to: "2026-12-01")
    #expect(fixture.store.transactions.contains { $0.offerId == id && $0.offerKind == .code })
    if customer == .existing { #expect(fixture.refusal(of: id) == .redeemed(id)) }
    try fixture.buy("monthly", at: "all")
    #expect(fixture.refusal(of: "all") == .redeemed("all"))
    #expect(try fixture.handle(.buy(SandboxFixture.order("monthly", by: "you", at: "all"))) != .failed)
  }

  @Test("a win-back offer is for those whose subscription is over, and no sooner than it says")
  func winBack() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    #expect(fixture.refusal(of: "back") == .notForThem(offer: "back", [.expired]))
    let first = try fixture.buy("monthly")
    #expect(fixture.refusal(of: "back") == .notForThem(offer: "back", [.expired]))
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.handle(.setGrace(false))
    try fixture.advance(to: "2026-02-02")
    #expect(fixture.refusal(of: "back") != nil, "the payment is still tried")
    try fixture.advance(to: "2026-04-02")
    #expect(try fixture.subscription.state == .expired)
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    let again = try fixture.buy("monthly", at: "back")
    #expect(
      fixture.store.transaction(again)?.original == first
        && fixture.told.last == "SUBSCRIBED/RESUBSCRIBE")
    var late = try formerSubscriber()
    try late.advance(to: "2026-03-31")
    let april = try #require(Instant("2026-04-01"))
    #expect(late.refusal(of: "later") == .tooEarly(offer: "later", april))
    #expect(SandboxRefusal.tooEarly(offer: "x", .epoch).description.contains("from 1970-01-01"))
    try late.advance(to: "2026-04-01")
    try late.buy("monthly", at: "later")
  }

  @Test("after a refund the wait counts from the refund")
  func refunded() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    try fixture.advance(to: "2026-01-05")
    try fixture.handle(.refund(transaction: id, percentage: nil))
    let march = try #require(Instant("2026-03-05"))
    #expect(fixture.refusal(of: "later") == .tooEarly(offer: "later", march))
    try fixture.buy("monthly", at: "back")
    #expect(try fixture.subscription.state == .subscribed)
  }

  @Test("[C39] who asks for approval is looked at again when it comes")
  func approval() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.handle(.setMood(.ask, account: nil, isOnce: true))
    let order = SandboxFixture.order("monthly", at: "welcome")
    #expect(try fixture.handle(.buy(order)) == .pending(request: 1))
    try fixture.handle(.setMood(.ask, account: nil, isOnce: true))
    #expect(try fixture.handle(.buy(order)) == .pending(request: 2))
    try fixture.handle(.approve(request: 1))
    #expect(fixture.sold == ["welcome 0 2026-01-08"])
    #expect(fixture.refusal(.approve(request: 2)) == .notForThem(offer: "welcome", [.new]))
  }

  // MARK: What it costs

  @Test(
    "each way to pay, through its renewals",
    arguments: [
      ("free", ["free 0 2026-02-15", "- 2990 2026-03-15"]),
      (
        "three",
        ["three 990 2026-03-01", "three 990 2026-04-01", "three 990 2026-05-01", "- 2990 2026-06-01"]
      ),
      ("half-year", ["half-year 9990 2026-08-01", "- 2990 2026-09-01"]),
      ("again", ["again 0 2026-04-01", "- 2990 2026-05-01"]),
      ("back", ["back 500 2026-03-01", "back 500 2026-04-01", "- 2990 2026-05-01"]),
    ])
  func payments(offer: String, periods: [String]) throws {
    var bought = try formerSubscriber()
    try bought.buy("monthly", at: offer)
    try bought.advance(to: "2026-12-01")
    #expect(Array(bought.sold.dropFirst().prefix(periods.count)) == periods)
    #expect(bought.store.transactions.dropFirst(periods.count + 1).allSatisfy { $0.offer == nil })
  }

  @Test("a subscriber has the offer from the next renewal on, at its price and its length")
  func nextRenewal() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    #expect(try fixture.buy("monthly", at: "three") == id)
    #expect(fixture.told.last == "OFFER_REDEEMED")
    #expect(try fixture.subscription.comingOffer?.id == "three")
    try fixture.buy("monthly", at: "half-year")
    try fixture.advance(to: "2026-09-01")
    #expect(
      fixture.sold == [
        "- 2990 2026-02-01", "half-year 9990 2026-08-01", "- 2990 2026-09-01", "- 2990 2026-10-01",
      ],
      "one at a time: the second took the place of the first")
    #expect(try fixture.subscription.comingOffer == nil)
  }

  @Test("an offer of a worse product waits for the renewal, and is gone when the customer goes back")
  func downgrade() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    try fixture.buy("weekly", at: "less")
    #expect(
      fixture.told.suffix(2) == ["OFFER_REDEEMED/DOWNGRADE", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
    var (gone, other) = (fixture, fixture)
    try fixture.advance(to: "2026-02-01")
    #expect(try fixture.subscription.productId == "weekly" && fixture.sold.last == "less 100 2026-03-01")
    try gone.buy("monthly")
    #expect(try gone.subscription.comingOffer == nil)
    try gone.advance(to: "2026-02-01")
    #expect(
      gone.sold.last == "- 2990 2026-03-01" && gone.store.transactions.last?.productId == "monthly")
    try other.buy("premium", at: "more")
    #expect(other.told.last == "OFFER_REDEEMED/UPGRADE" && other.sold.last == "more 100 2026-02-01")
    #expect(try other.subscription.offerPeriodsLeft == 1)
  }

  @Test("a code that can be stacked comes after the introductory offer, any other in its place")
  func stacked() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("trial", at: "stacked")
    #expect(fixture.told == ["SUBSCRIBED/INITIAL_BUY"])
    #expect(fixture.refusal(of: "stacked", "trial") == .redeemed("stacked"))
    try fixture.advance(to: "2026-03-10")
    #expect(
      fixture.sold == [
        "introductory 0 2026-01-08", "stacked 0 2026-02-08", "stacked 0 2026-03-08", "- 990 2026-04-08",
      ])
    var other = try SandboxFixture(at: "2026-01-01")
    try other.buy("trial", at: "instead")
    try other.advance(to: "2026-04-01")
    #expect(other.sold == ["instead 1990 2026-04-01", "- 990 2026-05-01"])
  }

  @Test("a payment that fails between two periods at an offer is made up for at the offer")
  func recovery() throws {
    var fixture = try formerSubscriber()
    try fixture.buy("monthly", at: "three")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-03-05")
    #expect(try fixture.subscription.state == .inGracePeriod)
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(fixture.sold.last == "three 990 2026-04-01")
    try fixture.advance(to: "2026-05-01")
    #expect(fixture.sold.suffix(2) == ["three 990 2026-05-01", "- 2990 2026-06-01"])
  }

  @Test("[C35] a trial whose first payment failed is followed by one whole period")
  func trialInGrace() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("trial")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-01-10")
    #expect(try fixture.subscription.state == .inGracePeriod)
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(fixture.sold == ["introductory 0 2026-01-08", "- 990 2026-02-08"])
  }

  // MARK: What is signed

  @Test("what is signed tells of the offer of this period, and of that of the next")
  func payloads() throws {
    var fixture = try formerSubscriber()
    let id = try fixture.buy("monthly", at: "back")
    let bought = try #require(fixture.store.transaction(id))
    guard case .transaction(let read) = try StorePayload(bought.payload(storefront: "USA")) else {
      throw SandboxRefusal.unknownTransaction(id)
    }
    #expect(read.offer == StoreOffer(code: 4, id: "back", payment: .payAsYouGo) && read.price == 500)
    #expect(
      String(decoding: bought.payload(storefront: "USA"), as: UTF8.self).contains(#""offerPeriod":"P1M""#))
    #expect(try renewal(fixture)?.offer == read.offer)
    #expect(try renewal(fixture)?.renewalPrice == 500)
    try fixture.advance(to: "2026-03-01")
    #expect(try renewal(fixture)?.offer == nil && renewal(fixture)?.renewalPrice == 2990)
    try fixture.buy("monthly", at: "all")
    #expect(try renewal(fixture)?.offer == StoreOffer(code: 3, id: "all", payment: .freeTrial))
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    #expect(try renewal(fixture)?.offer == nil, "what does not renew has no next price")
  }

  private func renewal(_ fixture: SandboxFixture) throws -> RenewalInfo? {
    guard case .renewalInfo(let info) = try StorePayload(try fixture.subscription.payload) else { return nil }
    return info
  }

  @Test("every kind has Apple's number", arguments: StoreOffer.Kind.allCases)
  func kinds(kind: StoreOffer.Kind) {
    #expect(StoreOffer(code: kind.code).kind == kind)
    #expect(StoreOffer(code: 5).kind == .other && StoreOffer(code: 3).kind == .code)
  }

  // MARK: Limits

  @Test("offers of a product, their periods and their prices are bounded")
  func limits() throws {
    let offer = SandboxOffer(
      .promotional, id: "x", mode: .payAsYouGo, period: SandboxFixture.period("P1M"), periods: .max,
      price: .max)
    #expect(offer.periods == Limits.sandboxOfferPeriods && offer.price == Limits.sandboxPrice)
    let product = SandboxProduct(
      id: "p", type: .autoRenewableSubscription, period: offer.period,
      offers: Array(repeating: offer, count: Limits.sandboxOffers + 1))
    #expect(product.offers.count == Limits.sandboxOffers)
    var fixture = try SandboxFixture()
    #expect(fixture.refusal(of: String(repeating: "x", count: Limits.textBytes + 1)) == .tooLong)
    #expect(fixture.refusal(of: "") == .tooLong)
  }
}

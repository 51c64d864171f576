import Foundation
import PeerSync
import PeerSyncSandbox
import Testing

/// `eligibleWinBackOfferIds`: what renewal info lists of the offers that would win a customer back.
@Suite("Win-back offers in renewal info") struct SandboxWinBackTests {
  /// A subscription of a group of its own, bought on 2026-01-01, that runs out on 2026-02-01.
  private func leaving(_ offers: [SandboxOffer], by account: String = SandboxFixture.me) throws
    -> SandboxFixture
  {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.store.stock([club(offers)])
    let id = try fixture.buy("club", by: account)
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    return fixture
  }

  private func club(_ offers: [SandboxOffer]) -> SandboxProduct {
    SandboxProduct(
      id: "club", type: .autoRenewableSubscription, period: SandboxFixture.period("P1M"), price: 990,
      offers: offers)
  }

  private func offer(
    _ id: String, _ mode: StoreOffer.Payment = .freeTrial, _ period: String = "P1M", times: Int = 1,
    price: Int64 = 0, wait: String? = nil
  ) -> SandboxOffer {
    SandboxOffer(
      .winBack, id: id, mode: mode, period: SandboxFixture.period(period), periods: times, price: price,
      wait: wait.map(SandboxFixture.period))
  }

  /// What the payload of a subscription lists; nil: it has no such field.
  private func listed(_ subscription: SandboxSubscription) throws -> [String]? {
    let payload = subscription.payload
    guard case .renewalInfo = try StorePayload(payload) else { throw JWSRejection.otherKind }
    let members = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    guard let list = members["eligibleWinBackOfferIds"] else { return nil }
    return try #require(list as? [String])
  }

  private func listed(_ fixture: SandboxFixture) throws -> [String]? { try listed(fixture.subscription) }

  /// The lists of all snapshots of renewal info so far, in the order of signing, with the dates of signing.
  private func signed(_ fixture: SandboxFixture) throws -> [String] {
    var texts: [String] = []
    var date: Instant?
    for case .subscription(let snapshot) in fixture.events where snapshot.signed != date {
      date = snapshot.signed
      texts.append("\(snapshot.signed.description.prefix(10)) \(try listed(snapshot) ?? [])")
    }
    return texts
  }

  // MARK: When it is listed

  @Test(
    "an offer that needs no wait is listed at the end, one that does when the wait is over, signed at that time"
  )
  func waits() throws {
    var fixture = try leaving([offer("back"), offer("later", .freeTrial, "P2M", wait: "P2M")])
    try fixture.advance(to: "2026-01-31T23:59:59.999Z")
    #expect(try listed(fixture) == nil, "who is subscribed is not won back")
    try fixture.advance(to: "2026-02-01")
    #expect(try fixture.subscription.state == .expired && listed(fixture) == ["back"])
    #expect(fixture.store.nextDeadline == Instant("2026-04-01"))
    let told = fixture.told
    let revision = fixture.store.revision
    try fixture.advance(to: "2026-03-31T23:59:59.999Z")
    #expect(fixture.store.revision == revision && fixture.refusal(of: "later", "club") != nil)
    try fixture.advance(to: "2026-07-01")
    #expect(try fixture.subscription.signed == Instant("2026-04-01"), "however late it is noticed")
    #expect(
      try signed(fixture).suffix(2) == [#"2026-02-01 ["back"]"#, #"2026-04-01 ["later", "back"]"#])
    #expect(fixture.told == told && told.last == "EXPIRED/VOLUNTARY", "servers are told of nothing")
    let news = fixture.store.changes(since: revision, for: fixture.seen())
    #expect(news.subscriptions.count == 1 && news.transactions.isEmpty, "devices hear of it")
    #expect(fixture.store.nextDeadline == nil)
  }

  @Test("the notification of the end goes out with the list")
  func expiry() throws {
    var fixture = try leaving([offer("back")])
    try fixture.advance(to: "2026-02-01")
    let end = try #require(
      fixture.events.firstIndex {
        if case .notification(let told) = $0 { told.type == "EXPIRED" } else { false }
      })
    let snapshots = fixture.events[..<end].compactMap { event -> SandboxSubscription? in
      if case .subscription(let snapshot) = event { snapshot } else { nil }
    }
    #expect(try listed(try #require(snapshots.last)) == ["back"])
  }

  @Test("after a refund the list is there at once, and gone when the refund is reversed")
  func refunded() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.store.stock([club([offer("back"), offer("later", wait: "P1M")])])
    let id = try fixture.buy("club")
    try fixture.advance(to: "2026-01-10")
    try fixture.handle(.refund(transaction: id, percentage: nil))
    #expect(try listed(fixture) == ["back"])
    #expect(fixture.store.nextDeadline == Instant("2026-02-10"), "the wait counts from the refund")
    var late = fixture
    try fixture.handle(.reverseRefund(transaction: id))
    #expect(try fixture.subscription.state == .subscribed && listed(fixture) == nil)
    try late.advance(to: "2026-02-20")
    #expect(try listed(late) == ["back", "later"])
    try late.handle(.reverseRefund(transaction: id))
    #expect(try late.subscription.state == .expired && listed(late) == ["back"])
    #expect(late.store.nextDeadline == Instant("2026-03-01"), "it counts from the end again")
  }

  @Test("in grace and in retry nobody is won back")
  func unpaid() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    for (day, state, list) in [
      ("2026-02-02", SandboxSubscription.State.inGracePeriod, nil), ("2026-02-20", .inBillingRetry, nil),
      ("2026-04-02", .expired, ["later", "back"]),
    ] as [(String, SandboxSubscription.State, [String]?)] {
      try fixture.advance(to: day)
      #expect(try fixture.subscription.state == state && listed(fixture) == list)
    }
  }

  @Test(
    "it is gone when the customer subscribes again, at the offer or without, and comes back at the next end")
  func resubscribed() throws {
    for offered in ["back", nil] {
      var fixture = try leaving([offer("back", .payUpFront, price: 100)])
      try fixture.advance(to: "2026-02-10")
      #expect(try listed(fixture) == ["back"])
      let id = try offered.map { try fixture.buy("club", at: $0) } ?? fixture.buy("club")
      #expect(try listed(fixture) == nil)
      try fixture.handle(.setRenewal(transaction: id, isOn: false))
      try fixture.advance(to: "2026-03-10")
      #expect(try listed(fixture) == ["back"])
    }
  }

  // MARK: Whose offers

  @Test(
    "others have nothing of it, whether they are subscribed or never were; promotions and codes are not listed"
  )
  func others() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let mine = try fixture.buy("monthly")
    try fixture.buy("monthly", by: "you")
    let theirs = try fixture.buy("premium", by: "them")
    for id in [mine, theirs] { try fixture.handle(.setRenewal(transaction: id, isOn: false)) }
    try fixture.advance(to: "2026-02-03")
    #expect(fixture.store.subscriptions.map(\.state) == [.expired, .subscribed, .expired])
    #expect(
      try fixture.store.subscriptions.map(listed) == [["back"], nil, nil],
      "premium has no win-back offer, whatever the group has")
  }

  @Test("they are the offers of the product that the customer had last")
  func lastProduct() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let id = try fixture.buy("monthly")
    var later = fixture
    try fixture.buy("premium")
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    try fixture.advance(to: "2026-02-01")
    #expect(try fixture.subscription.state == .expired && listed(fixture) == nil)
    // What he would have had next he never had.
    try later.buy("weekly")
    try later.handle(.setRenewal(transaction: id, isOn: false))
    try later.advance(to: "2026-02-01")
    #expect(try later.subscription.nextProductId == "weekly" && listed(later) == ["back"])
  }

  @Test(
    "a subscription of the group in another app takes it away, and its end gives it back, each signed anew")
  func otherApp() throws {
    var fixture = try leaving([offer("back"), offer("later", wait: "P1M")])
    try fixture.advance(to: "2026-03-10")
    #expect(try listed(fixture) == ["back", "later"])
    var order = SandboxFixture.order("club")
    order.bundleId = "com.example.other"
    guard case .purchased(let id) = try fixture.handle(.buy(order)) else {
      throw SandboxRefusal.unknownProduct("club")
    }
    #expect(try fixture.store.subscriptions.map(listed) == [nil, nil])
    #expect(fixture.refusal(of: "back", "club") == .notForThem(offer: "back", [.expired]))
    #expect(try fixture.subscription.signed == Instant("2026-03-10"))
    try fixture.handle(.setRenewal(transaction: id, isOn: false))
    try fixture.advance(to: "2026-05-09")
    #expect(try fixture.store.subscriptions.map(listed) == [["back"], ["back"]])
    #expect(
      fixture.store.subscriptions.map(\.signed) == [Instant("2026-04-10"), Instant("2026-04-10")])
    try fixture.advance(to: "2026-05-10")
    #expect(try fixture.store.subscriptions.map(listed) == [["back", "later"], ["back", "later"]])
  }

  // MARK: What the store changes

  @Test("what is withdrawn from sale is not listed, and is again when it is sold again")
  func withdrawn() throws {
    var fixture = try leaving([offer("back")])
    try fixture.advance(to: "2026-02-03")
    try fixture.handle(.withdraw(product: "club", isWithdrawn: true))
    #expect(try listed(fixture) == nil && fixture.refusal(of: "back", "club") == .notForSale("club"))
    try fixture.handle(.withdraw(product: "club", isWithdrawn: false))
    #expect(try listed(fixture) == ["back"])
  }

  @Test("another catalogue and another time rate count from then on")
  func terms() throws {
    var fixture = try leaving([])
    try fixture.advance(to: "2026-02-03")
    #expect(try listed(fixture) == nil && fixture.store.nextDeadline == nil)
    try fixture.store.stock([club([offer("new"), offer("later", wait: "P1Y")])])
    #expect(fixture.store.nextDeadline == fixture.store.time, "it is due now")
    try fixture.advance(to: "2026-02-04")
    #expect(try listed(fixture) == ["new"] && fixture.subscription.signed == Instant("2026-02-03"))
    #expect(fixture.store.nextDeadline == Instant("2027-02-01"))
    fixture.store.setTerms { $0.scale = .faster(360) }
    // A year of 360 days has become a day.
    try fixture.advance(to: "2026-02-05")
    #expect(try listed(fixture) == ["new", "later"] && fixture.store.nextDeadline == nil)
  }

  @Test("a store of before, which has kept no list, signs its lists when the time goes on")
  func kept() throws {
    var fixture = try leaving([offer("back"), offer("later", wait: "P2M")])
    try fixture.advance(to: "2026-02-03")
    let old = try fixture.subscription
    var members = try #require(
      try JSONSerialization.jsonObject(with: Data(JSON.encode(old))) as? [String: Any])
    #expect(members.removeValue(forKey: "winBackOffers") != nil)
    let aged = try JSON.decode(
      SandboxSubscription.self, from: Array(try JSONSerialization.data(withJSONObject: members)))
    #expect(try listed(aged) == nil)
    var store = reopened(fixture.store, [aged])
    #expect(
      store.nextDeadline == store.time && store.takeEvents().isEmpty,
      "nothing is signed by loading")
    try store.advance(to: store.time)
    let signed = try #require(store.subscriptions.first)
    #expect(try listed(signed) == ["back"] && signed.signed > aged.signed)
    #expect(store.nextDeadline == Instant("2026-04-01"))
    // One of today goes on where it was.
    store = reopened(fixture.store, [old])
    #expect(store.subscriptions == [old] && store.nextDeadline == Instant("2026-04-01"))
    try store.advance(to: try #require(Instant("2026-04-01")))
    #expect(try listed(try #require(store.subscriptions.first)) == ["back", "later"])
  }

  private func reopened(_ store: SandboxStore, _ subscriptions: [SandboxSubscription]) -> SandboxStore {
    SandboxStore(
      terms: store.terms, at: store.time, revision: store.revision,
      products: Array(store.products.values),
      accounts: Array(store.accounts.values), transactions: store.transactions,
      subscriptions: subscriptions,
      requests: store.requests, notifications: store.notifications)
  }

  // MARK: Order and limits

  @Test("the cheapest in all comes first, of those the longest, and of equals the first in the catalogue")
  func order() throws {
    var fixture = try leaving([
      offer("six months for 5.00", .payUpFront, "P6M", price: 5000),
      offer("twice 2.00", .payAsYouGo, times: 2, price: 2000),
      offer("a month for 3.00", .payUpFront, price: 3000),
      offer("two months for 3.00", .payUpFront, "P1M", times: 2, price: 3000),
      offer("z week", .freeTrial, "P1W"), offer("a week", .freeTrial, "P7D"),
      offer("three weeks", .freeTrial, "P1W", times: 3),
    ])
    try fixture.advance(to: "2026-02-01")
    #expect(
      try listed(fixture) == [
        "three weeks", "z week", "a week", "two months for 3.00", "a month for 3.00", "twice 2.00",
        "six months for 5.00",
      ])
  }

  @Test("as many offers are listed as a product has, and of long ids as many as fit, the best of them")
  func limits() throws {
    let most = Limits.sandboxOffers
    var fixture = try leaving((0...most).map { offer("offer \($0)") })
    try fixture.advance(to: "2026-02-01")
    #expect(try listed(fixture) == (0..<most).map { "offer \($0)" })
    // Quotation marks are written as two bytes each.
    let long = (100..<100 + most).map { "\($0)" + String(repeating: "\"", count: Limits.textBytes - 3) }
    fixture = try leaving(long.enumerated().map { offer($1, .payUpFront, price: Int64(most - $0)) })
    try fixture.advance(to: "2026-02-01")
    let list = try #require(try listed(fixture))
    // Three digits, twice the rest, the marks around it and a comma.
    let written = list.map { 3 + ($0.utf8.count - 3) * 2 + 3 }
    #expect(list == Array(long.reversed().prefix(list.count)))
    let (used, next) = (written.reduce(-1, +), written[0])
    #expect(used <= Limits.sandboxWinBackBytes && used + next > Limits.sandboxWinBackBytes)
    let store = try SigningFixture()
    let item = try store.store.sign(try fixture.subscription.payload)
    #expect(try store.rejection(JWS(item.text)) == nil, "and devices take it")
  }
}

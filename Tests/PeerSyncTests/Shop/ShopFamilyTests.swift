import PeerSync
import Testing

@Suite("Families in the sandbox store") struct ShopFamilyTests {
  /// One who has bought a month of a plan, and another with whom he shares it.
  private func family() throws -> ShopFixture {
    var fixture = try ShopFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    for account in [ShopFixture.me, "you@example.com"] {
      try fixture.handle(.joinFamily(account: account, family: "owls"))
    }
    return fixture
  }

  @Test("[C38] a family shares, and who leaves loses only what was shared")
  func families() throws {
    var fixture = try family()
    let you = "you@example.com"
    let shared = try #require(fixture.shop.entitlements(of: fixture.seen(by: you)).first)
    #expect(shared.ownership == .familyShared && shared.original == shared.id)
    try fixture.advance(to: "2026-02-01")
    let all = fixture.shop.history(of: fixture.seen(by: you))
    #expect(all.map(\.original) == [shared.id, shared.id] && all.last?.expires == Instant("2026-03-01"))
    try fixture.buy("carefree")
    let own = try fixture.buy("carefree", by: you)
    #expect(fixture.shop.entitlements(of: fixture.seen(by: you)).count == 3)
    try fixture.handle(.leaveFamily(account: ShopFixture.me))
    #expect(fixture.shop.entitlements(of: fixture.seen(by: you)).map(\.id) == [own])
    #expect(fixture.told.suffix(2) == ["REVOKE", "REVOKE"])
  }

  @Test("[C35] in grace the family keeps what it shares, and each hears of it under a number of his own")
  func familyInGrace() throws {
    var fixture = try family()
    let you = fixture.seen(by: "you@example.com")
    let line = try #require(fixture.shop.entitlements(of: you).first).original
    let joined = fixture.shop.changes(since: 0, for: you)
    #expect(joined.subscriptions.map(\.original) == [line] && joined.revision == fixture.shop.revision)
    try fixture.handle(.setBilling(account: ShopFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-01")
    #expect(fixture.shop.entitlements(of: you).map(\.original) == [line])
    let news = fixture.shop.changes(since: joined.revision, for: you).subscriptions
    guard case .renewalInfo(let info) = try StorePayload(try #require(news.last).payload) else {
      Issue.record("no renewal info")
      return
    }
    #expect(info.originalTransactionId == "\(line)" && info.gracePeriodExpiresDate == Instant("2026-02-17"))
    // Whose purchase it is is nobody else's business.
    #expect(news.last?.token == nil && news.last?.account == "you@example.com")
    try fixture.advance(to: "2026-02-17")
    #expect(fixture.shop.entitlements(of: you).isEmpty)
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    let known = fixture.shop.revision
    try fixture.handle(.setBilling(account: ShopFixture.me, isFailing: false))
    #expect(fixture.shop.changes(since: known, for: you).subscriptions.isEmpty)
    let last = try #require(fixture.shop.history(of: you).last { $0.original == line })
    #expect(fixture.shop.status(of: last) == .expired && fixture.shop.subscriptions[0].state == .subscribed)
  }

  @Test("who leaves the family in grace loses at once what it shares")
  func leavingInGrace() throws {
    var fixture = try family()
    let you = fixture.seen(by: "you@example.com")
    try fixture.handle(.setBilling(account: ShopFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-01")
    #expect(fixture.shop.entitlements(of: you).count == 1)
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    #expect(fixture.shop.entitlements(of: you).isEmpty)
    #expect(fixture.shop.entitlements(of: fixture.seen()).count == 1)
    // And has it again who comes back.
    try fixture.handle(.joinFamily(account: "you@example.com", family: "owls"))
    #expect(fixture.shop.entitlements(of: you).count == 1)
  }

  @Test("who leaves when the next period is paid for already loses that one as well")
  func leavingBeforeARenewal() throws {
    var fixture = try family()
    let you = fixture.seen(by: "you@example.com")
    try fixture.advance(to: "2026-01-31T12:00:00.000Z")
    #expect(fixture.shop.history(of: you).count == 2)
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    #expect(fixture.shop.history(of: you).allSatisfy { $0.revocation != nil })
    try fixture.advance(to: "2026-02-10")
    #expect(fixture.shop.entitlements(of: you).isEmpty)
    #expect(fixture.shop.entitlements(of: fixture.seen()).count == 1)
  }
}

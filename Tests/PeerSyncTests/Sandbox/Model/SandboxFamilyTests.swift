import PeerSyncCore
import Testing

@Suite("Families in the sandbox store") struct SandboxFamilyTests {
  /// One who has bought a month of a plan, and another with whom he shares it.
  private func family() throws -> SandboxFixture {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.buy("monthly")
    for account in [SandboxFixture.me, "you@example.com"] {
      try fixture.handle(.joinFamily(account: account, family: "owls"))
    }
    return fixture
  }

  @Test("[C38] a family shares, and who leaves loses only what was shared")
  func families() throws {
    var fixture = try family()
    let you = "you@example.com"
    let shared = try #require(fixture.store.entitlements(of: fixture.seen(by: you)).first)
    #expect(shared.ownership == .familyShared && shared.original == shared.id)
    try fixture.advance(to: "2026-02-01")
    let all = fixture.store.history(of: fixture.seen(by: you))
    #expect(all.map(\.original) == [shared.id, shared.id] && all.last?.expires == Instant("2026-03-01"))
    try fixture.buy("carefree")
    let own = try fixture.buy("carefree", by: you)
    #expect(fixture.store.entitlements(of: fixture.seen(by: you)).count == 3)
    try fixture.handle(.leaveFamily(account: SandboxFixture.me))
    #expect(fixture.store.entitlements(of: fixture.seen(by: you)).map(\.id) == [own])
    #expect(fixture.told.suffix(2) == ["REVOKE", "REVOKE"])
  }

  @Test("[C35] in grace the family keeps what it shares, and each hears of it under a number of his own")
  func familyInGrace() throws {
    var fixture = try family()
    let you = fixture.seen(by: "you@example.com")
    let line = try #require(fixture.store.entitlements(of: you).first).original
    let joined = fixture.store.changes(since: 0, for: you)
    #expect(
      joined.subscriptions.map(\.original) == [line] && joined.revision == fixture.store.revision)
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-01")
    #expect(fixture.store.entitlements(of: you).map(\.original) == [line])
    let news = fixture.store.changes(since: joined.revision, for: you).subscriptions
    guard case .renewalInfo(let info) = try StorePayload(try #require(news.last).payload) else {
      Issue.record("no renewal info")
      return
    }
    #expect(info.originalTransactionId == "\(line)" && info.gracePeriodExpiresDate == Instant("2026-02-17"))
    // Whose purchase it is is nobody else's business.
    #expect(news.last?.token == nil && news.last?.account == "you@example.com")
    try fixture.advance(to: "2026-02-17")
    #expect(fixture.store.entitlements(of: you).isEmpty)
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    let known = fixture.store.revision
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(fixture.store.changes(since: known, for: you).subscriptions.isEmpty)
    let last = try #require(fixture.store.history(of: you).last { $0.original == line })
    #expect(
      fixture.store.status(of: last) == .expired
        && fixture.store.subscriptions[0].state == .subscribed)
  }

  @Test("who leaves the family in grace loses at once what it shares")
  func leavingInGrace() throws {
    var fixture = try family()
    let you = fixture.seen(by: "you@example.com")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-01")
    #expect(fixture.store.entitlements(of: you).count == 1)
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    #expect(fixture.store.entitlements(of: you).isEmpty)
    #expect(fixture.store.entitlements(of: fixture.seen()).count == 1)
    // And has it again who comes back.
    try fixture.handle(.joinFamily(account: "you@example.com", family: "owls"))
    #expect(fixture.store.entitlements(of: you).count == 1)
  }

  @Test("who leaves when the next period is paid for already loses that one as well")
  func leavingBeforeARenewal() throws {
    var fixture = try family()
    let you = fixture.seen(by: "you@example.com")
    try fixture.advance(to: "2026-01-31T12:00:00.000Z")
    #expect(fixture.store.history(of: you).count == 2)
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    #expect(fixture.store.history(of: you).allSatisfy { $0.revocation != nil })
    try fixture.advance(to: "2026-02-10")
    #expect(fixture.store.entitlements(of: you).isEmpty)
    #expect(fixture.store.entitlements(of: fixture.seen()).count == 1)
  }

  /// Whose transactions the newest notifications are about, with their types, subtypes and status.
  private func heard(_ fixture: inout SandboxFixture, _ count: Int) -> [String] {
    fixture.store.notifications.suffix(count).map { told in
      let owner =
        told.transaction.flatMap(fixture.store.transaction)?.account.prefix { $0 != "@" } ?? ""
      return "\(owner) \(told.type) \(told.subtype ?? "-") \(told.status.map { "\($0)" } ?? "-")"
    }
  }

  @Test("servers hear of each who shares: when it begins, when it is renewed, made up for, and bought again")
  func notifications() throws {
    var fixture = try family()
    #expect(heard(&fixture, 2) == ["me SUBSCRIBED INITIAL_BUY 1", "you SUBSCRIBED INITIAL_BUY 1"])
    try fixture.advance(to: "2026-02-01")
    #expect(heard(&fixture, 2) == ["me DID_RENEW - 1", "you DID_RENEW - 1"])
    try fixture.buy("carefree")
    #expect(heard(&fixture, 2) == ["me ONE_TIME_CHARGE - -", "you ONE_TIME_CHARGE - -"])
    // What is used up is not shared.
    try fixture.buy("owls")
    #expect(heard(&fixture, 2) == ["you ONE_TIME_CHARGE - -", "me ONE_TIME_CHARGE - -"])
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-03-02")
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(
      heard(&fixture, 2) == ["me DID_RENEW BILLING_RECOVERY 1", "you DID_RENEW BILLING_RECOVERY 1"])
    try fixture.handle(.setRenewal(transaction: try fixture.subscription.original, isOn: false))
    try fixture.advance(to: "2026-04-02")
    try fixture.buy("monthly")
    #expect(heard(&fixture, 2) == ["me SUBSCRIBED RESUBSCRIBE 1", "you SUBSCRIBED RESUBSCRIBE 1"])
    // Who comes back has it again.
    try fixture.handle(.leaveFamily(account: "you@example.com"))
    #expect(heard(&fixture, 2) == ["you REVOKE - -", "you REVOKE - 5"])
    try fixture.handle(.joinFamily(account: "you@example.com", family: "owls"))
    #expect(heard(&fixture, 2) == ["you ONE_TIME_CHARGE - -", "you SUBSCRIBED RESUBSCRIBE 1"])
  }

  @Test("who joins while a payment is being tried for hears of the recovery that access begins")
  func joiningInRetry() throws {
    var fixture = try family()
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: true))
    try fixture.advance(to: "2026-02-20")
    try fixture.handle(.joinFamily(account: "new@example.com", family: "owls"))
    try fixture.handle(.setBilling(account: SandboxFixture.me, isFailing: false))
    #expect(
      heard(&fixture, 3) == [
        "me DID_RENEW BILLING_RECOVERY 1", "new SUBSCRIBED INITIAL_BUY 1", "you DID_RENEW BILLING_RECOVERY 1",
      ])
  }

  @Test(
    "[C38] a refund turns the renewal off, and takes from the family what it shared; servers hear of both")
  func refund() throws {
    var fixture = try family()
    let line = try #require(fixture.store.transactions.last?.original)
    try fixture.handle(.refund(transaction: try fixture.subscription.latest, percentage: nil))
    #expect(
      heard(&fixture, 3) == [
        "me REFUND - 5", "me DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED 5", "you REVOKE - 5",
      ])
    #expect(fixture.store.notifications.last?.subscription == line)
    // Where renewal was off already, nothing turns it off.
    var off = try family()
    try off.handle(.setRenewal(transaction: try off.subscription.original, isOn: false))
    try off.handle(.refund(transaction: try off.subscription.latest, percentage: nil))
    #expect(heard(&off, 2) == ["me REFUND - 5", "you REVOKE - 5"])
  }
}

import PeerSyncCore
import PeerSyncSandbox
import Testing

/// Two names that look alike, composed and decomposed, are two: text would take them for one.
@Suite("Names in the sandbox store are compared by their bytes") struct SandboxNameTests {
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"
  private static let both = [composed, decomposed]

  /// A store that sells one thing more under each of the two names.
  private func fixture(_ make: (_ name: String) -> SandboxProduct) throws -> SandboxFixture {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.store.stock(SandboxNameTests.both.map(make))
    _ = fixture.store.takeEvents()
    return fixture
  }

  @Test("two non-consumables: each is bought once")
  func nonConsumables() throws {
    var fixture = try fixture { SandboxProduct(id: $0, type: .nonConsumable, price: 1000) }
    let bought = try SandboxNameTests.both.map { try fixture.buy($0) }
    #expect(bought[0] != bought[1])
    #expect(try SandboxNameTests.both.map { try fixture.buy($0) } == bought)
    #expect(
      fixture.store.transactions.map { Name($0.productId) } == SandboxNameTests.both.map(Name.init))
  }

  @Test("two groups: a subscription of one does not replace that of the other")
  func groups() throws {
    var fixture = try fixture {
      SandboxProduct(
        id: "of " + $0, type: .autoRenewableSubscription, period: SandboxFixture.period("P1M"), price: 1000,
        group: $0)
    }
    let bought = try SandboxNameTests.both.map { try fixture.buy("of " + $0) }
    #expect(fixture.store.subscriptions.map(\.original) == bought)
    #expect(try SandboxNameTests.both.map { try fixture.buy("of " + $0) } == bought)
    #expect(fixture.store.subscriptions.count == 2 && fixture.store.transactions.count == 2)
  }

  @Test("two products of a group: the change at the next renewal is told, signed and kept")
  func changeLater() throws {
    var fixture = try fixture {
      SandboxProduct(
        id: $0, type: .autoRenewableSubscription,
        period: SandboxFixture.period($0.utf8.count == 5 ? "P1M" : "P1Y"), price: 1000, group: "cafés")
    }
    let first = try fixture.buy(SandboxNameTests.composed)
    #expect(try fixture.buy(SandboxNameTests.decomposed) == first)
    #expect(fixture.told.last == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE")
    let kept = fixture.events.compactMap { event in
      if case .subscription(let kept) = event { Name(kept.nextProductId) } else { nil }
    }
    #expect(kept.last == Name(SandboxNameTests.decomposed))
    try fixture.advance(to: "2026-02-01")
    #expect(try Name(fixture.subscription.productId) == Name(SandboxNameTests.decomposed))
  }

  @Test("two products of a group: the family has the one and then the other")
  func sharing() throws {
    let you = "you@example.com"
    var fixture = try fixture {
      SandboxProduct(
        id: $0, type: .autoRenewableSubscription, period: SandboxFixture.period("P1M"), price: 1000,
        group: "cafés", isFamilyShareable: true)
    }
    for account in [SandboxFixture.me, you] {
      try fixture.handle(.joinFamily(account: account, family: "owls"))
    }
    for name in SandboxNameTests.both { try fixture.buy(name) }
    #expect(
      fixture.store.history(of: fixture.seen(by: you)).map { Name($0.productId) }
        == SandboxNameTests.both.map(Name.init))
  }

  @Test("two codes: each is good once")
  func codes() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.store.stock([
      SandboxProduct(
        id: "tea", type: .autoRenewableSubscription, period: SandboxFixture.period("P1M"), price: 1000,
        offers: SandboxNameTests.both.map {
          SandboxOffer(.code, id: $0, mode: .freeTrial, period: SandboxFixture.period("P1M"))
        })
    ])
    try fixture.buy("tea", at: SandboxNameTests.composed)
    #expect(fixture.refusal(of: SandboxNameTests.composed, "tea") == .redeemed(SandboxNameTests.composed))
    try fixture.buy("tea", at: SandboxNameTests.decomposed)
    #expect(fixture.refusal(of: SandboxNameTests.decomposed, "tea") == .redeemed(SandboxNameTests.decomposed))
  }

  @Test("two families: whoever goes from one to the other is of the other")
  func families() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    for name in SandboxNameTests.both {
      try fixture.handle(.joinFamily(account: SandboxFixture.me, family: name))
    }
    let kept = fixture.events.compactMap { event in
      if case .account(let account) = event { account.family.map(Name.init) } else { nil }
    }
    #expect(kept.last == Name(SandboxNameTests.decomposed))
  }

  @Test("a file that names another group puts the product there")
  func stocking() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    for group in SandboxNameTests.both {
      try fixture.store.stock([
        SandboxProduct(
          id: "tea", type: .autoRenewableSubscription, period: SandboxFixture.period("P1M"), group: group)
      ])
    }
    #expect(fixture.store.product("tea").map { Name($0.group) } == Name(SandboxNameTests.decomposed))
  }
}

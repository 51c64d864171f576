import PeerSync
import Testing

/// Two names that look alike, composed and decomposed, are two: text would take them for one.
@Suite("Names in the sandbox store are compared by their bytes") struct ShopNameTests {
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"
  private static let both = [composed, decomposed]

  /// A store that sells one thing more under each of the two names.
  private func fixture(_ make: (_ name: String) -> ShopProduct) throws -> ShopFixture {
    var fixture = try ShopFixture(at: "2026-01-01")
    try fixture.shop.stock(ShopNameTests.both.map(make))
    _ = fixture.shop.takeEvents()
    return fixture
  }

  @Test("two non-consumables: each is bought once")
  func nonConsumables() throws {
    var fixture = try fixture { ShopProduct(id: $0, type: .nonConsumable, price: 1000) }
    let bought = try ShopNameTests.both.map { try fixture.buy($0) }
    #expect(bought[0] != bought[1])
    #expect(try ShopNameTests.both.map { try fixture.buy($0) } == bought)
    #expect(fixture.shop.transactions.map { Name($0.productId) } == ShopNameTests.both.map(Name.init))
  }

  @Test("two groups: a subscription of one does not replace that of the other")
  func groups() throws {
    var fixture = try fixture {
      ShopProduct(
        id: "of " + $0, type: .autoRenewableSubscription, period: ShopFixture.period("P1M"), price: 1000,
        group: $0)
    }
    let bought = try ShopNameTests.both.map { try fixture.buy("of " + $0) }
    #expect(fixture.shop.subscriptions.map(\.original) == bought)
    #expect(try ShopNameTests.both.map { try fixture.buy("of " + $0) } == bought)
    #expect(fixture.shop.subscriptions.count == 2 && fixture.shop.transactions.count == 2)
  }

  @Test("two products of a group: the change at the next renewal is told, signed and kept")
  func changeLater() throws {
    var fixture = try fixture {
      ShopProduct(
        id: $0, type: .autoRenewableSubscription,
        period: ShopFixture.period($0.utf8.count == 5 ? "P1M" : "P1Y"), price: 1000, group: "cafés")
    }
    let first = try fixture.buy(ShopNameTests.composed)
    #expect(try fixture.buy(ShopNameTests.decomposed) == first)
    #expect(fixture.told.last == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE")
    let kept = fixture.events.compactMap { event in
      if case .subscription(let kept) = event { Name(kept.nextProductId) } else { nil }
    }
    #expect(kept.last == Name(ShopNameTests.decomposed))
    try fixture.advance(to: "2026-02-01")
    #expect(try Name(fixture.subscription.productId) == Name(ShopNameTests.decomposed))
  }

  @Test("two products of a group: the family has the one and then the other")
  func sharing() throws {
    let you = "you@example.com"
    var fixture = try fixture {
      ShopProduct(
        id: $0, type: .autoRenewableSubscription, period: ShopFixture.period("P1M"), price: 1000,
        group: "cafés", isFamilyShareable: true)
    }
    for account in [ShopFixture.me, you] {
      try fixture.handle(.joinFamily(account: account, family: "owls"))
    }
    for name in ShopNameTests.both { try fixture.buy(name) }
    #expect(
      fixture.shop.history(of: fixture.seen(by: you)).map { Name($0.productId) }
        == ShopNameTests.both.map(Name.init))
  }

  @Test("two codes: each is good once")
  func codes() throws {
    var fixture = try ShopFixture(at: "2026-01-01")
    try fixture.shop.stock([
      ShopProduct(
        id: "tea", type: .autoRenewableSubscription, period: ShopFixture.period("P1M"), price: 1000,
        offers: ShopNameTests.both.map {
          ShopOffer(.code, id: $0, mode: .freeTrial, period: ShopFixture.period("P1M"))
        })
    ])
    try fixture.buy("tea", at: ShopNameTests.composed)
    #expect(fixture.refusal(of: ShopNameTests.composed, "tea") == .redeemed(ShopNameTests.composed))
    try fixture.buy("tea", at: ShopNameTests.decomposed)
    #expect(fixture.refusal(of: ShopNameTests.decomposed, "tea") == .redeemed(ShopNameTests.decomposed))
  }

  @Test("two families: whoever goes from one to the other is of the other")
  func families() throws {
    var fixture = try ShopFixture(at: "2026-01-01")
    for name in ShopNameTests.both {
      try fixture.handle(.joinFamily(account: ShopFixture.me, family: name))
    }
    let kept = fixture.events.compactMap { event in
      if case .account(let account) = event { account.family.map(Name.init) } else { nil }
    }
    #expect(kept.last == Name(ShopNameTests.decomposed))
  }

  @Test("a file that names another group puts the product there")
  func stocking() throws {
    var fixture = try ShopFixture(at: "2026-01-01")
    for group in ShopNameTests.both {
      try fixture.shop.stock([
        ShopProduct(
          id: "tea", type: .autoRenewableSubscription, period: ShopFixture.period("P1M"), group: group)
      ])
    }
    #expect(fixture.shop.product("tea").map { Name($0.group) } == Name(ShopNameTests.decomposed))
  }
}

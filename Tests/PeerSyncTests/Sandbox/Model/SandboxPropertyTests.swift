import PeerSyncCore
import PeerSyncSandbox
import Testing

/// Laws of the sandbox store over histories of random commands.
@Suite("The sandbox store, over random histories") struct SandboxPropertyTests {
  @Test(
    "ids are unique, time goes forward, periods are as long as the catalogue says, and refunds take back what was bought",
    arguments: 0..<300)
  func laws(seed: Int) throws {
    var history = try SandboxHistory(seed: UInt64(seed))
    for number in 0..<120 {
      try history.step()
      if number % 10 == 0 { history.checkWinBack() }
    }
    try history.checkEnd()
  }

  @Test("the same commands at the same times give the same store", arguments: 0..<20)
  func determinism(seed: Int) throws {
    var (first, second) = (try SandboxHistory(seed: UInt64(seed)), try SandboxHistory(seed: UInt64(seed)))
    for _ in 0..<120 {
      try first.step()
      try second.step()
    }
    #expect(first.store == second.store && first.events == second.events)
  }

  @Test("it plays no part how often the time is looked at", arguments: 0..<50)
  func steps(seed: Int) throws {
    var history = try SandboxHistory(seed: UInt64(seed))
    for _ in 0..<60 { try history.step() }
    var (once, often) = (history.store, history.store)
    let end = once.time.advanced(byMilliseconds: once.terms.scale.span(430 * 86_400_000))
    try once.advance(to: end)
    while let next = often.nextDeadline, next <= end { try often.advance(to: next) }
    try often.advance(to: end)
    #expect(once == often)
  }
}

/// A store under random commands, with the laws looked at after each.
private struct SandboxHistory {
  private(set) var store: SandboxStore
  private(set) var events: [SandboxEvent] = []
  private var random: SeededGenerator
  private var signed: [UInt64: Instant] = [:]
  private var revisions: Set<UInt64> = []
  /// Whatever was ever refunded: given back, it may run beside what was bought instead.
  private var wasTakenBack: Set<UInt64> = []
  private let accounts = ["a", "b", "c"]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let scale = [SandboxScale.real, .sandbox, .faster(100)].randomElement(using: &random) ?? .real
    store = SandboxStore(
      terms: SandboxTerms(seed: seed, scale: scale), at: try #require(Instant("2026-01-31")))
    try store.stock(SandboxFixture.products)
    _ = store.takeEvents()
  }

  mutating func step() throws {
    let (time, count) = (store.time, store.transactions.count)
    let now = time.advanced(
      byMilliseconds: store.terms.scale.span(Int64.random(in: 0...20 * 86_400_000, using: &random)))
    do { _ = try store.handle(command(), now: now) } catch { #expect(!error.description.isEmpty) }
    #expect(store.time == now && store.transactions.count >= count)
    let fresh = store.takeEvents()
    for event in fresh { check(event) }
    events += fresh
    #expect(store.nextDeadline.map { $0 > store.time } ?? true)
  }

  private mutating func command() -> SandboxCommand {
    let account = accounts.randomElement(using: &random) ?? "a"
    let product = SandboxFixture.products.randomElement(using: &random)?.id ?? ""
    let transaction =
      store.terms.firstId
      + UInt64.random(in: 0...UInt64(store.transactions.count), using: &random)
    let request = UInt64.random(in: 0...UInt64(store.requests.count), using: &random)
    let flag = Bool.random(using: &random)
    switch Int.random(in: 0..<26, using: &random) {
    case 0: return .approve(request: request)
    case 1: return .decline(request: request)
    case 2, 3:
      return .refund(
        transaction: transaction, percentage: flag ? nil : Int.random(in: 0...100_001, using: &random))
    case 4: return .reverseRefund(transaction: transaction)
    case 5: return .declineRefund(transaction: transaction)
    case 6: return .joinFamily(account: account, family: flag ? "x" : "y")
    case 7: return .leaveFamily(account: account)
    case 8, 9: return .setRenewal(transaction: transaction, isOn: flag)
    case 10:
      return .raisePrice(
        product: product, price: Int64.random(in: 0...50_000, using: &random), needsConsent: flag)
    case 11: return .answerIncrease(transaction: transaction, agrees: flag)
    case 12, 13: return .setBilling(account: account, isFailing: flag)
    case 14:
      return .setCard(account: account, expires: flag ? nil : store.time.adding(months: 1, days: 0))
    case 15: return .withdraw(product: product, isWithdrawn: flag)
    case 16:
      return .setMood(
        SandboxMood.allCases.randomElement(using: &random) ?? .succeed, account: flag ? account : nil,
        isOnce: true)
    case 17: return .setGrace(flag)
    case 18: return .finish(account: account, transactions: [transaction, 0])
    default:
      return .buy(
        SandboxOrder(
          account: account, bundleId: "app", productId: product, device: flag ? "phone" : "tablet",
          offer: offer(of: product)))
    }
  }

  /// Nothing as often as one of the product's offers; now and then one that it does not have.
  private mutating func offer(of product: String) -> String? {
    let own = store.product(product)?.offers.map(\.id) ?? []
    return (own + own.map { _ in nil } + ["free"]).randomElement(using: &random) ?? nil
  }

  private mutating func check(_ event: SandboxEvent) {
    switch event {
    case .transaction(let snapshot):
      if let before = signed[snapshot.id] {
        #expect(snapshot.signed > before)
      } else {
        #expect(snapshot.id == store.terms.firstId + UInt64(signed.count), "ids are without gaps")
      }
      signed[snapshot.id] = snapshot.signed
      if snapshot.revocation != nil { wasTakenBack.insert(snapshot.id) }
      #expect(revisions.insert(snapshot.revision).inserted)
      #expect(snapshot.signed <= store.time.advanced(byMilliseconds: 200))
    case .notification(let told): #expect(told.signed <= store.time)
    case .subscription(let snapshot):
      #expect(snapshot.isOver ? snapshot.winBackOffers != [] : snapshot.winBackOffers == nil)
    case .shared, .finished, .attempted, .account, .request, .product: break
    }
  }

  /// The win-back offers that are listed are those that the store sells, and no others.
  func checkWinBack() {
    for subscription in store.subscriptions {
      let offers = store.product(subscription.productId)?.offers ?? []
      let sold = offers.filter { $0.kind == .winBack && sells($0, to: subscription) }
      #expect(Set(subscription.winBackOffers ?? []) == Set(sold.compactMap(\.id)))
    }
  }

  private func sells(_ offer: SandboxOffer, to subscription: SandboxSubscription) -> Bool {
    var ahead = store
    let order = SandboxOrder(
      account: subscription.account, bundleId: subscription.bundleId, productId: subscription.productId,
      offer: offer.id)
    return (try? ahead.handle(.buy(order), now: store.time)) != nil
  }

  func checkEnd() throws {
    for subscription in store.subscriptions { try check(subscription) }
    checkWinBack()
    #expect(Set(store.notifications.map(\.uuid)).count == store.notifications.count)
    for customer in accounts.map({ SandboxCustomer(account: $0, bundleId: "app", device: "phone") }) {
      #expect(
        store.entitlements(of: customer).allSatisfy { $0.revocation == nil && $0.type != .consumable })
      #expect(
        store.restorable(of: customer).allSatisfy {
          $0.type != .consumable && $0.type != .nonRenewingSubscription
        })
    }
  }

  private func check(_ subscription: SandboxSubscription) throws {
    let own = store.transactions.filter { $0.original == subscription.original }
    #expect(own.first?.id == subscription.original && own.last?.id == subscription.latest)
    #expect(own.last?.expires == subscription.expires)
    for (before, after) in zip(own, own.dropFirst()) {
      if after.isRenewal { #expect(after.purchaseDate >= (before.expires ?? .epoch)) }
      #expect(
        before.expires ?? .epoch <= after.purchaseDate || before.isUpgraded
          || wasTakenBack.contains(before.id))
    }
    for period in own where period.offer == nil { check(length: period) }
    for (number, period) in own.enumerated() where period.offer != nil {
      try check(offer: period, before: own[..<number])
    }
    #expect(!subscription.isActive || own.last?.revocation == nil)
  }

  /// Sold at its price and for its length, no more often than it says, and to whom it is for.
  private func check(offer period: SandboxTransaction, before: ArraySlice<SandboxTransaction>) throws {
    let offers = store.product(period.productId)?.offers ?? []
    let offer = try #require(offers.first { $0.id == period.offerId })
    #expect(period.price == offer.price && period.offer == offer.mode && period.offerKind == offer.kind)
    let end = store.terms.scale.end(
      of: offer.period, times: offer.periodsAtOnce, from: period.purchaseDate)
    #expect(period.expires == end)
    let row = before.reversed().prefix { $0.offerId == period.offerId && $0.productId == period.productId }
    // Who is offered one again may take it again, but for codes and introductory offers.
    let isOnce = offer.kind == .code || offer.kind == .introductory
    if isOnce { #expect(row.count < offer.payments) }
    if isOnce, let last = row.last, let first = before.first(where: { $0.offerId == period.offerId }) {
      #expect(first.id == last.id, "once only")
    }
    switch offer.kind {
    case .introductory: #expect(before.count == row.count)
    case .promotional: #expect(!before.isEmpty)
    case .winBack where !period.isRenewal:
      #expect(
        before.allSatisfy { ($0.expires ?? .epoch) <= period.purchaseDate || wasTakenBack.contains($0.id) })
    default: break
    }
  }

  /// As long as the catalogue says, but for days that a month does not have.
  private func check(length period: SandboxTransaction) {
    guard let product = store.product(period.productId)?.period, let end = period.expires else {
      return
    }
    let expected = store.terms.scale.end(of: product, times: 1, from: period.purchaseDate)
    let difference = abs(end.milliseconds - expected.milliseconds)
    #expect(difference <= (store.terms.scale == .real ? 3 * 86_400_000 : 0))
  }
}

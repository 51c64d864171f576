import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Purchases and refunds by the store that a device simulates for itself.
@Suite struct PurchaseRequestTests {
  private func device(_ environment: PeerSyncCore.Environment = .sandbox) -> Harness {
    let harness = Harness()
    harness.add(environment: environment)
    harness.start(0)
    var plan = Fixtures.monthly
    plan.period = period("P1M")
    (plan.price, plan.currency) = ("4.99", "USD")
    harness.request(.addProducts(Fixtures.all.filter { $0.id != plan.id } + [plan], version: 1), of: 0)
    return harness
  }

  /// Asks for several things at one time.
  private func ask(_ harness: Harness, _ requests: Request...) -> [Answer?] {
    let ids = requests.indices.map { RequestID(rawValue: 1_000_000 + nextId(harness) + UInt64($0)) }
    harness.handle(0, zip(ids, requests).map { .requested($0, $1) })
    return ids.map { harness.answers[$0] }
  }

  private func nextId(_ harness: Harness) -> UInt64 { UInt64(harness.answers.count) * 10 }

  private func buy(_ product: String, quantity: Int = 1, at date: Instant? = nil, id: UInt64 = 1) -> Request {
    .purchase(PurchaseOrder(product, quantity: quantity, at: date), id: id)
  }

  private func known(_ harness: Harness) -> [TransactionRecord] {
    var known: [TransactionRecord] = []
    harness.adjust(0) { engine in known = engine.ledger { $0.transactions() } }
    return known
  }

  // MARK: Purchases

  @Test func whatIsBoughtIsSignedOutside() throws {
    let harness = device()
    let held = harness.replica(0).count
    let effects = harness.handle(0, [.requested(RequestID(rawValue: 77), buy("monthly", id: 12))])
    // Nothing is durable, said or answered before it is signed.
    #expect(effects.durable.writes.isEmpty && effects.answers.isEmpty && effects.messages.isEmpty)
    let draft = try #require(harness.drafts.first)
    let now = harness.now(0).wall
    #expect(draft.transactionId == "12" && draft.purchaseDate == now && draft.signedDate == now)
    #expect(draft.expiresDate == now.adding(months: 1, days: 0) && draft.type == .autoRenewableSubscription)
    #expect(draft.price == 4990 && draft.currency == "USD")
    #expect(draft.accountToken == harness.engines[0].holder.accountToken)
    // The item and its two parts.
    #expect(harness.replica(0).count == held + 3)
    #expect(known(harness).map(\.transaction) == [draft])
    #expect(harness.answers[RequestID(rawValue: 77)] == .transaction(try #require(known(harness).first)))
    harness.expectSaved(0)
  }

  @Test func anOrderHasToMakeSense() {
    let harness = device()
    let early = Instant.epoch.advanced(byMilliseconds: -1)
    let offered = Request.purchase(PurchaseOrder("owl", offer: "half"), id: 1)
    let answers = ask(
      harness, buy("owls"), buy("owl", quantity: 0), buy("owl", quantity: Limits.quantity + 1),
      buy("owl", at: early), offered, buy("owl", at: .epoch))
    #expect(
      answers.prefix(5) == [
        .refused(.purchase(.unknownProduct("owls"))), .refused(.purchase(.wrongQuantity(0))),
        .refused(.purchase(.wrongQuantity(Limits.quantity + 1))), .refused(.purchase(.wrongDate(early))),
        .refused(.purchase(.noOffers)),
      ])
    #expect(answers.last??.refusal == nil)
    #expect(known(harness).map(\.transaction.purchaseDate) == [.epoch])
  }

  @Test func inProductionTheAppStoreSells() {
    let harness = device(.production)
    #expect(
      ask(harness, buy("owl"), .refund(transaction: "1")) == [
        .refused(.purchase(.realStore(.purchase))), .refused(.purchase(.realStore(.refund))),
      ])
  }

  @Test func noStoreSignsBefore1970() {
    let harness = Harness()
    harness.add()
    harness.skew[0] = -Harness.wall - 1_000_000
    harness.start(0)
    harness.request(.addProducts([Fixtures.owl], version: 1), of: 0)
    let now = harness.now(0).wall
    #expect(ask(harness, buy("owl", at: .epoch)) == [.refused(.purchase(.wrongClock(now)))])
    #expect(harness.drafts.isEmpty)
  }

  /// Two who buy it at one time get one purchase, and so does whoever buys it later, until it is refunded.
  @Test func whatIsBoughtForGoodIsBoughtOnce() throws {
    let harness = device()
    let answers = ask(harness, buy("owl", id: 1), buy("owl", id: 2), buy("five", id: 3), buy("five", id: 4))
    #expect(harness.drafts.map(\.transactionId) == ["1", "3", "4"])
    #expect(answers[0] == answers[1] && answers[0] != nil)
    #expect(ask(harness, buy("owl", id: 5)) == [answers[0]])
    _ = ask(harness, .refund(transaction: "1"))
    _ = ask(harness, buy("owl", id: 6))
    #expect(harness.drafts.map(\.transactionId) == ["1", "3", "4", "1", "6"])
  }

  /// In the xcode environment each device counts its own, those of one moment as well.
  @Test func eachDeviceCountsItsOwn() {
    let harness = device(.xcode)
    _ = ask(harness, buy("five", id: 70), buy("five", id: 71))
    _ = ask(harness, buy("five", id: 72))
    #expect(harness.drafts.map(\.transactionId) == ["0", "1", "2"])
    #expect(known(harness).allSatisfy { $0.device == harness.identities[0].device })
    #expect(ask(harness, .refund(transaction: known(harness)[1].reference)).first??.refusal == nil)
    #expect(known(harness).map(\.transaction.refund) == [.none, .full, .none])
  }

  // MARK: Refunds

  @Test func aRefundIsANewerSnapshot() throws {
    let harness = device()
    #expect(ask(harness, .refund(transaction: "1")) == [.refused(.purchase(.unknownTransaction("1")))])
    _ = ask(harness, buy("five"))
    let bought = try #require(known(harness).first)
    // Two at one time are one, and so is one after it.
    let answers = ask(harness, .refund(transaction: "1"), .refund(transaction: "1"))
    let refunded = try #require(known(harness).first)
    #expect(answers == [.transaction(refunded), .transaction(refunded)])
    #expect(ask(harness, .refund(transaction: "1")) == [.transaction(refunded)])
    #expect(harness.drafts.count == 2)
    #expect(refunded.transaction.refund == .full)
    #expect(refunded.transaction.revocationDate == harness.now(0).wall)
    // It is the newer one although no time has passed.
    #expect(refunded.transaction.signedDate == bought.transaction.signedDate.advanced(byMilliseconds: 1))
  }

  // MARK: Signing

  @Test func whatIsNotSignedIsNotBought() {
    let harness = device()
    let held = harness.replica(0).count
    harness.sign = { _ in nil }
    #expect(
      ask(harness, buy("owl"), buy("owl")) == Array(repeating: .refused(.purchase(.notSigned(nil))), count: 2)
    )
    harness.sign = { SimulatedStore.sign($0.payload, isForged: true) }
    #expect(ask(harness, buy("owl")) == [.refused(.purchase(.notSigned(.badSignature)))])
    #expect(harness.replica(0).count == held)
    harness.sign = { SimulatedStore.sign($0) }
    #expect(ask(harness, buy("owl")).first??.refusal == nil)
    #expect(known(harness).count == 1)
  }

  @Test func whatNobodyWaitsForIsNotTakenIn() {
    let harness = device()
    let held = harness.replica(0).count
    var bought = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    bought.bundleId = Harness.bundleId
    let item = SimulatedStore.item(SimulatedStore.sign(bought), for: harness.identities[0])
    harness.handle(0, [.signed(RequestID(rawValue: 5), item)])
    #expect(harness.replica(0).count == held)
  }
}

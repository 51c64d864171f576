import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct DraftsTests {
  private let first = RequestID(rawValue: 1)
  private let second = RequestID(rawValue: 2)

  private func record(_ id: String) -> TransactionRecord {
    TransactionRecord(
      transaction: Transaction(
        transactionId: id, productId: "owl", bundleId: Machines.bundleId, environment: .sandbox,
        purchaseDate: Instant(clamping: Machines.wall), quantity: 1, verification: .simulated), device: nil)
  }

  @Test func whoAsksForTheSameWaitsForTheSame() throws {
    var (machines, drafts) = (try Machines(), Drafts())
    drafts.add(record("1"), for: first, &machines.effects)
    #expect(!drafts.join(second) { $0.reference == record("2").reference })
    #expect(drafts.join(second) { $0.reference == record("1").reference })
    #expect(machines.effects.drafts.map(\.0) == [first] && drafts.records.count == 1)
    for request in [second, first, first] {
      drafts.takeSigned(
        nil, for: request, of: machines.identity, &machines.holdings, at: Machines.moment(), &machines.effects
      )
    }
    #expect(machines.effects.answers.map(\.0) == [first, second])
    #expect(machines.effects.answers.allSatisfy { $0.1 == .refused(.purchase(.notSigned(nil))) })
    #expect(machines.effects.durable.isEmpty && drafts.records.isEmpty)
  }

  @Test func onlyWhatIsSoldIsDrafted() throws {
    var (machines, drafts, time) = (try Machines(), Drafts(), Timekeeper(TrustedTime.Persisted()))
    _ = time.read(Machines.now())
    _ = machines.holdings.putProducts(
      [Product(id: "owl", type: .nonConsumable)], at: Machines.moment(), &machines.effects)
    machines.holdings.count(in: machines.roster)
    let orders = [
      PurchaseOrder("lynx"), PurchaseOrder("owl", quantity: 0),
      PurchaseOrder("owl"),
    ]
    let refusals = orders.map { order in
      drafts.purchase(
        order, id: 7, as: first, of: machines.identity, &machines.holdings, &time, now: Machines.now(),
        &machines.effects)?.refusal
    }
    #expect(
      refusals == [
        .purchase(.unknownProduct("lynx")), .purchase(.wrongQuantity(0)), nil,
      ])
    #expect(drafts.records.map(\.transaction.transactionId) == ["7"])
    // The same is not sold twice, though it is not signed yet.
    let again = drafts.purchase(
      orders[2], id: 8, as: second, of: machines.identity, &machines.holdings, &time, now: Machines.now(),
      &machines.effects)
    #expect(again == nil && drafts.records.count == 1)
  }
}

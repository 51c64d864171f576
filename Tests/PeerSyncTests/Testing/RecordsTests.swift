import PeerSyncCore
import PeerSyncSimulation
import PeerSyncTesting
import Testing

/// What the kit itself looks at, in any medium: what devices have acknowledged to a test.
@Suite struct RecordsTests {
  private static let present = Instant(clamping: World.wallStart)

  private func purchase(_ product: String, id: String) -> Transaction {
    Transaction(
      transactionId: id, productId: product, bundleId: "com.example.app", environment: .sandbox,
      purchaseDate: Self.present, quantity: 1, verification: .simulated)
  }

  /// A device that holds these purchases, and says what follows from others.
  private func standing(_ name: String, _ held: [Transaction], counting counted: [Transaction])
    -> ObservedDevice
  {
    var ledger = Ledger(environment: .sandbox, bundleId: "com.example.app")
    for product in Testbed.owls.catalogue.products {
      ledger.apply(.product(product), stamp: Stamp(rawValue: 0))
    }
    for purchase in counted { ledger.apply(.transaction(purchase, device: nil), stamp: purchase.stamp) }
    return ObservedDevice(
      name: name,
      known: ObservedDevice.Known(
        transactions: held, view: ledger.view(at: Self.present), present: Self.present))
  }

  private func broken(_ records: Records, _ observed: [ObservedDevice]) throws -> (Invariant, String)? {
    do { try records.check(observed, Testbed.owls.catalogue) } catch {
      guard case .broken(let invariant) = error.kind else { throw error }
      return (invariant, error.detail)
    }
    return nil
  }

  @Test func whatWasAcknowledgedIsMissed() throws {
    let bought = purchase("3months", id: "1")
    var records = Records()
    records.note(bought, on: "Phone")
    let holds = standing("Phone", [bought], counting: [bought])
    #expect(try broken(records, [holds, holds]) == nil)
    let found = try #require(try broken(records, [holds, standing("Mac", [], counting: [])]))
    #expect(found == (.noLostRenewal, "Mac lacks 3months (1), which Phone acknowledged"))
    var refunded = bought
    refunded.refund(at: Self.present)
    records.note(refunded, on: "Phone")
    let late = try #require(try broken(records, [holds]))
    #expect(late == (.noLostRenewal, "Phone lacks the refund of 3months (1), which Phone acknowledged"))
    // An answer to the purchase that comes late takes nothing back.
    records.note(bought, on: "Phone")
    #expect(try broken(records, [holds]) != nil)
  }

  @Test func devicesThatAnswerOtherwiseAreFound() throws {
    let bought = purchase("3months", id: "1")
    let (right, wrong) = (
      standing("Phone", [bought], counting: [bought]), standing("Mac", [bought], counting: [])
    )
    #expect(try broken(Records(), [right, right]) == nil)
    #expect(try broken(Records(), [right, wrong])?.0 == .convergence)
  }

  @Test func overspendingIsFound() throws {
    let bought = purchase("wishes", id: "1")
    var records = Records()
    records.note(bought, on: "Phone")
    let all = [standing("Phone", [bought], counting: [bought])]
    for id in ["a", "b", "b"] { records.note(Spending(credit: "wishes", amount: 2, id: id)) }
    #expect(try broken(records, all) == nil)
    records.note(Spending(credit: "wishes", amount: 2, id: "c"))
    let found = try #require(try broken(records, all))
    #expect(found == (.noOverspending, "6 of 'wishes' were spent, and 5 were bought"))
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Which device bought what: every device names the same one, whoever wrote the items down, in whatever order.
@Suite struct SaleTests {
  private func harness() -> Harness {
    let harness = Harness(3)
    harness.request(.addProducts(Fixtures.all, version: 1), of: 0)
    return harness
  }

  /// What a store has sold to a device.
  private func sold(_ id: String, to buyer: Int?, _ harness: Harness) -> Transaction {
    var transaction = Transaction(
      transactionId: id, productId: Fixtures.owl.id, bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: harness.now(0).wall, verification: .simulated)
    transaction.accountToken = buyer.map { harness.engines[$0].holder.accountToken }
    return transaction
  }

  private func ingest(_ transaction: Transaction, on device: Int, _ harness: Harness) {
    let item = SimulatedStore.item(SimulatedStore.sign(transaction), for: harness.identities[device])
    harness.request(.ingest([item]), of: device)
  }

  private func meet(_ harness: Harness) {
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.cut()
  }

  /// Whom a device names, by the ids of the transactions.
  private func buyers(_ device: Int, _ harness: Harness) -> [String: String?] {
    var names: [String: String?] = [:]
    harness.adjust(device) { engine in
      engine.look { view in
        let records = view.ledger { $0.transactions() }
        for (record, buyer) in zip(records, view.buyers(of: records)) {
          names.updateValue(buyer?.name, forKey: record.reference)
        }
      }
    }
    return names
  }

  private func history(_ device: Int, _ harness: Harness) -> [String: String?] {
    var names: [String: String?] = [:]
    let now = harness.now(device).wall
    harness.adjust(device) { engine in
      engine.look { view in
        for occurrence in view.history(at: now, atMost: 100) {
          if case .bought(let record) = occurrence.what {
            names.updateValue(occurrence.device?.name, forKey: record.reference)
          }
        }
      }
    }
    return names
  }

  @Test(arguments: Seeds.all) func everyDeviceNamesTheOneThatBought(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let harness = harness()
    // Who has written nothing yet is known as long as it is there.
    for device in 0..<3 { harness.write(device, "here \(device)", [1]) }
    meet(harness)
    for number in 0..<6 {
      let buyer = random.chance(4) ? nil : Int(random.below(3))
      let transaction = sold("\(number)", to: buyer, harness)
      // All that listen to the store write it down, some before they hear of each other, some twice.
      for device in (0..<3).shuffled(using: &random) + [Int(random.below(3))] {
        ingest(transaction, on: device, harness)
        if random.chance(3) { meet(harness) }
      }
      meet(harness)
      for device in 0..<3 {
        let expected = buyer.map { "Device \($0 + 1)" }
        #expect(buyers(device, harness)["\(number)"] == .some(expected), "seed \(seed)")
        #expect(history(device, harness) == buyers(device, harness), "seed \(seed)")
      }
    }
  }

  @Test func aDeviceIsNamedAtOnceThatHasWrittenNothingYet() {
    let harness = harness()
    harness.connect(0, 1)
    harness.settle()
    ingest(sold("1", to: 1, harness), on: 0, harness)
    #expect(buyers(0, harness) == ["1": "Device 2"])
  }

  @Test func whatTheStoreRenewedOrTheFamilySharesNoDeviceBought() {
    let harness = harness()
    // Who has written nothing yet is known as long as it is there.
    harness.write(1, "here", [1])
    var renewal = sold("2", to: 1, harness)
    renewal.originalTransactionId = "1"
    renewal.expiresDate = renewal.purchaseDate.advanced(byMilliseconds: 1_000_000)
    renewal.reason = .renewal
    var shared = sold("3", to: 1, harness)
    shared.ownership = .familyShared
    // An upgrade, or a purchase after the end, is a later period and no renewal.
    var upgrade = renewal
    (upgrade.transactionId, upgrade.reason) = ("4", .purchase)
    // Of what says no reason all but the first are.
    var silent = renewal
    silent.reason = nil
    for transaction in [renewal, shared, upgrade] { ingest(transaction, on: 0, harness) }
    meet(harness)
    #expect(buyers(2, harness) == ["2": nil, "3": nil, "4": "Device 2"])
    #expect(!upgrade.isRenewal && silent.isRenewal)
  }

  @Test func whatIsWrittenAgainIsTheSameSale() throws {
    let harness = harness()
    let transaction = sold("1", to: 1, harness)
    for device in [1, 0, 2] { ingest(transaction, on: device, harness) }
    var again = transaction
    again.signedDate = again.signedDate.advanced(byMilliseconds: 1)
    ingest(again, on: 2, harness)
    var refunded = again
    refunded.refund(at: again.signedDate.advanced(byMilliseconds: 1))
    ingest(refunded, on: 0, harness)
    ingest(refunded, on: 1, harness)
    meet(harness)
    for device in 0..<3 {
      var sales: Set<Sale> = []
      let writes = harness.replica(device).sortedWrites()
      harness.adjust(device) { engine in
        engine.look { view in
          for write in writes { sales.formUnion(view.sales(at: write.key)) }
          #expect(view.sales() == sales)
        }
      }
      #expect(sales.map(\.isRefund).sorted { !$0 && $1 } == [false, true])
    }
  }
}

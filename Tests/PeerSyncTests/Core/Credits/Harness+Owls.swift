import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Two devices, and credits that the second one holds until it is removed.
extension Harness {
  /// Two devices in sync; the second one holds five owls.
  static func withOwls() -> Harness {
    let harness = Harness(2)
    harness.buyOwls(by: 1, for: harness.replica(1).id)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  /// Five owls, once or more often.
  func buyOwls(by device: Int, for holder: ReplicaID, quantity: Int = 1) {
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    request(.addProducts([product], version: 0), of: device)
    var transaction = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: quantity, verification: .simulated)
    transaction.accountToken = CreditHolder(holder).accountToken
    request(.write(SimulatedStore.writes(of: transaction)), of: device)
  }

  /// What a replica holds, as the first device knows it.
  func rights(of replica: ReplicaID) -> Int64 {
    var rights: Int64 = 0
    adjust(0) { engine in rights = engine.ledger { $0.rights("owls", of: CreditHolder(replica)) } }
    return rights
  }

  /// What a device does now gets to nobody.
  func lose(_ body: () -> Void) {
    filter = { _ in [] }
    body()
    filter = { [$0] }
  }

  /// The first device removes the second one.
  func removeSecond() {
    cut()
    let request = request(.remove(identities[1].device, recoveryKey: nil, takingBack: .nothing), of: 0)
    #expect(answers[request] == .done(changed: 1))
  }
}

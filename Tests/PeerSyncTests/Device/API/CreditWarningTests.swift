import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What people are told of credits that nobody may use is what can be taken over.
@Suite struct CreditWarningTests {
  /// The second of two devices, which holds five owls and gives one to another life of its own, while a third one spends what it never
  /// had. Then it is removed.
  private func harness(made spent: Int64) throws -> Harness {
    let harness = Harness(2)
    let (author, product) = (
      harness.author(1), Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    )
    let lives = [UInt64(1), 2].map { Author(author.number, life: $0) }
    harness.request(.addProducts([product], version: 0), of: 1)
    var bought = Transaction(
      transactionId: "t", productId: "five", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), quantity: 1, verification: .simulated)
    bought.accountToken = CreditHolder(author.replica).accountToken
    harness.request(.write(SimulatedStore.writes(of: bought)), of: 1)
    harness.connect(0, 1)
    harness.settle()
    harness.perform(1) { engine, _, effects in
      engine.holdings.write(
        [.moved(from: author.replica, to: lives[0].replica)], total: 1, of: "owls", &effects)
    }
    harness.settle()
    let session = harness.welcomed(0, as: author)
    for (life, total) in zip(lives, [0, spent]) {
      let entry = CreditEntry.spent(by: life.replica)
      let write = Write(
        key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: UInt64(total)), value: [],
        dot: Dot(replica: life.replica, sequence: 1))
      harness.handle(0, [.received(session, .commit(try #require(life.commit([write]))))])
    }
    harness.cut()
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: nil, takingBack: .nothing), of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
    return harness
  }

  @Test("I12: of a removed device what it holds as a whole is told, once, however often it has lived")
  func removedDevice() throws {
    for (spent, left) in [(0, 5), (2, 3), (5, 0), (9, 0)] as [(Int64, Int64)] {
      let harness = try harness(made: spent)
      harness.adjust(0) { engine in
        let warnings = engine.look { $0.creditWarnings }.map { $0.text(in: .english) }
        #expect(warnings.count == (left > 0 ? 1 : 0), "\(spent): \(warnings)")
        let told = "the \(left) of 'owls' that Device 2 held"
        #expect(warnings.allSatisfy { $0.hasPrefix(told) }, "\(spent): \(warnings)")
        let ofRemoved = engine.holders(of: "owls").filter(\.isOfRemoved).map(\.rights)
        #expect(ofRemoved == [5 - spent].filter { $0 != 0 })
      }
    }
  }
}

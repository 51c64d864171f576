import PeerSyncCore
import Testing

/// Who brought the first news of a transaction, compared with looking at all items.
@Suite struct OccurrenceTests {
  private struct Item {
    let id: StoreItemID
    let transaction: Transaction
    var isAccepted: Bool { transaction.isAccepted }
  }

  private func item(_ number: Int, signed: Int64, isAccepted: Bool) -> Item {
    var transaction = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    transaction.signedDate = transaction.purchaseDate.advanced(byMilliseconds: signed)
    transaction.verification = isAccepted ? .simulated : .unverified
    return Item(id: StoreItemID(high: 1, low: UInt64(number)), transaction: transaction)
  }

  private func key(_ item: Item) -> RegisterKey {
    .transaction(
      environment: .sandbox, bundleId: Fixtures.bundleId, transactionId: "1", device: nil, item: item.id)
  }

  @Test(arguments: Seeds.all) func theFirstItemIsTheFirstThatWasSignedAndCounts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let items = (1...5).map {
        item($0, signed: Int64(random.below(4)), isAccepted: !random.chance(3))
      }
      var ledger = Fixtures.ledger()
      // Some come twice, all in any order.
      for item in (items + items.prefix(2)).shuffled(using: &random) {
        let payload = StorePayload.transaction(item.transaction)
        ledger.apply(
          item.isAccepted ? .verified(payload) : .refused(.unsigned, claimed: payload), at: key(item),
          stamp: item.transaction.stamp)
      }
      let record = try #require(ledger.transaction("1"))
      let counted = items.filter(\.isAccepted).map { ($0.transaction.stamp, $0.id) }
      guard let first = counted.min(by: <) else {
        #expect(record.firstItem == record.item, "seed \(seed)")
        continue
      }
      #expect(record.firstItem == first.1, "seed \(seed)")
      #expect(ledger.transaction(at: key(items[0])) == record)
    }
  }
}

extension Holdings {
  /// The transactions that count and came from the store, or that only other devices have written, by purchase date.
  ///
  /// - Parameter store: ids of those that the store has just brought back
  package mutating func restored(from store: Set<String>) -> [(transaction: Transaction, isFromStore: Bool)] {
    let others = transactionsOfOthers
    return ledger { $0.transactions() }.map(\.transaction).filter(\.isAccepted).compactMap { transaction in
      let isFromStore = store.contains(transaction.transactionId)
      guard isFromStore || others.contains(transaction.transactionId) else { return nil }
      return (transaction, isFromStore)
    }
  }

  /// The ids of the transactions that other devices have written.
  private var transactionsOfOthers: Set<String> {
    var ids: Set<String> = []
    for write in replica.sortedWrites() where write.dot.replica != replica.id {
      guard case .transaction(_, _, let id, _, _)? = try? RegisterKey(decoding: write.key[...]) else {
        continue
      }
      ids.insert(id)
    }
    return ids
  }
}

/// What the store has said twice, and not alike.
struct Contradictions: Sendable {
  /// Transactions of which the store has signed different things in the millisecond that counts.
  var transactions: Set<TransactionKey> = []
  /// Subscriptions of whose renewal it has done so.
  var renewals: Set<OriginalKey> = []
  /// Transactions under whose id it has signed different purchases, whenever that was: one of them counts, and the other is gone.
  var reused: Set<TransactionKey> = []
}

extension Snapshot<Transaction> {
  /// Whether two that count are not of one purchase, although they have one id.
  func isOtherPurchase(than other: Snapshot) -> Bool {
    guard value.isAccepted, other.value.isAccepted else { return false }
    return Name(value.productId) != Name(other.value.productId)
      || Name(value.originalTransactionId) != Name(other.value.originalTransactionId)
      || value.purchaseDate != other.value.purchaseDate
  }
}

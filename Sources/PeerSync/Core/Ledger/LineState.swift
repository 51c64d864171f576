/// The purchases of one line, in order, and what they fold to.
struct LineState: Sendable {
  private(set) var purchases: [Purchase] = []
  private(set) var register: Decision<ExpirationRegister>?
  private var isSorted = true
  private var fold: Fold?

  /// Adds a purchase. Those that come in order, as almost all do, cost nothing more than the append.
  mutating func insert(_ purchase: Purchase) {
    if let last = purchases.last, !last.precedes(purchase) { isSorted = false }
    purchases.append(purchase)
    fold = nil
  }

  mutating func remove(_ purchase: Purchase) {
    sort()
    let index = purchases.partitionPoint { !$0.precedes(purchase) }
    guard index < purchases.count, !purchase.precedes(purchases[index]) else { return }
    purchases.remove(at: index)
    fold = nil
  }

  mutating func set(_ register: Decision<ExpirationRegister>?) {
    self.register = register
    fold = nil
  }

  /// The fold, computed when something has changed since it was last asked for.
  mutating func folded() -> Fold {
    if let fold { return fold }
    sort()
    let result = folding(purchases)
    fold = result
    return result
  }

  /// What the fold would be with one more purchase, which counts after all others of its instant.
  mutating func folded(with purchase: Purchase) -> Fold {
    sort()
    var purchases = purchases
    purchases.insert(purchase, at: purchases.partitionPoint { $0.date > purchase.date })
    return folding(purchases)
  }

  private func folding(_ purchases: [Purchase]) -> Fold {
    Fold(
      purchases, register: register?.value,
      writtenAt: Instant(clamping: Int64(register?.stamp.milliseconds ?? 0)))
  }

  private mutating func sort() {
    guard !isSorted else { return }
    purchases.sort { $0.precedes($1) }
    isSorted = true
  }
}

extension Ledger {
  /// Whether a transaction is of this ledger's environment and app.
  func isOwn(_ key: TransactionKey) -> Bool {
    key.environment == environment && key.bundleId == Name(bundleId)
  }

  /// Makes a transaction count as its product says.
  mutating func attach(_ key: TransactionKey, _ transaction: Transaction) {
    guard isOwn(key), let entry = entry(of: transaction) else { return }
    if let line = entry.value.stackingLine {
      lines[Name(line), default: LineState()].insert(
        Purchase(transaction, device: key.device, period: entry.value.period))
    }
    count(transaction, of: entry, sign: 1)
    let original = OriginalKey(id: Name(transaction.originalTransactionId), device: key.device)
    switch entry.value.type {
    case .nonConsumable:
      owned[Name(entry.value.id), default: OwnershipState()].update(original, in: snapshots) {
        $0.insert(key)
      }
    case .autoRenewableSubscription: join(original, transaction)
    case .consumable, .nonRenewingSubscription, nil: break
    }
  }

  /// Takes back what ``attach(_:_:)`` did.
  mutating func detach(_ key: TransactionKey, _ transaction: Transaction) {
    guard isOwn(key), let entry = entry(of: transaction) else { return }
    if let line = entry.value.stackingLine {
      lines[Name(line), default: LineState()].remove(
        Purchase(transaction, device: key.device, period: entry.value.period))
    }
    count(transaction, of: entry, sign: -1)
    let original = OriginalKey(id: Name(transaction.originalTransactionId), device: key.device)
    switch entry.value.type {
    case .nonConsumable:
      owned[Name(entry.value.id), default: OwnershipState()].update(original, in: snapshots) {
        $0.remove(key)
      }
    case .autoRenewableSubscription: leave(original, transaction)
    case .consumable, .nonRenewingSubscription, nil: break
    }
  }

  private mutating func count(_ transaction: Transaction, of entry: Decision<Product>, sign: Int64) {
    guard let credit = entry.value.boughtCredit else { return }
    // A default that named a property would take a copy of the ledger along.
    let none = CreditState(lives: lives)
    creditsIssued.insert(Name(credit))
    credits[Name(credit), default: none].count(
      BoughtCredits(transaction, of: entry.value), at: transaction.issuedTo, sign: sign)
  }

  /// The entry by which a transaction counts: that of its date.
  func product(of transaction: Transaction) -> Product? { entry(of: transaction)?.value }

  private func entry(of transaction: Transaction) -> Decision<Product>? {
    products[Name(transaction.productId)]?.timeline[transaction.purchaseDate]
  }

  /// Notes which product a transaction is of. A newer snapshot hardly ever names another.
  mutating func list(_ key: TransactionKey, under product: String, insteadOf former: String?) {
    if let former = former.map(Name.init) {
      guard former != Name(product) else { return }
      byProduct[former]?.removeAll { $0 == key }
    }
    byProduct[Name(product), default: []].append(key)
  }
}

/// The credits that a transaction buys. A prorated refund leaves its part of them, rounded down.
func creditsBought(by transaction: Transaction, of product: Product) -> Int64 {
  guard transaction.isAccepted else { return 0 }
  let amount = min(max(product.amount ?? 1, 0), Limits.creditAmount)
  let credits = Int64(amount) * Int64(min(max(transaction.quantity, 1), Limits.quantity))
  switch transaction.refund {
  case .none: return credits
  case .prorated(let keeping): return credits * Int64(keeping) / Int64(Transaction.wholeMilliunits)
  case .full: return 0
  }
}

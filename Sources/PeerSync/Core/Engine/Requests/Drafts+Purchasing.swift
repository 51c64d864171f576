// Buying from the store that a device simulates for itself.
extension Drafts {
  /// Something bought for good already is not bought again: the purchase that stands is the answer, as with the real store.
  ///
  /// - Parameter id: what the store will call it; not in the xcode environment, where each device counts its own
  /// - Returns: nil while the store has to sign it
  package mutating func purchase(
    _ order: PurchaseOrder, id: UInt64, as request: RequestID, of identity: Identity,
    _ holdings: inout Holdings, _ timekeeper: inout Timekeeper, now: Now, _ effects: inout Effects
  ) -> Answer? {
    guard order.offer == nil else { return .refused(.purchase(.noOffers)) }
    guard identity.environment != .production else { return .refused(.purchase(.realStore(.purchase))) }
    let time = holdings.time(at: now, by: &timekeeper).now
    let date = order.date ?? time
    let product = holdings.ledger { $0.product(order.product, at: date) ?? $0.product(order.product) }
    guard let product else { return .refused(.purchase(.unknownProduct(order.product))) }
    guard (1...Limits.quantity).contains(order.quantity) else {
      return .refused(.purchase(.wrongQuantity(order.quantity)))
    }
    if let standing = Self.standingPurchase(of: product, &holdings) { return .transaction(standing) }
    if product.type == .nonConsumable, join(request, where: { $0.isPurchase(of: product) }) {
      return nil
    }
    guard time.canBeSigned else { return .refused(.purchase(.wrongClock(time))) }
    guard date.canBeSigned else { return .refused(.purchase(.wrongDate(date))) }
    let record = record(of: product, order, at: date, signed: time, id: id, by: identity, &holdings)
    guard record.isWithinLimits else { return .refused(.tooLarge) }
    add(record, for: request, &effects)
    return nil
  }

  /// The purchase of a product bought for good, if it stands.
  private static func standingPurchase(
    of product: Product, _ holdings: inout Holdings
  ) -> TransactionRecord? {
    guard product.type == .nonConsumable else { return nil }
    return holdings.ledger { ledger in
      ledger.transactions(of: product.id).first { $0.isPurchase(of: product) && $0.transaction.isAccepted }
    }
  }

  private func record(
    of product: Product, _ order: PurchaseOrder, at date: Instant, signed: Instant, id: UInt64,
    by identity: Identity, _ holdings: inout Holdings
  ) -> TransactionRecord {
    let device = identity.environment == .xcode ? identity.device : nil
    var transaction = Transaction(
      transactionId: String(device == nil ? id : nextLocalId(of: identity.device, &holdings)),
      productId: product.id,
      bundleId: identity.bundleId, environment: identity.environment, purchaseDate: date,
      quantity: order.quantity, signedDate: signed, verification: .simulated)
    transaction.accountToken = holdings.holder.accountToken
    transaction.type = product.type
    transaction.price = product.price.flatMap(Price.milliunits)
    transaction.currency = product.currency
    if product.type == .autoRenewableSubscription {
      transaction.expiresDate = product.period.map(date.adding)
    }
    return TransactionRecord(transaction: transaction, device: device)
  }

  /// The xcode environment numbers the transactions of each device from 0.
  private func nextLocalId(of device: DeviceID, _ holdings: inout Holdings) -> UInt64 {
    let known = holdings.ledger { $0.transactions() } + records
    let last = known.filter { $0.device == device }
      .compactMap { UInt64($0.transaction.transactionId) }.max()
    return last.map { $0 &+ 1 } ?? 0
  }
}

extension TransactionRecord {
  /// Whether it is a purchase of a product that was not taken back.
  fileprivate func isPurchase(of product: Product) -> Bool {
    Name(transaction.productId) == Name(product.id) && transaction.refund == .none
  }

  fileprivate var isWithinLimits: Bool {
    transaction.isWithinLimits && StoreSubject(transaction, device: device).isWithinLimits
  }
}

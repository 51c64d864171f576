extension Daemon {
  /// Buys a product from the sandbox store on this device. Something bought for good already is not bought again:
  /// the purchase that stands is the answer, as with the real store.
  ///
  /// - Parameters:
  ///   - productId: a product of the catalogue
  ///   - quantity: how many units, 1 to ``Limits/quantity``
  ///   - at: when, from 1970 on; nil: now, in trusted time
  /// - Throws: a ``Problem`` outside the sandbox and xcode environments, for a product that is not in the catalogue,
  ///   for a quantity beyond ``Limits/quantity``, for a time, or a clock, before 1970, and when the ledger is full;
  ///   ``DaemonError/stopped``; ``StoreError`` when the disk has failed
  public func buy(
    _ productId: String, quantity: Int = 1, at: Instant? = nil
  ) async throws -> TransactionResult {
    let result = Guarded<TransactionRecord?>(nil)
    let store = store
    try await require { engine, now in
      try engine.requireSimulatedStore("buying")
      let product = try engine.product(productId)
      guard (1...Limits.quantity).contains(quantity) else {
        throw Problem(.invalidValue, "a quantity is from 1 to \(Limits.quantity), not \(quantity)")
      }
      if let standing = engine.standingPurchase(of: product) {
        result.withLock { $0 = standing }
        return .write([])
      }
      let time = try engine.signingTime(at: now)
      let date = at ?? time
      guard date.canBeSigned else { throw Problem(.invalidValue, Instant.cannotBeSigned("at", date)) }
      let record = try engine.purchase(product, quantity: quantity, at: date, signed: time)
      result.withLock { $0 = record }
      return .write(try record.writes(signedBy: store))
    }
    return TransactionResult(transaction: TransactionAnswer(try result.made()))
  }

  /// Refunds all of a purchase in the sandbox store. Refunding it again changes nothing.
  ///
  /// - Throws: a ``Problem`` outside the sandbox and xcode environments, for a transaction not known here, for a
  ///   clock before 1970, and when the ledger is full; ``DaemonError/stopped``; ``StoreError`` when the disk has failed
  public func refund(_ transactionId: String) async throws -> TransactionResult {
    if let client = configuration.store { return try await refund(transactionId, by: client) }
    let result = Guarded<TransactionRecord?>(nil)
    let store = store
    try await require { engine, now in
      try engine.requireSimulatedStore("refunding")
      guard let record = engine.ledger({ $0.transaction(transactionId) }) else {
        throw Problem(
          .unknownTransaction,
          "no transaction '\(transactionId)' is known here; `peerd why` lists those that count")
      }
      let refunded = record.refunded(at: try engine.signingTime(at: now))
      result.withLock { $0 = refunded }
      return .write(refunded == record ? [] : try refunded.writes(signedBy: store))
    }
    return TransactionResult(transaction: TransactionAnswer(try result.made()))
  }

  /// Adds products to the catalogue that all devices of the group share: all of them, or none.
  ///
  /// - Returns: how many products are new or newer than what was known
  /// - Throws: a ``Problem`` (`invalid-value`) that names the first product beyond the limits, see
  ///   ``Product/isWithinLimits``, or says that the ledger is full or another copy of the device at work;
  ///   ``DaemonError/stopped``; ``StoreError`` when the disk has failed
  @discardableResult public func add(_ catalogue: Catalogue) async throws -> Int {
    try await require(.addProducts(catalogue.products, version: catalogue.version)).changed
  }
}

extension Engine {
  /// Only a simulated store sells and refunds on command.
  func requireSimulatedStore(_ what: String) throws(Problem) {
    guard identity.environment == .production else { return }
    throw Problem(
      .realStore, "\(what) goes through the App Store in the production environment, not through peerd")
  }

  /// The trusted time, for a signature that it goes into.
  fileprivate mutating func signingTime(at now: Now) throws(Problem) -> Instant {
    let time = time(at: now).now
    guard time.canBeSigned else {
      throw Problem(.invalidValue, Instant.cannotBeSigned("this device's clock", time))
    }
    return time
  }

  fileprivate mutating func product(_ id: String) throws(Problem) -> Product {
    if let product = ledger({ $0.product(id) }) { return product }
    throw Problem(
      .unknownProduct, "the catalogue has no product '\(id)'; `peerd products` lists what there is")
  }

  /// The purchase of a product bought for good, if it stands.
  fileprivate mutating func standingPurchase(of product: Product) -> TransactionRecord? {
    guard product.type == .nonConsumable else { return nil }
    return ledger { ledger in
      ledger.transactions().first {
        Name($0.transaction.productId) == Name(product.id) && $0.transaction.isAccepted
          && $0.transaction.refund == .none
      }
    }
  }

  fileprivate mutating func purchase(
    _ product: Product, quantity: Int, at date: Instant, signed: Instant
  ) throws(Problem) -> TransactionRecord {
    let device = identity.environment == .xcode ? identity.device : nil
    var transaction = Transaction(
      transactionId: device == nil
        ? String(UInt64.random(in: 2_000_000_000_000_000...UInt64(Int64.max))) : nextLocalId(),
      productId: product.id, bundleId: identity.bundleId, environment: identity.environment,
      purchaseDate: date,
      quantity: quantity, signedDate: signed, verification: .simulated)
    transaction.accountToken = holder.accountToken
    transaction.type = product.type
    transaction.price = product.price.flatMap(Price.milliunits)
    transaction.currency = product.currency
    if product.type == .autoRenewableSubscription {
      transaction.expiresDate = product.period.map(date.adding)
    }
    let record = TransactionRecord(transaction: transaction, device: device)
    guard transaction.isWithinLimits, record.subject.isWithinLimits else { throw Problem(.tooLarge) }
    return record
  }

  /// The xcode environment numbers the transactions of each device from 0.
  private mutating func nextLocalId() -> String {
    let device = identity.device
    let last = ledger { $0.transactions() }.filter { $0.device == device }
      .compactMap { UInt64($0.transaction.transactionId) }.max()
    return String(last.map { $0 &+ 1 } ?? 0)
  }
}

extension TransactionRecord {
  fileprivate var subject: StoreSubject { StoreSubject(transaction, device: device) }

  fileprivate func writes(signedBy store: DeviceStore) throws -> [LocalWrite] {
    guard let sandbox = store.sandbox else { throw Problem(.realStore) }
    return StoreItem.writes(
      of: try sandbox.sign(transaction), about: subject, rank: transaction.rank, stamp: transaction.stamp,
      store.verifier.cryptography)
  }

  /// Taken back in full, in a snapshot newer than this one; itself when it is already.
  fileprivate func refunded(at now: Instant) -> TransactionRecord {
    guard transaction.refund != .full else { return self }
    var refunded = transaction
    refunded.verification = .simulated
    refunded.signedDate = max(now, transaction.signedDate.advanced(byMilliseconds: 1))
    refunded.revocationDate = now
    refunded.revocationReason = 0
    refunded.revocationType = .refundFull
    refunded.revocationPercentage = nil
    return TransactionRecord(transaction: refunded, device: device)
  }
}

// Buying and refunding, what a store has signed, and the products that it sells.
extension Daemon {
  /// Buys a product: from the sandbox store that the device uses, or, where it uses none, by its own signature. Something
  /// bought for good already is not bought again: the purchase that stands is the answer, as with the real store.
  ///
  /// - Parameters:
  ///   - productId: a product of the store, or of the catalogue
  ///   - quantity: how many units, 1 to ``Limits/quantity``
  ///   - at: when, from 1970 on; nil: now, in trusted time
  ///   - offer: the id of an offer of the store, at whose price it is bought
  /// - Throws: a ``Problem`` outside the sandbox and xcode environments, for a product that is not in the catalogue,
  ///   for a quantity beyond ``Limits/quantity``, for a time, or a clock, before 1970, for an offer where the device uses no
  ///   store, when the store cannot be reached or refuses, when the purchase was cancelled or the payment refused, and when the
  ///   ledger is full; ``DaemonError/stopped``; ``StorageError`` when the disk has failed
  public func purchase(
    _ productId: String, quantity: Int = 1, at: Instant? = nil, offer: String? = nil
  ) async throws -> PurchaseResult {
    let order = PurchaseOrder(productId, quantity: quantity, at: at, offer: offer)
    switch try await source.purchase(order, for: self) {
    case .purchased(let transaction, let isNew): return try result(transaction, isNew: isNew, of: productId)
    case .pending(let request): return try result(nil, of: productId, request: request)
    }
  }

  /// Refunds all of a purchase in the store where the device buys. Refunding it again changes nothing.
  ///
  /// - Throws: a ``Problem`` outside the sandbox and xcode environments, for a transaction not known here, for a
  ///   clock before 1970, when the store cannot be reached or refuses, and when the ledger is full;
  ///   ``DaemonError/stopped``; ``StorageError`` when the disk has failed
  public func refund(_ transactionId: String) async throws -> TransactionResult {
    let before = try read { engine, _ in engine.ledger { $0.transaction(transactionId)?.transaction.refund } }
    let refunded = try await source.refund(transactionId, for: self)
    let line = try read { engine, _ in engine.ledger { $0.lineDated(for: transactionId) } }
    return TransactionResult(transaction: refunded, changed: before != .full, dated: line)
  }

  /// Whether a product that is bought for good is owned.
  func owns(_ product: String) throws -> Bool {
    try read { engine, now in
      let present = engine.time(at: now).now
      return engine.ledger { $0.view(at: present) }.purchased.contains { Name($0) == Name(product) }
    }
  }

  /// Where the device buys.
  private var source: any PurchaseSource {
    if let store = configuration.store { store } else { OwnStore() }
  }

  /// Tells of a purchase; without a transaction it is pending.
  private func result(
    _ transaction: TransactionAnswer?, isNew: Bool = false, of product: String, request: UInt64? = nil
  ) throws -> PurchaseResult {
    let usesStore = configuration.store != nil
    let isAlone = try read { engine, _ in
      !(usesStore && engine.storeTells(of: product, transaction?.transactionId)) && engine.speaksToNobody
    }
    return PurchaseResult(
      outcome: transaction == nil ? "pending" : "purchased", transaction: transaction, request: request,
      bought: isNew, onThisDeviceOnly: isAlone)
  }

  /// Adds products to the catalogue that all devices of the group share: all of them, or none.
  ///
  /// - Returns: how many products are new or newer than what was known
  /// - Throws: a ``Problem`` (`invalid-value`) that names the first product beyond the limits, see
  ///   ``Product/isWithinLimits``, or says that this device would add more than ``Limits/products``, that the ledger is full, or another
  ///   copy of the device at work;
  ///   ``DaemonError/stopped``; ``StorageError`` when the disk has failed
  @discardableResult public func add(_ catalogue: Catalogue) async throws -> Int {
    try await require(.addProducts(catalogue.products, version: catalogue.version)).changed
  }

  /// Writes products so that they count, whatever version others have given them: all of them, or none. What stands as it is stays.
  ///
  /// - Returns: how many were written
  /// - Throws: as ``add(_:)``
  @discardableResult public func put(_ products: [Product]) async throws -> Int {
    try await require(.putProducts(products)).changed
  }

  /// Writes the products of a catalogue file.
  package func put(_ file: JSONValue) async throws -> CatalogueAnswer {
    let read: CatalogueFile
    do throws(CatalogueError) { read = try CatalogueFile(file, name: "the catalogue") } catch {
      throw Problem(.invalidValue, error.told)
    }
    return CatalogueAnswer(written: try await put(read.catalogue.products), told: read.told)
  }

  // MARK: What a real store has signed

  /// Takes in signed transactions, renewal infos and notifications from a real store. Each is verified here; good ones
  /// count among bad ones, and bad ones are kept as evidence with their reason.
  ///
  /// - Parameter items: JSON Web Signatures in compact serialization
  /// - Returns: what became of each, in order; everything accepted is durable
  /// - Throws: a ``Problem`` when the ledger is full; ``DaemonError/stopped`` before ``start()`` and after
  ///   ``stop()``; ``StorageError`` when the disk has failed
  public nonisolated func ingest(_ items: [String]) async throws -> IngestAnswer {
    let (identity, roots) = try await read { engine, _ in (engine.identity, engine.trustedRoots) }
    // Verified before the daemon's queue is asked for: a long file keeps nobody waiting.
    let outcomes = try markRepeated(
      items.map { IngestedItem($0, identity, storeTrust.verifier, trusting: roots) })
    try await require(.ingest(outcomes.filter { !$0.isRepeated }.map(\.item)))
    try await keepRefused(outcomes.map(\.item))
    let received = clock.now().wall
    try notifications.add(outcomes.compactMap { NotificationAnswer($0.item, received: received) })
    return IngestAnswer(
      results: outcomes.enumerated().map { place, outcome in
        IngestAnswer.Result(outcome.item, line: place + 1, isRepeated: outcome.isRepeated, received)
      })
  }

  /// Writes down notifications of the store that the device listens to. What they carry has come by itself.
  nonisolated func note(_ texts: [String]) async throws {
    guard !texts.isEmpty else { return }
    let (identity, roots) = try await read { engine, _ in (engine.identity, engine.trustedRoots) }
    let items = texts.map { IngestedItem($0, identity, storeTrust.verifier, trusting: roots) }
    for reason in items.compactMap(\.reason) {
      configuration.log(.warning, "a notification of the store is refused: \(reason)")
    }
    let received = clock.now().wall
    try notifications.add(items.compactMap { NotificationAnswer($0, received: received) })
  }

  /// What the store has told this device, oldest first: the newest ``Limits/notifications`` notifications.
  ///
  /// - Throws: ``StorageError`` when the file that keeps them cannot be read
  public nonisolated func notificationHistory() throws -> NotificationsAnswer {
    NotificationsAnswer(notifications: try notifications.all())
  }

  /// Finds the notifications that were taken in before: they change nothing, even when they are signed anew.
  private nonisolated func markRepeated(
    _ items: [IngestedItem]
  ) throws(StorageError) -> [(item: IngestedItem, isRepeated: Bool)] {
    var known = try notifications.known(of: items.compactMap { $0.notification?.notificationUUID })
    return items.map { item in
      guard let id = item.notification?.notificationUUID else { return (item, false) }
      return (item, !known.insert(id).inserted)
    }
  }

  private func keepRefused(_ outcomes: [IngestedItem]) throws {
    let time = clock.now().wall
    try RefusedItems(place).add(
      outcomes.compactMap { outcome in
        outcome.reason.map { RefusedItems.Item(time: time, reason: "\($0)", item: outcome.text) }
      })
  }
}

extension EngineView {
  /// Whether no device takes anything from this one. A removed device has others in its group, and so has a copy; but none
  /// of them listens.
  fileprivate var speaksToNobody: Bool {
    engine.isRemoved || engine.isFenced || engine.group.members.count <= 1
  }
}

extension EngineView {
  /// Whether a store brings a purchase to all devices of the account.
  ///
  /// - Parameter id: its transaction; nil while it is pending
  fileprivate mutating func storeTells(of product: String, _ id: String?) -> Bool {
    let type = ledger { ledger in
      id.flatMap { ledger.transaction($0)?.transaction.type } ?? ledger.product(product)?.type
    }
    return type?.isRestorable ?? false
  }
}

extension IngestAnswer.Result {
  init(_ item: IngestedItem, line: Int, isRepeated: Bool, _ received: Instant) {
    self.init(
      line: line, kind: item.kind?.rawValue, accepted: item.reason == nil,
      transactionId: item.transactionId, reason: item.reason?.description,
      reasonInKorean: item.reason?.told.text(in: .korean),
      notification: NotificationAnswer(item, received: received), repeated: isRepeated)
  }
}

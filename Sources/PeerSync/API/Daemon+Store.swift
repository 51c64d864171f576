// Buying from a sandbox store of its own process, and listening to it as an app listens to `Transaction.updates`.
extension Daemon {
  /// Seconds that a question for news may wait in the store.
  private static let listeningSeconds = 50
  /// Longest pause after the store could not be reached, in milliseconds; it doubles from a quarter of a second.
  private static let longestPause: UInt64 = 10_000

  /// Buys a product: from the store that the device uses, or, where it uses none, by its own signature.
  ///
  /// Only `peerd run --store` lets a device use a store. In an app that embeds the library it is ``buy(_:quantity:at:)``:
  /// an offer is always refused with ``Problem/Code/storeRefused``, and nothing is ever pending.
  ///
  /// - Parameters:
  ///   - productId: a product of the store, or of the catalogue
  ///   - quantity: how many units, 1 to ``Limits/quantity``
  ///   - at: when; nil: now, in trusted time
  ///   - offer: the id of an offer of the store, at whose price it is bought
  /// - Throws: what ``buy(_:quantity:at:)`` throws; a ``Problem`` for an offer where the device uses no store, when the
  ///   store cannot be reached or refuses, and when the purchase was cancelled or the payment refused
  public func purchase(
    _ productId: String, quantity: Int = 1, at: Instant? = nil, offer: String? = nil
  ) async throws -> PurchaseResult {
    guard let client = configuration.store else {
      guard offer == nil else {
        throw Problem(
          .storeRefused, "only a sandbox store has offers; run this device with --store, or buy without one")
      }
      return try result(try await buy(productId, quantity: quantity, at: at).transaction, of: productId)
    }
    let (identity, token) = try read { engine, _ in (engine.identity, engine.holder.accountToken) }
    // What is bought carries where the rights to credits are born [D43].
    let order = ShopOrder(
      account: client.account, bundleId: identity.bundleId, productId: productId, quantity: quantity,
      device: identity.device.description, token: token, date: at, offer: offer)
    let answer = try await client.buy(order)
    switch answer.outcome {
    case .purchased:
      return try result(try await take(answer, client), of: productId)
    case .pending: return try result(nil, of: productId, request: answer.request)
    case .cancelled:
      throw Problem(.purchaseCancelled, "the purchase of '\(productId)' was cancelled; nothing was paid")
    case .failed:
      throw Problem(
        .purchaseFailed,
        "the payment for '\(productId)' was refused; nothing was bought, and it can be tried again")
    }
  }

  /// Tells of a purchase; without a transaction it is pending.
  private func result(
    _ transaction: TransactionAnswer?, of product: String, request: UInt64? = nil
  ) throws -> PurchaseResult {
    let usesStore = configuration.store != nil
    let isAlone = try read { engine, _ in
      !(usesStore && engine.storeTells(of: product, transaction?.transactionId)) && engine.speaksToNobody
    }
    return PurchaseResult(
      outcome: transaction == nil ? "pending" : "purchased", transaction: transaction, request: request,
      onThisDeviceOnly: isAlone)
  }

  /// Refunds a purchase in the store that the device uses.
  func refund(_ transactionId: String, by client: StoreClient) async throws -> TransactionResult {
    guard let id = UInt64(transactionId) else {
      throw Problem(
        .unknownTransaction,
        "the store knows no transaction '\(transactionId)'; `peerd why` lists those that count")
    }
    return TransactionResult(transaction: try await take(try await client.refund(id), client))
  }

  /// Makes what the store has signed durable here, and only then tells the store that it was delivered.
  private func take(_ answer: StorePurchase, _ client: StoreClient) async throws -> TransactionAnswer {
    let items = [answer.transaction, answer.renewalInfo].compactMap(\.self)
    let results = try await ingest(items).results
    guard let first = results.first, first.accepted, let id = first.transactionId else {
      throw Problem(
        .failed, "what the store has signed is refused here: \(results.first?.reason ?? "it is nothing")")
    }
    // The store tells it again should this fail.
    if let number = UInt64(id) { try? await client.finish([number]) }
    guard let record = try read({ engine, _ in engine.ledger { $0.transaction(id) } }) else {
      throw Problem(.failed)
    }
    return TransactionAnswer(record)
  }

  // MARK: Listening

  /// How far a device has heard.
  private struct Heard {
    var revision: UInt64 = 0
    /// How far the store's clock was set on.
    var lead: Int64 = 0
    /// Whether nothing was heard since the start: then the first answer does not wait.
    var isNothing = true
  }

  /// Takes in what happens in the store, until the daemon stops. While it waits for news it does not keep the daemon.
  nonisolated func listening(to client: StoreClient) -> Task<Void, Never> {
    let log = configuration.log
    return Task(executorPreference: SerialTaskExecutor(label: "store")) { [weak self] in
      var heard = Heard()
      var pause: UInt64 = 0
      while let identity = await self?.listener {
        do {
          let news = try await client.updates(
            since: heard.revision, lead: heard.lead, identity,
            seconds: heard.isNothing ? 0 : Daemon.listeningSeconds)
          try await self?.takeIn(news, client)
          heard = Heard(revision: news.revision, lead: news.lead, isNothing: false)
          pause = 0
        } catch {
          if Task.isCancelled { return }
          if pause == 0 { log(.warning, "\((error as? Problem)?.detail ?? "\(error)")") }
          pause = min(max(pause * 2, 250), Daemon.longestPause)
          try? await Task.sleep(nanoseconds: pause * 1_000_000)
        }
      }
    }
  }

  /// Whose news to ask for; nil once the daemon does not run any more.
  private var listener: Identity? { if case .running = phase { engine.identity } else { nil } }

  private func takeIn(_ news: StoreItems, _ client: StoreClient) async throws {
    if news.isSetOn { follow(news.now) }
    guard !news.transactions.isEmpty || !news.renewalInfos.isEmpty else { return }
    let results = try await ingest(news.transactions + news.renewalInfos).results
    for result in results where !result.accepted {
      configuration.log(
        .warning, "an item of the store is refused: \(result.reason ?? "for no reason given")")
    }
    // Everything accepted is durable here.
    let accepted = results.prefix(news.transactions.count).filter(\.accepted).compactMap {
      $0.transactionId.flatMap { UInt64($0) }
    }
    let delivered = news.unfinished.filter(accepted.contains)
    if !delivered.isEmpty { try await client.finish(delivered) }
  }

  /// Sets this device's clock on to that of a store whose clock was set on. Never back.
  private func follow(_ time: Instant) {
    guard clock.setOn(to: time) else { return }
    // The engine reads the clocks whatever happens, and tells who watches.
    post(.event(.deadline))
  }

  // MARK: Restoring

  /// Brings back what was bought: from the store what it restores, from peers the rest. In an app that embeds the library
  /// the device uses no store: ``RestoreAnswer/fromStore`` is 0, and nothing is asked of anybody.
  ///
  /// - Throws: a ``Problem`` when the store cannot be reached or the ledger is full; where the device uses a store
  ///   ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StoreError`` when the disk has failed
  public func restore() async throws -> RestoreAnswer {
    var fromStore: Set<String> = []
    if let client = configuration.store {
      let identity = try read { engine, _ in engine.identity }
      let items = try await client.restored(identity)
      let results = try await ingest(items.transactions + items.renewalInfos).results
      fromStore = Set(results.filter { $0.accepted && $0.kind == "transaction" }.compactMap(\.transactionId))
    }
    let restored = fromStore
    let transactions = try read { engine, _ in
      engine.restored(from: restored).map { transaction, isFromStore in
        RestoreAnswer.Restored(
          transactionId: transaction.transactionId, productId: transaction.productId,
          from: isFromStore ? "store" : "peers")
      }
    }
    return RestoreAnswer(
      fromStore: transactions.count { $0.from == "store" },
      fromPeers: transactions.count { $0.from == "peers" },
      transactions: transactions)
  }
}

extension Engine {
  /// Whether no device takes anything from this one. A removed device has others in its group, and so has a copy; but none
  /// of them listens.
  fileprivate var speaksToNobody: Bool { isRemoved || isCloned || group.members.count <= 1 }

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

// What a sandbox store of its own process has signed, and listening to it as an app listens to `Transaction.updates`.
extension Daemon {
  /// Seconds that a question for news may wait in the store.
  private static let listeningSeconds = 50
  /// Longest pause after the store could not be reached, in milliseconds; it doubles from a quarter of a second.
  private static let longestPause: UInt64 = 10_000

  /// Makes what the store has signed durable here, and only then tells the store that it was delivered.
  func take(_ answer: StorePurchase, _ client: StoreClient) async throws -> TransactionAnswer {
    let items = [answer.transaction, answer.renewalInfo].compactMap(\.self)
    let results = try await ingest(items).results
    guard let first = results.first, first.accepted, let id = first.transactionId else {
      throw Problem.refusedHere(results.first?.told ?? Phrase("it is nothing", "받은 것이 없습니다"))
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
    /// The run of the store that the revision is of.
    var run: String?
    /// How far the store's clock was set on.
    var lead: Int64 = 0
    /// Whether nothing was heard since the start, or since the store was away: then the first answer does not wait.
    var isNothing = true
    /// Of which catalogue; nil: of none since the store could be reached.
    var catalogue: String?
    /// The last notification, by its UUID.
    var told: String?
  }

  /// Takes in what happens in the store, until the daemon stops. While it waits for news it does not keep the daemon.
  nonisolated func listening(to client: StoreClient) -> Task<Void, Never> {
    let log = configuration.log
    return Task(executorPreference: SerialTaskExecutor(label: "store")) { [weak self] in
      // What is written down is not told again.
      var heard = Heard(told: try? self?.notifications.all().last?.notificationUUID)
      var pause: UInt64 = 0
      while let identity = await self?.listener {
        do {
          let news = try await client.updates(
            since: heard.revision, of: heard.run, lead: heard.lead, told: heard.told, identity,
            seconds: heard.isNothing ? 0 : Daemon.listeningSeconds)
          if news.catalogue != heard.catalogue { await self?.adopt(from: client) }
          try await self?.takeIn(news, client)
          heard = Heard(
            revision: news.revision, run: news.run, lead: news.lead, isNothing: false,
            catalogue: news.catalogue,
            told: news.told ?? heard.told)
          pause = 0
        } catch {
          if Task.isCancelled { return }
          // It may come back with something else to sell, and then says so at once.
          (heard.catalogue, heard.isNothing) = (nil, true)
          if pause == 0 { log(.warning, "\((error as? Problem)?.detail ?? "\(error)")") }
          pause = min(max(pause * 2, 250), Daemon.longestPause)
          try? await Task.sleep(nanoseconds: pause * 1_000_000)
        }
      }
    }
  }

  /// Whose news to ask for; nil once the daemon does not run any more.
  private var listener: Identity? { if case .running = phase { engine.identity } else { nil } }

  /// Learns what the store sells, where nobody has said anything of it. What cannot be used keeps no purchase waiting.
  private func adopt(from client: StoreClient) async {
    do {
      let adopted = try await require(.adoptProducts(client.catalogue().products)).changed
      if adopted > 0 {
        configuration.log(.info, "products that the store sells are known here now: \(adopted)")
      }
    } catch {
      configuration.log(
        .warning, "cannot adopt the store's products: \((error as? Problem)?.detail ?? "\(error)")")
    }
  }

  private func takeIn(_ news: StoreItems, _ client: StoreClient) async throws {
    if news.isSetOn { follow(news.now) }
    try await takeInItems(of: news, client)
    // What they tell of is durable now: the store tells how things stand before it tells what has happened.
    try await note(news.notifications ?? [])
  }

  private func takeInItems(of news: StoreItems, _ client: StoreClient) async throws {
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
    post(.deadline)
  }

  // MARK: Restoring

  /// Brings back what was bought: from the store what it restores, from peers the rest. Where the device uses no store
  /// ``RestoreAnswer/fromStore`` is 0, and nothing is asked of anybody.
  ///
  /// - Throws: a ``Problem`` when the store cannot be reached or the ledger is full; where the device uses a store
  ///   ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
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

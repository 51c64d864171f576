extension Daemon {
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
      items.map { IngestedItem($0, identity, store.verifier, trusting: roots) })
    try await require(.ingest(outcomes.filter { !$0.isRepeated }.map(\.item)))
    try await keepRefused(outcomes.map(\.item))
    let received = clock.now().wall
    try notifications.add(outcomes.compactMap { NotificationAnswer($0.item, received: received) })
    return IngestAnswer(
      results: outcomes.enumerated().map { place, outcome in
        IngestAnswer.Result(outcome.item, line: place + 1, isRepeated: outcome.isRepeated, received)
      })
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
    try RefusedItems(directory).add(
      outcomes.compactMap { outcome in
        outcome.reason.map { RefusedItems.Item(time: time, reason: "\($0)", item: outcome.text) }
      })
  }
}

extension IngestAnswer.Result {
  init(_ item: IngestedItem, line: Int, isRepeated: Bool, _ received: Instant) {
    self.init(
      line: line, kind: item.kind?.rawValue, accepted: item.reason == nil,
      transactionId: item.transactionId, reason: item.reason?.description,
      notification: NotificationAnswer(item, received: received), repeated: isRepeated)
  }
}

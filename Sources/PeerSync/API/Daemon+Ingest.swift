extension Daemon {
  /// Takes in signed transactions, renewal infos and notifications from a real store. Each is verified here; good ones
  /// count among bad ones, and bad ones are kept as evidence with their reason.
  ///
  /// - Parameter items: JSON Web Signatures in compact serialization
  /// - Returns: what became of each, in order; everything accepted is durable
  /// - Throws: a ``Problem`` when the ledger is full; ``StoreError`` when the disk has failed
  public nonisolated func ingest(_ items: [String]) async throws -> IngestAnswer {
    let (identity, roots) = try await read { engine, _ in (engine.identity, engine.trustedRoots) }
    // Verified before the daemon's queue is asked for: a long file keeps nobody waiting.
    let outcomes = items.map { IngestedItem($0, identity, store.verifier, trusting: roots) }
    try await require { engine, now in
      let room = max(0, Limits.refusedItems - engine.ledger { $0.refusals }.reduce(0) { $0 + $1.count })
      let cryptography = engine.storeVerifier.cryptography
      let evidence = outcomes.compactMap { $0.evidence?.writes(cryptography) }.filter { writes in
        // The item comes last. What is known already takes no room.
        writes.last.map { engine.replica.register($0.key) == nil } ?? false
      }
      return .write(
        outcomes.flatMap { $0.writes(identity, cryptography) } + evidence.prefix(room).flatMap(\.self))
    }
    try await keepRefused(outcomes)
    return IngestAnswer(results: outcomes.enumerated().map { $1.result(line: $0 + 1) })
  }

  private func keepRefused(_ outcomes: [IngestedItem]) throws {
    let time = clock.now().wall
    try RefusedItems(directory).add(
      outcomes.compactMap { outcome in
        outcome.reason.map { RefusedItems.Item(time: time, reason: "\($0)", item: outcome.text) }
      })
  }
}

extension IngestedItem {
  func result(line: Int) -> IngestAnswer.Result {
    IngestAnswer.Result(
      line: line, kind: kind?.rawValue, accepted: reason == nil, transactionId: transactionId,
      reason: reason?.description)
  }
}

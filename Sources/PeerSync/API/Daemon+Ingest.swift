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

/// One item of an ingestion, looked at.
struct IngestedItem: Sendable {
  let text: String
  /// The item and what is signed inside it; empty when it was refused.
  private var items: [VerifiedItem] = []
  private(set) var reason: JWSRejection?
  /// What a refused item claims to be, as far as it can be read and is of this app.
  private(set) var evidence: Evidence?

  /// A refused item that claims a transaction of this app.
  struct Evidence: Sendable {
    let jws: JWS
    let transaction: Transaction
    let device: DeviceID?

    var subject: StoreSubject { StoreSubject(transaction, device: device) }

    /// As a good item would be written: where its root is trusted later, it is one.
    func writes(_ cryptography: Cryptography) -> [LocalWrite] {
      StoreItem.writes(
        of: jws, about: subject, rank: transaction.rank, stamp: transaction.stamp, cryptography)
    }
  }

  init(_ text: String, _ identity: Identity, _ verifier: StoreVerifier, trusting roots: Set<ContentHash>) {
    self.text = text
    do throws(JWSRejection) {
      let jws = try JWS(Array(text.utf8))
      do throws(JWSRejection) {
        items = try verifier.verifyAll(
          jws, environment: identity.environment, bundleId: identity.bundleId, trusting: roots)
        try requireRoom(identity)
      } catch {
        items = []
        reason = error
        evidence = IngestedItem.evidence(jws, identity)
      }
    } catch {
      reason = error
    }
  }

  private func requireRoom(_ identity: Identity) throws(JWSRejection) {
    for item in items {
      if let subject = IngestedItem.subject(of: item, identity), !subject.isWithinLimits { throw .tooLong }
    }
  }

  private static func evidence(_ jws: JWS, _ identity: Identity) -> Evidence? {
    guard case .transaction(let transaction)? = try? StorePayload(jws.payload),
      transaction.environment == identity.environment, Name(transaction.bundleId) == Name(identity.bundleId)
    else { return nil }
    let evidence = Evidence(
      jws: jws, transaction: transaction, device: identity.environment == .xcode ? identity.device : nil)
    return evidence.subject.isWithinLimits ? evidence : nil
  }

  private static func subject(of item: VerifiedItem, _ identity: Identity) -> StoreSubject? {
    switch item.payload {
    case .transaction(let transaction): StoreSubject(transaction, device: identity.device)
    // It names no app: it is taken for this one, whose user has it.
    case .renewalInfo(let info): StoreSubject(info, bundleId: identity.bundleId)
    case .notification: nil
    }
  }

  func writes(_ identity: Identity, _ cryptography: Cryptography) -> [LocalWrite] {
    items.flatMap { item -> [LocalWrite] in
      guard let subject = IngestedItem.subject(of: item, identity) else { return [] }
      var rank = StoreItem.Rank.standing
      if case .transaction(let transaction) = item.payload { rank = transaction.rank }
      return StoreItem.writes(
        of: item.jws, about: subject, rank: rank, stamp: Stamp(item.payload.signedDate), cryptography)
    }
  }

  func result(line: Int) -> IngestAnswer.Result {
    let transactionId = items.lazy.compactMap { item -> String? in
      switch item.payload {
      case .transaction(let transaction): transaction.transactionId
      case .renewalInfo(let info): info.originalTransactionId
      case .notification: nil
      }
    }.first
    let kind = (items.first?.payload).map(\.kind) ?? claimedKind
    return IngestAnswer.Result(
      line: line, kind: kind?.rawValue, accepted: reason == nil,
      transactionId: transactionId ?? evidence?.transaction.transactionId,
      reason: reason?.description)
  }

  private var claimedKind: StorePayload.Kind? {
    guard let jws = try? JWS(Array(text.utf8)) else { return nil }
    return (try? StorePayload(jws.payload))?.kind
  }
}

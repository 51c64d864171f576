/// What a device holds: its registers with their proofs, the ledger that follows from them, the clock that stamps what it decides, and
/// what is on its way to the disk and to peers.
///
/// It knows no session and decides nothing about members: whose writes count it is told (``follow(_:)``). All that is written here is
/// written through it: own writes are stamped, made durable, signed as one commit and handed out to be pushed; writes of others are merged.
package struct Holdings: Sendable {
  package var replica: Replica
  package var ledgerCache: LedgerCache
  /// Stamps what this device decides.
  var clock = HybridLogicalClock()
  /// No decision in the registers is stamped later.
  package internal(set) var greatestHeld = Stamp(rawValue: 0)
  package var outbox: Outbox
  /// What this device knew, hour by hour.
  package internal(set) var history: VectorHistory
  /// Whether another copy of this device is at work: then nothing is decided here.
  package var isFenced = false
  /// Whether a peer knows writes of this device's own replica that this device does not know it made.
  var hasOwnNews = false
  /// SHA-256 of the root certificates of stores that are trusted besides Apple's.
  private(set) var trustedRoots: Set<ContentHash>

  /// - Parameter stamps: those of what this device keeps beside its registers
  package init(
    _ replica: Replica, signer: SigningKey, ledger: LedgerCache, history: VectorHistory = VectorHistory(),
    in roster: Roster, stamps: [Stamp] = []
  ) {
    self.replica = replica
    self.replica.authors = roster.authors
    trustedRoots = roster.trustedRoots
    ledgerCache = ledger
    outbox = Outbox(signer: signer)
    self.history = history
    self.history.resume(knowing: replica.vector)
    var greatestOwn = stamps.max() ?? Stamp(rawValue: 0)
    self.replica.registers.forEach { write in
      ledgerCache.noteCredits(write)
      guard RegisterKind.isDecision(write.key) else { return }
      greatestHeld = max(greatestHeld, write.stamp)
      if write.replica == replica.id { greatestOwn = max(greatestOwn, write.stamp) }
    }
    clock = HybridLogicalClock(last: greatestOwn)
  }

  /// This device's key.
  var key: PublicKey { outbox.signer.publicKey }

  /// Whether others take what this device writes as void, or already know other writes under the same dots: it has to
  /// continue as a new incarnation.
  package var needsIncarnation: Bool { hasOwnNews || replica.cuts[replica.id] != nil }

  /// Has the writes count that count in a group.
  package mutating func follow(_ roster: Roster) {
    replica.authors = roster.authors
    trustedRoots = roster.trustedRoots
  }

  // MARK: Reading

  /// Reads the ledger, brought up to date with the registers. It is handed out mutable because asking fills its caches.
  package mutating func ledger<Result>(_ body: (inout Ledger) throws -> Result) rethrows -> Result {
    try ledgerCache.read(replica.registers, trusting: trustedRoots, body)
  }

  /// The stamp and the value of what counts under the key of a value of the app, or of a grant; nil when nothing does.
  package func standing(_ key: RegisterKey) -> (stamp: Stamp, value: [UInt8])? {
    replica.registers.standing(under: key.encoded, ledgerCache.counting).map { ($0.stamp, $0.value) }
  }

  /// What this device says of how it stands.
  package func summary(isProbe: Bool) -> Summary {
    Summary(isProbe: isProbe, vectorHash: replica.vectorHash, digest: replica.digest)
  }

  /// Has the ledger count the decisions that count by now.
  package mutating func countDecisions(in roster: Roster, upTo ceiling: Stamp) {
    let basis = CountingBasis(
      own: replica.id, known: replica.knownVersion, mayHoldCredits: ledgerCache.mayHoldCredits)
    guard basis != ledgerCache.basis else { return ledgerCache.count(upTo: ceiling) }
    let own = [replica.id] + replica.replicas(of: key).filter { $0 != replica.id }
    var last: [ReplicaID: UInt64] = [:]
    for (replica, key) in replica.knownReplicas {
      if let counted = roster.authors.lastCounted(of: replica, by: key) { last[replica] = counted }
    }
    let takings =
      ledgerCache.mayHoldCredits
      ? Takings(
        replica.knownReplicas, shared: replica.sharedLives, members: roster.group.members.map(\.key),
        removed: roster.authors.removedKeys, forked: replica.forkedReplicas,
        succession: roster.succession) : nil
    ledgerCache.count(Counting(own: own, ceiling: ceiling, last: last, takings: takings), on: basis)
  }

  // MARK: Disk

  /// Whether everything that the registers hold is durable once the last effects have been run.
  package var isSaved: Bool { outbox.unsaved.isEmpty && !replica.hasProofChanges }

  /// Makes the pieces of deltas durable with anything else that has to be, or once they wait for nothing.
  ///
  /// An answer counts as well: that a write was known already may be due to a piece that is in memory alone.
  ///
  /// - Parameter isReceiving: whether more pieces are on their way
  package mutating func save(isReceiving: Bool, _ effects: inout Effects) {
    let hasToBe = !effects.durable.isEmpty || !effects.answers.isEmpty
    guard !isSaved, hasToBe || !isReceiving || outbox.isFull else { return }
    outbox.flush(&effects)
    // Proofs and writes become durable together: each row of the disk has its author's signature.
    effects.durable.append(.proven(replica.takeProofChanges()))
  }

  /// Keeps what was known before whatever becomes durable now.
  package mutating func keepHistory(at present: Instant, _ effects: inout Effects) {
    guard !effects.durable.isEmpty else { return }
    effects.durable.append(
      .known(history.note(replica.vector, hash: replica.vectorHash, at: present)))
  }

  // MARK: Signing

  /// Signs the own writes that wait for it. Before anything of the registers is sent: writes travel with their proof.
  package mutating func seal() { outbox.seal(in: &replica) }

  /// The commits of the writes of a range, as many as fit into one frame, without those that this device's disk has spoilt.
  package mutating func commits(in range: KeyRange, _ effects: inout Effects) -> SignedBatch {
    seal()
    let (commits, damaged) = replica.items(in: range, upTo: outbox.chunkBytes)
    if damaged > 0 { effects.notices.append(.damaged(commits: damaged)) }
    return commits
  }

  /// Signs what waits, and hands out what peers do not know yet.
  package mutating func takeSealed() -> [Commit] {
    seal()
    return outbox.takeSealed()
  }
}

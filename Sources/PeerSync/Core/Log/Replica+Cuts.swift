// Cuts: the last sequence of a replica that counts. Writes beyond it are void. Which cuts there are follows from the
// members' records and from evidence of forks; here is what they do.

/// What cutting replicas did.
package struct CutOutcome: Sendable {
  /// Beyond which sequences of replicas something has left its register.
  package var voided: [Dot] = []
  /// How many registers hold nothing any more.
  package var removed = 0
  /// Writes that stay valid: to be written again by this device.
  package var kept: [Write] = []
  /// The void numbers of credits of this device's own earlier lives, by replica and sequence.
  package var numbers: [Write] = []
  /// Whether the version vector was lowered.
  package var isLowered = false

  /// Whether anything has changed.
  package var isEmpty: Bool { voided.isEmpty && !isLowered }
}

extension Replica {
  /// Cuts replicas. Of several cuts of one the lowest holds, in whatever order they come.
  ///
  /// Void writes leave their registers. Those that the store has signed, and all of this device's own, are handed back to be
  /// written again; its own numbers of credits apart, for those are of one incarnation. What a void write had replaced was of
  /// its own author, or an item of the store, which is written again: so claims of others stay true. What the author had
  /// replaced itself may be with a peer, and comes back by a repair. The replica that this device writes under is cut for
  /// others only; it continues as a new incarnation (``begin(_:)``).
  ///
  /// - Parameter own: this device's key
  package mutating func apply(_ cuts: [ReplicaID: UInt64], own: PublicKey) -> CutOutcome {
    for (replica, cut) in cuts { self.cuts[replica] = min(self.cuts[replica] ?? .max, cut) }
    var outcome = CutOutcome()
    for replica in cuts.keys.sorted() where replica != id {
      void(replica, isOwn: incarnation(of: replica)?.key == own, &outcome)
    }
    outcome.isLowered = lowerClaims()
    return outcome
  }

  /// The place of an incarnation, which is known from then on; nil when there is no room. Devices that were removed make
  /// room: of one that has lived that often, the lives of which nothing counts are forgotten.
  mutating func number(of incarnation: Incarnation) -> Int? {
    if let number = log.number(of: incarnation) { return number }
    let own = self.incarnation(of: id)?.key
    let void = log.abundant.filter { $0.key != own && authors?.cut(of: self.id(of: $0), by: $0.key) == 0 }
    guard !void.isEmpty else { return nil }
    for life in void {
      log.forget(self.id(of: life))
      cuts[self.id(of: life)] = nil
    }
    return log.number(of: incarnation)
  }

  /// Lifts cuts that nothing calls for any more, as when a removal was overruled. What lies beyond them is not claimed.
  ///
  /// - Returns: the replicas of which more is taken from now on
  @discardableResult package mutating func liftCuts() -> Set<ReplicaID> {
    var called = removalCuts
    for fork in forks {
      let replica = id(of: fork.author)
      called[replica] = min(called[replica] ?? .max, fork.cut)
    }
    let lifted = cuts.filter { called[$0.key] ?? .max > $0.value }
    for replica in lifted.keys { cuts[replica] = called[replica] }
    return Set(lifted.keys)
  }

  /// The cuts that the members' records call for.
  package var removalCuts: [ReplicaID: UInt64] { authors?.cuts(of: knownReplicas) ?? [:] }

  /// Whether writes under a key are taken at all.
  func takes(_ key: PublicKey) -> Bool { authors?.contains(key) ?? true }

  /// The replicas of a key that have been met, sorted.
  package func replicas(of key: PublicKey) -> [ReplicaID] {
    log.incarnations.filter { $0.key == key }.map { id(of: $0) }.sorted()
  }

  /// How many registers hold writes of a key.
  package func registerCount(of key: PublicKey) -> Int {
    replicas(of: key).reduce(0) { $0 + registers.count(of: $1) }
  }

  /// Lower cuts of a device's replicas, with which no more registers of it stay than that: of each replica those that were written first, and of
  /// those that have more of them the same number.
  package func lowered(_ cuts: [Dot], leaving most: Int) -> [Dot] {
    let counts = cuts.map { ($0, registers.count(of: $0.replica)) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    var room = most
    return counts.enumerated().map { place, cut in
      let share = min(cut.1, room / (counts.count - place))
      room -= share
      guard share < cut.1 else { return cut.0 }
      let last = registers.sequence(ofFirst: share, of: cut.0.replica)
      return Dot(replica: cut.0.replica, sequence: min(cut.0.sequence, last))
    }
  }

  /// The devices of which another life would not be taken here.
  package var outlived: Set<PublicKey> { log.outlived }

  /// Every replica that was met, with the key of its device, in the order in which they were met.
  package var knownReplicas: [(ReplicaID, PublicKey)] {
    log.known.map { (log.replica($0), log.incarnation($0).key) }
  }

  private mutating func void(_ replica: ReplicaID, isOwn: Bool, _ outcome: inout CutOutcome) {
    guard let cut = cuts[replica] else { return }
    // First: of what proves nothing more no hashes are made.
    if let author = log.number(of: replica) { log.dropCommits(of: author, beyond: cut) }
    var removed = 0
    registers.removeAll(of: replica, beyond: cut, &log) { write in
      if write.key.first == RegisterKind.credit.rawValue {
        // What it names of others it names again.
        if isOwn, !write.isNaming { outcome.numbers.append(Write(write)) }
      } else if isOwn || RegisterKind.isSignedByStore(write.key) {
        outcome.kept.append(Write(write))
      }
      removed += 1
    }
    guard removed > 0 else { return }
    outcome.removed += removed
    outcome.voided.append(Dot(replica: replica, sequence: cut))
  }

  /// Calls `body` with the numbers of credits that a replica holds beyond a sequence, and the names of their registers.
  func forEachNumber(
    of replica: ReplicaID, beyond cut: UInt64, _ body: (_ name: UInt32, borrowing WriteView) -> Void
  ) {
    registers.forEach(of: replica, beyond: cut) { name, write in
      if RegisterKey.isNumber(write.key) { body(name, write) }
    }
  }

  /// What shows that registers hold what their authors have signed.
  mutating func proofs(of held: Set<RegisterID>) -> [RegisterID: [UInt8]] {
    let names = held.sorted().compactMap { registers.name(of: $0) }
    var proofs: [RegisterID: [UInt8]] = [:]
    for batch in items(of: names, upTo: .max).batches {
      for (number, proof) in NumberProof.proofs(in: batch, log.cryptography) {
        proofs[number.register] = proof
      }
    }
    return proofs
  }

  /// Continues as another incarnation of this device, from its first write.
  package mutating func begin(_ incarnation: Incarnation) -> Bool {
    canBegin = log.number(of: incarnation) != nil
    guard canBegin else { return false }
    id = self.id(of: incarnation)
    lastUsed = 0
    return true
  }

  /// Keeps evidence that a replica was forked. It is for the caller to apply the cut.
  ///
  /// - Returns: whether it says more than what was known
  /// - Throws: ``Forgery`` when it is not evidence
  package mutating func add(_ fork: Fork) throws(Forgery) -> Bool {
    if let known = log.number(of: id(of: fork.author)).flatMap({ log.fork(of: $0) }), known.cut <= fork.cut {
      return false
    }
    guard takes(fork.author.key) else { return false }
    guard fork.isProven(log.cryptography) else { throw .signature }
    guard let author = number(of: fork.author) else { return false }
    // A removal may have cut it before it was met.
    let replica = id(of: fork.author)
    if let cut = authors?.cut(of: replica, by: fork.author.key) {
      cuts[replica] = min(cuts[replica] ?? .max, cut)
    }
    return log.add(fork, of: author)
  }

  /// All evidence of forks, sorted by replica.
  package var forks: [Fork] { log.forks }

  /// The replicas known to be forked, sorted.
  package var forkedReplicas: [ReplicaID] { forks.map { id(of: $0.author) }.sorted() }

  /// Evidence that a commit contradicts one that is here; nil: it does not.
  mutating func fork(of author: Int, with head: CommitHead) -> Fork? {
    for known in log.commits(of: author, overlapping: head.first...head.last) {
      guard let held = self.head(of: known, author),
        let fork = Fork(author: log.incarnation(author), held, head),
        // A disk may have changed this copy: then it proves nothing.
        held.isSigned(by: log.incarnation(author).key, as: log.replica(author), log.cryptography)
      else { continue }
      return fork
    }
    return nil
  }
}

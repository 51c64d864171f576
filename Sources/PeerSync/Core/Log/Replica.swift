/// Everything one device's store holds: the registers and how far each author's writes are known.
///
/// What the version vector claims is the promise that nothing gets lost: for every write up to an entry, the register
/// holds that write or a greater one. So an entry moves only in two ways. A whole ``Commit`` that begins right behind
/// the entry moves it, because every write of it was merged. And the end of a complete delta moves all its entries
/// together: a write that the sender no longer had was replaced by one that the delta carried, perhaps of another
/// author, so that claiming one author's part without the rest could hide a write that nobody sends again.
package struct Replica: Sendable {
  /// The incarnation that this device writes under.
  package let id: ReplicaID
  /// The registers.
  package private(set) var registers = RegisterMap()
  /// How far each replica's writes are known here.
  package private(set) var vector = VersionVector()
  /// Hash of ``vector``, kept because every summary carries it.
  package private(set) var vectorHash = VersionVector().hash
  /// Whole commits that wait for what comes before them, oldest first.
  private var early: [Span] = []

  /// A run of writes of one replica.
  private struct Span: Hashable {
    let replica: ReplicaID
    let first: UInt64
    let last: UInt64
  }

  /// Most commits remembered ahead of their turn; the others come again with the next delta.
  private static let earlyLimit = 256

  package init(id: ReplicaID) { self.id = id }

  /// Fingerprint of all registers.
  package var digest: Digest { registers.digest }
  /// How many registers there are.
  package var count: Int { registers.count }
  /// Whether there is room for so many more writes of this device, with so many bytes of keys and values.
  package func hasRoom(forWrites count: Int, bytes: Int) -> Bool {
    registers.hasRoom(forRegisters: count, bytes: bytes) && vector[id] + UInt64(count) < Limits.sequence
  }
  /// The stamp and value of a register; nil when it was never written.
  package func register(_ key: [UInt8]) -> (stamp: Stamp, value: [UInt8])? { registers.register(key) }

  /// Every register in the order of key bytes. Copies and sorts: for listings and exports.
  package func sortedWrites() -> [Write] {
    var writes: [Write] = []
    writes.reserveCapacity(count)
    registers.forEach { writes.append(Write($0)) }
    return writes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }
}

// MARK: - Loading

extension Replica {
  /// Puts back a write that the disk kept. Only while loading.
  package mutating func restore(_ write: borrowing WriteView) { _ = registers.merge(write) }

  /// Puts back an entry of the version vector that the disk kept. Only while loading.
  package mutating func restore(claim: Dot) { claimAll([claim]) }
}

// MARK: - Writing

/// What merging a batch did.
package struct MergeOutcome: Sendable {
  /// The writes that won.
  package var won = WriteBatch()
  /// Writes stamped too far ahead; they were left out.
  package var heldBack = 0
  /// Whether the ledger was too full to take everything.
  package var isFull = false
  /// The greatest stamp among the writes that a clock stamped, for the hybrid logical clock to observe.
  package var greatestClockStamp: Stamp?

  /// Whether every write of the batch is in a register now, itself or a greater one.
  package var isWhole: Bool { heldBack == 0 && !isFull }
}

extension Replica {
  /// Makes a write of this device's own under the next dot.
  ///
  /// The dot is claimed at once: own writes are never missing here.
  ///
  /// - Returns: the write, or nil when it would not win its register or there is no room; then nothing changed.
  package mutating func write(key: [UInt8], stamp: Stamp, value: [UInt8]) -> Write? {
    let write = Write(key: key, stamp: stamp, value: value, dot: Dot(replica: id, sequence: vector[id] + 1))
    guard write.dot.sequence < Limits.sequence else { return nil }
    // The same content under a new dot says nothing new.
    if let known = registers.register(key), known.stamp == stamp, known.value == value { return nil }
    guard write.withView({ registers.merge($0) }) == .won else { return nil }
    claimAll([write.dot])
    return write
  }

  /// Takes in the writes of others.
  ///
  /// - Parameter ceiling: the latest stamp that a clock may have given; later writes are held back.
  package mutating func merge(_ batch: WriteBatch, ceiling: Stamp) -> MergeOutcome {
    var outcome = MergeOutcome()
    var losers = 0
    var index = 0
    let hashes = registers.hashes(of: batch)
    batch.forEach { write in
      let hash = hashes[index]
      index += 1
      if RegisterKind.isStampedByClock(write.key), write.stamp > ceiling {
        outcome.heldBack += 1
        losers += 1
        return
      }
      guard take(write, hash: hash, into: &outcome) else {
        losers += 1
        return
      }
    }
    // In bulk everything wins: then the batch itself is the answer, and nothing is copied.
    outcome.won = losers == 0 ? batch : winners(of: batch, losers: losers)
    return outcome
  }

  private mutating func take(
    _ write: borrowing WriteView, hash: UInt64, into outcome: inout MergeOutcome
  ) -> Bool {
    switch registers.merge(write, hash: hash) {
    case .won:
      if RegisterKind.isStampedByClock(write.key) {
        outcome.greatestClockStamp = max(outcome.greatestClockStamp ?? write.stamp, write.stamp)
      }
      return true
    case .known: return false
    case .full:
      outcome.isFull = true
      return false
    }
  }

  /// The writes of a batch that stand in their registers now.
  private func winners(of batch: WriteBatch, losers: Int) -> WriteBatch {
    var won = WriteBatch()
    guard losers < batch.count else { return won }
    batch.forEach { if registers.holds($0) { won.append($0) } }
    return won
  }
}

// MARK: - Claiming

extension Replica {
  /// Notes that every write of a commit has been merged.
  ///
  /// - Returns: the entries of the vector that moved, durable together with the writes.
  package mutating func claim(_ commit: Commit) -> [Dot] {
    guard commit.last > vector[commit.replica] else { return [] }
    guard canClaim([Dot(replica: commit.replica, sequence: commit.last)]) else { return [] }
    early.append(Span(replica: commit.replica, first: commit.first, last: commit.last))
    if early.count > Self.earlyLimit { early.removeFirst() }
    return claimEarly()
  }

  /// Notes that a delta has come whole, so that everything it claims is known.
  ///
  /// - Returns: the entries of the vector that moved.
  package mutating func claim(_ claims: [Dot]) -> [Dot] {
    // All or none: the claims of a delta hold together.
    guard canClaim(claims) else { return [] }
    let news = claims.filter { !vector.contains($0) }
    claimAll(news)
    return (news + claimEarly()).latest
  }

  /// A vector may not name more replicas than the wire lets through.
  private func canClaim(_ claims: [Dot]) -> Bool {
    vector.entries.count + claims.count { vector[$0.replica] == 0 } <= Limits.replicas
  }

  /// Claims the commits whose turn has come, until none moves any more.
  private mutating func claimEarly() -> [Dot] {
    var moved: [Dot] = []
    while let index = early.firstIndex(where: { $0.first <= vector[$0.replica] + 1 }) {
      let span = early.remove(at: index)
      let dot = Dot(replica: span.replica, sequence: span.last)
      if !vector.contains(dot) {
        claimAll([dot])
        moved.append(dot)
      }
    }
    return moved.latest
  }

  private mutating func claimAll(_ dots: [Dot]) {
    guard !dots.isEmpty else { return }
    for dot in dots { vector.advance(dot.replica, to: dot.sequence) }
    vectorHash = vector.hash
  }
}

extension [Dot] {
  /// The greatest dot of each replica, sorted.
  fileprivate var latest: [Dot] { VersionVector(self).entries }
}

// MARK: - Sending

extension Replica {
  /// The registers that a peer which stands at `vector` may lack. See ``RegisterMap/names(beyond:)``.
  package mutating func names(beyond vector: VersionVector) -> [UInt32] { registers.names(beyond: vector) }

  /// Fills a batch from names until it holds so many bytes.
  ///
  /// - Returns: how many of the names were taken.
  package func fill(_ batch: inout WriteBatch, from names: ArraySlice<UInt32>, upTo bytes: Int) -> Int {
    var taken = 0
    for name in names {
      if batch.bytes.count >= bytes { break }
      registers.append(name, to: &batch)
      taken += 1
    }
    return taken
  }

  /// Gives unused memory back. No name from ``names(beyond:)`` may be in use.
  package mutating func compact() { registers.compact() }
}

/// Everything one device's storage holds: the registers and how far each author's writes are known.
///
/// What the version vector claims is the promise that nothing gets lost: for every write up to an entry, the register
/// holds that write or a greater one. So an entry moves only in two ways. A whole ``Commit`` that begins right behind
/// the entry moves it, because every write of it was merged. And the end of a complete delta moves all its entries
/// together: a write that the sender no longer had was replaced by one that the delta carried, perhaps of another
/// author, so that claiming one author's part without the rest could hide a write that nobody sends again.
///
/// Nothing is taken on a sender's word. A write comes with its commit, which its author signed, and a claim is backed by a
/// signed head that reaches as far (`Replica+Signed.swift`); writes beyond a replica's cut are void
/// (`Replica+Cuts.swift`).
package struct Replica: Sendable {
  /// The incarnation that this device writes under.
  package internal(set) var id: ReplicaID
  /// The registers.
  package internal(set) var registers = RegisterMap()
  /// How far each replica's writes are known here.
  package private(set) var vector = VersionVector()
  /// Hash of ``vector``, kept because every summary carries it.
  package private(set) var vectorHash = VersionVector().hash
  /// What proves whose writes these are.
  var log: CommitLog
  /// The last sequence that counts, of replicas that have one.
  package var cuts: [ReplicaID: UInt64] = [:]
  /// Under which keys writes count; nil: under any. Writes by others are refused.
  package var authors: Authors? {
    didSet {
      authorsVersion += 1
      log.keepsHeads = authors?.areSeveral ?? false
    }
  }
  private var authorsVersion: UInt64 = 0
  private var claimedVersion: UInt64 = 0
  /// Another one whenever the members, the cuts of those removed, the replicas that were met, claimed or have registers of their own, or the
  /// evidence of forks are others.
  package var knownVersion: [UInt64] {
    [authorsVersion, log.version, claimedVersion, registers.ownersVersion]
  }
  /// Whether there was room for the last incarnation that this device wanted to continue as: see ``Limits/incarnations``.
  var canBegin = true
  /// The last sequence that was given to an own write since this replica was loaded or begun.
  var lastUsed: UInt64 = 0
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

  package init(id: ReplicaID, cryptography: Cryptography) {
    self.id = id
    log = CommitLog(cryptography)
  }

  /// The replicas that everybody knows who is in sync: they are claimed, or have registers of their own.
  package var sharedLives: Set<ReplicaID> { registers.owners.union(vector.entries.map(\.replica)) }
  /// Fingerprint of all registers.
  package var digest: Digest { registers.digest }
  /// How many registers there are.
  package var count: Int { registers.count }
  /// Most hashes of replaced writes that it keeps. Tests make it smaller.
  package var replacedLimit: Int {
    get { log.replacedLimit }
    set { log.replacedLimit = newValue }
  }
  /// Whether there is room for so many more writes of this device, with so many bytes of keys and values.
  package func hasRoom(forWrites count: Int, bytes: Int) -> Bool {
    registers.hasRoom(forRegisters: count, bytes: bytes) && lastOwn + UInt64(count) < Limits.sequence
  }
  /// Whether something may come from others that finds no room.
  package var isFull: Bool { !registers.hasRoom(forRegisters: 1, bytes: Limits.valueBytes) || !log.hasRoom }
  /// The last write of this device in its present life, or that it may have made.
  var lastDot: Dot { Dot(replica: id, sequence: lastOwn) }

  /// What this device has written under a key in its present life.
  func ownValue(_ key: [UInt8]) -> [UInt8]? { registers[RegisterID(key: key, author: id)]?.value }

  /// Whether there is the content of a write, or what stands before it; of what devices decide by the same device, in
  /// whichever of its lives.
  func hasAtLeast(_ write: Write) -> Bool {
    let device = incarnation(of: write.dot.replica)?.key
    let isDecision = RegisterKind.isDecision(write.key)
    var found = false
    registers.forEach(under: write.key) { held in
      guard !isDecision || incarnation(of: held.replica)?.key == device else { return }
      if !write.outranks(held) { found = true }
    }
    return found
  }

  /// Every register in its order. Copies and sorts: for listings and exports.
  package func sortedWrites() -> [Write] {
    var writes: [Write] = []
    writes.reserveCapacity(count)
    registers.forEach { writes.append(Write($0)) }
    return writes.sorted { $0.register < $1.register }
  }
}

// MARK: - Loading

extension Replica {
  /// Puts back a write that the disk kept. Only while loading.
  ///
  /// One that is not what its key says was damaged: it is left out, so that a repair brings it back.
  package mutating func restore(_ write: borrowing WriteView) {
    if write.fitsKey(log.cryptography) { _ = registers.merge(write) }
  }

  /// Puts back what the disk kept of proofs: incarnations first, then commits, then replaced writes and forks. Only while
  /// loading.
  package mutating func restore(_ proof: ProofChange) {
    log.restore(proof)
    if case .forked(let fork, let replica) = proof { cuts[replica] = min(cuts[replica] ?? .max, fork.cut) }
  }

  /// Puts back an entry of the version vector that the disk kept. Only while loading.
  package mutating func restore(claim: Dot) { claimAll([claim]) }
}

// MARK: - Writing

/// What merging a batch did.
package struct MergeOutcome: Sendable {
  /// The writes that won.
  package var won = WriteBatch()
  /// Decisions stamped too far ahead; they were left out.
  package var heldBack = 0
  /// The last of those of each author.
  package var heldBackLatest = VersionVector()
  /// The greatest stamp among those.
  package var heldBackStamp = Stamp(rawValue: 0)
  /// Whether the ledger was too full to take everything.
  package var isFull = false
  /// Writes beyond the cut of their replica; they were left out.
  package var void = 0
  /// Whether a commit of this device's own replica came that this device does not know it made.
  package var isOwnNews = false
  /// Writes of this device's own that are void under the name they have: it signed them in a life that it has forgotten.
  package var forgotten: [Write] = []
  /// Commits of others with writes that are lost here, to another branch of their author's life, and not to a later write of
  /// this one. Each is a batch of its own.
  package var outbid: [SignedBatch] = []
  /// Why the rest was not looked at: what came was not its author's.
  package var forgery: Forgery?
  /// The authors that are no members; their commits were left out.
  package var strangers: Set<ReplicaID> = []
  /// Evidence that was met: commits that contradict what is held. They were left out.
  package var forks: [Fork] = []
  /// The greatest stamp among the decisions that won, for the hybrid logical clock to observe.
  package var greatestStamp: Stamp?

  /// Whether every write of the batch is in a register now, itself or a greater one.
  package var isWhole: Bool { isWholeOfMembers && strangers.isEmpty }

  /// Whether that is so of every write of a member.
  package var isWholeOfMembers: Bool {
    heldBack == 0 && !isFull && void == 0 && forks.isEmpty && forgery == nil
  }

  mutating func noteStranger(_ replica: ReplicaID) { strangers.insert(replica) }

  mutating func holdBack(_ write: borrowing WriteView) {
    heldBack += 1
    heldBackStamp = max(heldBackStamp, write.stamp)
    if heldBackLatest.entries.count < Limits.heldBackAuthors || heldBackLatest[write.replica] > 0 {
      heldBackLatest.advance(write.replica, to: write.sequence)
    }
  }
}

extension Replica {
  /// Makes a write of this device's own under the next dot.
  ///
  /// The dot is claimed at once, unless own writes of before are missing here: then a backup was restored.
  ///
  /// - Returns: the write, or nil when it would not win its register or there is no room; then nothing changed.
  package mutating func write(key: [UInt8], stamp: Stamp, value: [UInt8]) -> Write? {
    let write = Write(key: key, stamp: stamp, value: value, dot: Dot(replica: id, sequence: lastOwn + 1))
    guard write.dot.sequence < Limits.sequence else { return nil }
    // The same content under a new dot says nothing new.
    if let known = registers[write.register], known.stamp == stamp, known.value == value { return nil }
    let result = write.withView { view in
      registers.merge(view, hash: RegisterID.hash(of: view.key, by: view.replica), &log)
    }
    guard result == .won else { return nil }
    lastUsed = write.dot.sequence
    claimOwn(write.dot)
    return write
  }

  /// Takes a register out whose write no commit here proves: it could be told to nobody.
  package mutating func remove(_ unproven: RegisterID) { registers.remove(unproven) }

  /// The last sequence of this device's own that is used up: written here, or signed in a life that this device forgot.
  var lastOwn: UInt64 { max(lastUsed, vector[id], log.reach(of: id)) }

  /// Claims an own write. Behind others that are missing here, it waits for them like anyone's.
  private mutating func claimOwn(_ dot: Dot) {
    guard dot.sequence != vector[id] + 1 else { return claimAll([dot]) }
    early.append(Span(replica: id, first: dot.sequence, last: dot.sequence))
    if early.count > Self.earlyLimit { early.removeFirst() }
  }

  /// Takes in writes without any proof: what a trusted source holds, in checks and measurements. What peers send goes
  /// through ``merge(_:ceiling:isRepair:)``.
  ///
  /// - Parameter ceiling: the latest stamp that a clock may have given; later decisions are held back.
  package mutating func merge(_ batch: WriteBatch, ceiling: Stamp) -> MergeOutcome {
    var outcome = MergeOutcome()
    batch.forEach { write in
      _ = take(
        write, hash: RegisterID.hash(of: write.key, by: write.replica), ceiling: ceiling, into: &outcome)
    }
    return outcome
  }

  /// Takes one write in.
  ///
  /// - Returns: whether it won
  @inline(__always)
  mutating func take(
    _ write: borrowing WriteView, hash: UInt64, ceiling: Stamp, into outcome: inout MergeOutcome
  ) -> Bool {
    let isDecision = RegisterKind.isDecision(write.key)
    if isDecision, write.stamp > ceiling {
      outcome.holdBack(write)
      return false
    }
    switch registers.merge(write, hash: hash, &log) {
    case .won:
      if isDecision { outcome.greatestStamp = max(outcome.greatestStamp ?? write.stamp, write.stamp) }
      outcome.won.append(write)
      return true
    case .known: return false
    case .full:
      outcome.isFull = true
      return false
    }
  }
}

// MARK: - Claiming

extension Replica {
  /// Notes that every write of a commit has been merged.
  ///
  /// - Returns: the entries of the vector that moved, durable together with the writes.
  package mutating func claim(_ commit: Commit) -> [Dot] {
    let replica = id(of: commit.author)
    guard commit.last > vector[replica] else { return [] }
    guard canClaim([Dot(replica: replica, sequence: commit.last)]) else { return [] }
    early.append(Span(replica: replica, first: commit.first, last: commit.last))
    if early.count > Self.earlyLimit { early.removeFirst() }
    return claimEarly()
  }

  /// Notes that a delta has come whole, so that everything it claims is known. Beyond a cut there is nothing to know.
  ///
  /// - Returns: the entries of the vector that moved.
  package mutating func claim(_ claims: [Dot]) -> [Dot] {
    // All or none: the claims of a delta hold together.
    let claims = claims.map { Dot(replica: $0.replica, sequence: min($0.sequence, cuts[$0.replica] ?? .max)) }
    guard canClaim(claims) else { return [] }
    let news = claims.filter { $0.sequence > 0 && !vector.contains($0) }
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
    let count = vector.entries.count
    for dot in dots { vector.advance(dot.replica, to: dot.sequence) }
    if vector.entries.count > count { claimedVersion += 1 }
    vectorHash = vector.hash
  }
}

extension [Dot] {
  /// The greatest dot of each replica, sorted.
  fileprivate var latest: [Dot] { VersionVector(self).entries }
}

// MARK: - Starting over

extension Replica {
  /// Takes decisions out that were taken before their stamps turned out to be ahead: their author decides anew. Nothing of these
  /// authors is claimed any more: what they had replaced of their own is to come again, and nobody knows where it stood.
  package mutating func holdBack(_ ahead: [Write]) {
    for write in ahead {
      write.withView { log.willReplace($0) }
      registers.remove(write.register)
    }
    let authors = Set(ahead.map(\.dot.replica))
    setVector(VersionVector(vector.entries.filter { !authors.contains($0.replica) }))
  }

  /// Claims these entries and nothing else.
  mutating func setVector(_ vector: VersionVector) {
    self.vector = vector
    claimedVersion += 1
    vectorHash = vector.hash
    early = []
  }

  /// Lowers entries to the cuts.
  ///
  /// - Returns: whether one was beyond its cut
  mutating func lowerClaims() -> Bool {
    // Void is also what waits ahead of its turn, however low the entry is: it would be claimed once that comes.
    early = early.filter { $0.last <= claimLimit(of: $0.replica) }
    let entries = vector.entries.map { entry in
      Dot(replica: entry.replica, sequence: min(entry.sequence, claimLimit(of: entry.replica)))
    }
    guard entries != vector.entries else { return false }
    vector = VersionVector(entries.filter { $0.sequence > 0 })
    claimedVersion += 1
    vectorHash = vector.hash
    return true
  }

  /// How far writes of a replica may be claimed. The one in use is cut for others only.
  private func claimLimit(of replica: ReplicaID) -> UInt64 { replica == id ? .max : cuts[replica] ?? .max }
}

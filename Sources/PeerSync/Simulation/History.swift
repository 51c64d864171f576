import PeerSyncCore

/// Every write that any device ever made durable: what the checkers measure claims against.
struct History {
  private var writes: [ReplicaID: [Write]] = [:]
  /// The keys of the devices that wrote as each replica.
  private(set) var keys: [ReplicaID: PublicKey] = [:]
  /// Who has written to each register.
  private var authors: [RegisterID: Set<ReplicaID>] = [:]
  /// The replicas of devices that were removed or set back: of what they wrote, not all has to last.
  private var doubtful: Set<ReplicaID> = []
  /// The replicas of devices that were set back and could not tell: they may number what they write a second time.
  private var branched: Set<ReplicaID> = []
  /// Decisions that were stamped ahead of the time at which they were made.
  private var ahead: Set<Dot> = []
  /// The earliest time that clocks which were wrong alike have shown: they agree that whatever is stamped later is ahead.
  private var earliestAlike: Instant?

  /// Takes in the own writes of a device's transaction, in the order of their sequences.
  ///
  /// - Parameters:
  ///   - key: the device's
  ///   - time: the true time
  /// - Returns: a dot under which something else was written before
  mutating func note(_ durable: Durable, by replica: ReplicaID, of key: PublicKey, at time: Instant) -> Dot? {
    var twice: Dot?
    keys[replica] = key
    for batch in durable.writes {
      for write in batch.writes where write.dot.replica == replica {
        if write.isAhead(of: time) { ahead.insert(write.dot) }
        if !note(write) { twice = twice ?? write.dot }
      }
    }
    return twice
  }

  private mutating func note(_ write: Write) -> Bool {
    if let made = self[write.dot] { return made == write || branched.contains(write.dot.replica) }
    let next = UInt64(writes[write.dot.replica]?.count ?? 0) + 1
    if write.dot.sequence == next {
      writes[write.dot.replica, default: []].append(write)
      authors[write.register, default: []].insert(write.dot.replica)
    }
    return true
  }

  /// Whether a decision was stamped ahead of the time at which it was made, or of clocks that agreed later: devices hold it back.
  func wasAhead(_ dot: Dot) -> Bool {
    if ahead.contains(dot) { return true }
    guard let earliestAlike, let write = self[dot] else { return false }
    return write.isAhead(of: earliestAlike)
  }

  /// The same of any decision under a key. Looks at all of them.
  func wasAhead(under key: [UInt8]) -> Bool {
    authors(under: key).contains { author in
      (writes[author] ?? []).contains { $0.key == key && wasAhead($0.dot) }
    }
  }

  /// Several clocks show a wrong time.
  mutating func noteAlike(_ time: Instant) { earliestAlike = min(earliestAlike ?? time, time) }

  /// What a replica writes, or has written, need not last.
  mutating func doubt(_ replica: ReplicaID) { doubtful.insert(replica) }

  /// A replica goes on from an earlier write of its own, and cannot tell.
  mutating func branch(_ replica: ReplicaID) { branched.insert(replica) }

  /// Whether anything need not last.
  var hasDoubts: Bool { !doubtful.isEmpty }

  /// Whether one of these replicas is such a one.
  func doubts(oneOf replicas: [ReplicaID]) -> Bool { !doubtful.isDisjoint(with: replicas) }

  /// Whether what a register held may have been lost with a device: another write that does not count has replaced it.
  func isInDoubt(_ register: RegisterID) -> Bool {
    hasDoubts && authors[register].map { !$0.isDisjoint(with: doubtful) } ?? false
  }

  /// Whether anybody has written to a register.
  func hasWritten(_ register: RegisterID) -> Bool { authors[register] != nil }

  /// Who has written to registers under a key. Looks at all of them.
  func authors(under key: [UInt8]) -> [ReplicaID] {
    authors.filter { $0.key.key == key }.flatMap(\.value).sorted()
  }

  /// The write of that name; nil when nobody made it.
  subscript(dot: Dot) -> Write? {
    guard let made = writes[dot.replica], dot.sequence >= 1, dot.sequence <= UInt64(made.count) else {
      return nil
    }
    return made[Int(dot.sequence) - 1]
  }

  /// Every write to registers of a kind.
  func writes(of kind: RegisterKind) -> [Write] {
    writes.values.joined().filter { $0.key.first == kind.rawValue }
  }

  /// What the registers must hold once everything is known: the winner of each, in their order.
  var winners: [Write] {
    var winners: [RegisterID: Write] = [:]
    for write in writes.values.joined() where winners[write.register].map({ write.wins(over: $0) }) ?? true {
      winners[write.register] = write
    }
    return winners.values.sorted { $0.register < $1.register }
  }
}

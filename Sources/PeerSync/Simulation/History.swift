import PeerSyncCore

/// Every write that any device ever made durable: what the checkers measure claims against.
struct History {
  private var writes: [ReplicaID: [Write]] = [:]
  /// Who has written to each register.
  private var authors: [[UInt8]: Set<ReplicaID>] = [:]
  /// Registers of which something was stamped anew. What wins there depends on who noticed first that a clock was wrong.
  private(set) var contested: Set<[UInt8]> = []
  /// The replicas of devices that were removed or set back: of what they wrote, not all has to last.
  private var doubtful: Set<ReplicaID> = []

  /// Takes in the own writes of a device's transaction, in the order of their sequences.
  ///
  /// - Returns: a dot under which something else was written before
  mutating func note(_ durable: Durable, by replica: ReplicaID) -> Dot? {
    var twice: Dot?
    for batch in durable.writes {
      for write in batch.writes where write.dot.replica == replica {
        if !note(write) { twice = twice ?? write.dot }
      }
    }
    return twice
  }

  /// Takes note of writes that were replaced by lower ones.
  mutating func overrule(_ writes: [Write]) { contested.formUnion(writes.map(\.key)) }

  /// Whether somebody made a write with this content.
  func knows(_ key: [UInt8], _ value: [UInt8]) -> Bool {
    writes.values.joined().contains { $0.key == key && $0.value == value }
  }

  private mutating func note(_ write: Write) -> Bool {
    if let made = self[write.dot] { return made == write }
    let next = UInt64(writes[write.dot.replica]?.count ?? 0) + 1
    if write.dot.sequence == next {
      writes[write.dot.replica, default: []].append(write)
      authors[write.key, default: []].insert(write.dot.replica)
    }
    return true
  }

  /// What a replica writes, or has written, need not last.
  mutating func doubt(_ replica: ReplicaID) { doubtful.insert(replica) }

  /// Whether anything need not last.
  var hasDoubts: Bool { !doubtful.isEmpty }

  /// Whether what a register held may have been lost with a device: another write that does not count has replaced it.
  func isInDoubt(_ key: [UInt8]) -> Bool {
    hasDoubts && authors[key].map { !$0.isDisjoint(with: doubtful) } ?? false
  }

  /// Whether somebody else than these replicas has written to a register.
  func wasWritten(_ key: [UInt8], byOthersThan replicas: Set<ReplicaID>) -> Bool {
    authors[key].map { !$0.isSubset(of: replicas) } ?? false
  }

  /// The write of that name; nil when nobody made it.
  subscript(dot: Dot) -> Write? {
    guard let made = writes[dot.replica], dot.sequence >= 1, dot.sequence <= UInt64(made.count) else {
      return nil
    }
    return made[Int(dot.sequence) - 1]
  }

  /// What the registers must hold once everything is known: the winner of each key.
  var winners: [[UInt8]: Write] {
    var winners: [[UInt8]: Write] = [:]
    for write in writes.values.joined() where winners[write.key].map({ write.wins(over: $0) }) ?? true {
      winners[write.key] = write
    }
    return winners
  }
}

/// Every write that any device ever made durable: what the checkers measure claims against.
struct History {
  private var writes: [ReplicaID: [Write]] = [:]

  /// Takes in the own writes of a device's transaction, in the order of their sequences.
  mutating func note(_ durable: Durable, by replica: ReplicaID) {
    for batch in durable.writes {
      for write in batch.writes where write.dot.replica == replica { note(write) }
    }
  }

  private mutating func note(_ write: Write) {
    let next = UInt64(writes[write.dot.replica]?.count ?? 0) + 1
    if write.dot.sequence == next { writes[write.dot.replica, default: []].append(write) }
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

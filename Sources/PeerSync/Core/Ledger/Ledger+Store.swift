extension Ledger {
  /// Takes in a register as bytes. Items of the store count if their signature does.
  ///
  /// - Parameter register: the value of another register
  package mutating func apply(
    key: ArraySlice<UInt8>, value: ArraySlice<UInt8>, stamp: Stamp, _ reader: inout StoreReader,
    register: (RegisterKey) -> [UInt8]?
  ) {
    apply(reader.read(key: key, value: value, stamp: stamp, register: register))
  }

  /// Takes in what a register says. One that cannot be read is counted in ``unreadable`` and changes nothing else.
  package mutating func apply(_ reading: RegisterReading) {
    switch reading {
    case .item(let item): apply(item)
    case .fact(let read): apply(read)
    case .unreadable: noteUnreadable()
    }
  }

  /// Takes in what one item says. An item never changes, but one that lacked a part may be read again.
  mutating func apply(_ item: ReadItem) {
    note(item.rejection, of: item.name, item.subject)
    switch item.statement {
    case .transaction(let snapshot, let key): take(snapshot, at: key)
    case .renewal(let snapshot): take(snapshot, of: item.subject)
    case nil: break
    }
  }

  private mutating func note(_ reason: JWSRejection?, of item: StoreItemID, _ subject: StoreSubject) {
    guard reason != nil || refused[subject] != nil else { return }
    refused[subject, default: [:]][item] = reason
    if refused[subject]?.isEmpty == true { refused[subject] = nil }
  }

  /// The ids of the transactions and subscriptions of this environment and app of which the store has signed different things
  /// in one millisecond, and nothing since; by id.
  package var contradictions: [String] {
    let ids = disputed.transactions.filter(isOwn).map(\.id) + disputed.renewals.map(\.id)
    return Set(ids).sorted().map(\.text)
  }

  /// The ids under which the store has sold different things in this environment and app: of each one thing counts, and nothing says so.
  package var reusedIds: [String] { Set(disputed.reused.filter(isOwn).map(\.id)).sorted().map(\.text) }

  /// Why items of this environment and app do not count, most frequent reason first, then by its words.
  package var refusals: [(reason: JWSRejection, count: Int)] {
    var counts: [JWSRejection: Int] = [:]
    for (subject, items) in refused where isOwn(subject) {
      for reason in items.values { counts[reason, default: 0] += 1 }
    }
    return counts.map { ($0.key, $0.value) }.sorted { left, right in
      left.1 == right.1 ? Name("\(left.0)") < Name("\(right.0)") : left.1 > right.1
    }
  }
}

// The index by dot: the writes of each replica in the order of their sequences.
extension RegisterMap {
  mutating func link(_ name: UInt32, _ record: Record, number: Int) {
    let last = lists[number].last
    record.words[2] = UInt64(last) << 32
    if last == 0 {
      lists[number].first = name
    } else {
      let tail = Record(words: storage[last])
      tail.next = name
      if tail.sequence > record.sequence { lists[number].isSorted = false }
    }
    lists[number].last = name
    lists[number].count += 1
  }

  mutating func unlink(_ name: UInt32, _ record: Record) {
    let (previous, next, number) = (record.previous, record.next, record.replica)
    if previous == 0 { lists[number].first = next } else { Record(words: storage[previous]).next = next }
    if next == 0 { lists[number].last = previous } else { Record(words: storage[next]).previous = previous }
    lists[number].count -= 1
  }

  /// Puts every list into the order of sequences again.
  private mutating func sortLists() {
    for number in lists.indices where !lists[number].isSorted {
      makeUnique()
      // With the sequences beside the names, sorting does not reach for the records again and again.
      let ordered = names(in: lists[number]).map { (sequence: Record(words: storage[$0]).sequence, name: $0) }
        .sorted { $0.sequence < $1.sequence }
      lists[number] = List(owned: lists[number].owned)
      for (_, name) in ordered { link(name, Record(words: storage[name]), number: number) }
    }
  }

  private func names(in list: List) -> [UInt32] {
    var result: [UInt32] = []
    var name = list.first
    while name != 0 {
      result.append(name)
      name = Record(words: storage[name]).next
    }
    return result
  }

  /// The registers whose writes a replica that stands at `vector` may lack, by replica and sequence.
  ///
  /// The names stay good until the next ``compact()``; ``append(_:to:)`` reads what a register holds by then.
  package mutating func names(beyond vector: VersionVector) -> [UInt32] {
    sortLists()
    var result: [UInt32] = []
    for number in replicas.indices.sorted(by: { replicas[$0] < replicas[$1] }) {
      let start = result.count
      let known = vector[replicas[number]]
      var name = lists[number].last
      while name != 0 {
        let record = Record(words: storage[name])
        guard record.sequence > known else { break }
        result.append(name)
        name = record.previous
      }
      result[start...].reverse()
    }
    return result
  }

  /// The registers whose writes are a replica's beyond a sequence.
  func names(of replica: ReplicaID, beyond sequence: UInt64) -> [UInt32] {
    guard let number = replicas.firstIndex(of: replica) else { return [] }
    return names(in: lists[number]).filter { Record(words: storage[$0]).sequence > sequence }
  }

  /// The sequence of the last of the registers of a replica that were written first.
  ///
  /// - Parameter count: how many those are
  func sequence(ofFirst count: Int, of replica: ReplicaID) -> UInt64 {
    let sequences = names(of: replica, beyond: 0).map { Record(words: storage[$0]).sequence }.sorted()
    return sequences.prefix(count).last ?? 0
  }

  /// Calls `body` with them, by their names, and what they hold.
  func forEach(
    of replica: ReplicaID, beyond sequence: UInt64, _ body: (_ name: UInt32, borrowing WriteView) -> Void
  ) {
    for name in names(of: replica, beyond: sequence) {
      withView(of: Record(words: storage[name])) { body(name, $0) }
    }
  }

  /// What they hold.
  ///
  /// - Parameter isMeant: whether those under a key are asked for
  func writes(
    of replica: ReplicaID, beyond sequence: UInt64,
    where isMeant: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  ) -> [Write] {
    names(of: replica, beyond: sequence).compactMap { name in
      let record = Record(words: storage[name])
      return isMeant(record.key) ? withView(of: record) { Write($0) } : nil
    }
  }

  /// What the register of a name holds.
  func write(_ name: UInt32) -> Write { withView(of: Record(words: storage[name])) { Write($0) } }

  /// The name by which what a register holds now is found; nil when it was taken out.
  private func current(_ name: UInt32) -> UInt32? {
    let record = Record(words: storage[name])
    guard record.isMoved else { return name }
    let author = replicas[record.replica]
    let (slot, found) = find(record.key, by: author, hash: RegisterID.hash(of: record.key, by: author))
    return found ? UInt32(truncatingIfNeeded: slots[slot]) : nil
  }

  /// Adds what a register holds now to a batch.
  package func append(_ name: UInt32, to batch: inout WriteBatch) {
    guard let name = current(name) else { return }
    withView(of: Record(words: storage[name])) { batch.append($0) }
  }

  /// The dot of what a register holds now; nil when it was taken out.
  func dot(_ name: UInt32) -> Dot? {
    current(name).map { name in
      let record = Record(words: storage[name])
      return Dot(replica: replicas[record.replica], sequence: record.sequence)
    }
  }

  /// Calls `body` with the writes of one replica in a span of sequences that are alive, in their order.
  ///
  /// - Parameter name: a register that holds one of them now
  mutating func forEach(
    around name: UInt32, in span: ClosedRange<UInt64>, _ body: (borrowing WriteView) -> Void
  ) {
    sortLists()
    guard var place = current(name) else { return }
    while true {
      let previous = Record(words: storage[place]).previous
      guard previous != 0, Record(words: storage[previous]).sequence >= span.lowerBound else { break }
      place = previous
    }
    while place != 0, Record(words: storage[place]).sequence <= span.upperBound {
      withView(of: Record(words: storage[place]), body)
      place = Record(words: storage[place]).next
    }
  }

  /// Calls `body` with the writes of one replica in a span of sequences that are alive, in their order.
  mutating func forEach(
    of replica: ReplicaID, in span: ClosedRange<UInt64>, _ body: (borrowing WriteView) -> Void
  ) {
    sortLists()
    guard let number = replicas.firstIndex(of: replica) else { return }
    var name = lists[number].last
    while name != 0, Record(words: storage[name]).sequence > span.upperBound {
      name = Record(words: storage[name]).previous
    }
    guard name != 0, Record(words: storage[name]).sequence >= span.lowerBound else { return }
    forEach(around: name, in: span, body)
  }

  @inline(__always)
  func withView<Result>(of record: Record, _ body: (borrowing WriteView) -> Result) -> Result {
    body(
      WriteView(
        replica: replicas[record.replica], sequence: record.sequence, stamp: record.stamp, key: record.key,
        value: record.value))
  }

  /// Gives the memory of moved records back once it is a quarter of all. Ends the life of every name.
  package mutating func compact() {
    guard deadWords * 4 > storage.usedWords else { return }
    sortLists()
    let old = storage
    let ordered = lists.map { names(in: $0) }
    storage = RecordStorage()
    slots = Array(repeating: 0, count: slots.count)
    lists = lists.map { List(owned: $0.owned) }
    deadWords = 0
    for (number, names) in ordered.enumerated() {
      for name in names { adopt(Record(words: old[name]), number: number) }
    }
  }

  private mutating func adopt(_ old: Record, number: Int) {
    let words = Record.headerWords + Record.contentWords(old.keyLength + old.valueLength)
    let name = storage.allocate(words)
    let record = Record(words: storage[name])
    record.words.update(from: old.words, count: words)
    record.words[3] = record.words[3] & ~0xffff | UInt64(words - Record.headerWords)
    let author = replicas[number]
    let hash = RegisterID.hash(of: record.key, by: author)
    let (slot, _) = find(record.key, by: author, hash: hash)
    slots[slot] = hash & 0xffff_ffff_0000_0000 | UInt64(name)
    link(name, record, number: number)
  }
}

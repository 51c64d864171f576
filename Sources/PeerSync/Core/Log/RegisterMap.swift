/// All registers of one store: a grow-only map of last-writer-wins registers, indexed by key and by dot.
///
/// Flat on purpose: a register is one ``Record`` in shared pages, the key index is one open-addressed table ordered by
/// key hash (so that a range of hashes is a range of slots), and the index by dot is a list through the records of each
/// replica in the order of their sequences (so that a delta is the end of a list). Merging allocates nothing per write.
package struct RegisterMap: Sendable {
  /// A slot is the upper half of the key's hash and the record, or 0.
  private var slots: [UInt64] = Array(repeating: 0, count: 64)
  private var shift: UInt64 = 58
  private var storage = RecordStorage()
  /// Words of records that have moved: what a compaction would win.
  private var deadWords = 0
  private var lists: [List] = []

  /// How many registers there are.
  package private(set) var count = 0
  /// Fingerprint of all registers.
  package private(set) var digest = Digest()
  /// The replicas whose writes are or were here; a record names its replica by the place in this list.
  package private(set) var replicas: [ReplicaID] = []

  /// The records of one replica.
  private struct List {
    var first: UInt32 = 0
    var last: UInt32 = 0
    /// Whether the list is in the order of sequences. Writes that come late break it until someone needs the order.
    var isSorted = true
  }

  package init() {}

  /// Bytes of memory behind the registers.
  package var allocatedBytes: Int { storage.allocatedBytes + slots.capacity * 8 }
}

// MARK: - Writing

/// What merging one write did.
package enum MergeResult: Sendable {
  /// It won its register.
  case won
  /// The register holds this write or a greater one.
  case known
  /// There is no room (``Limits``); nothing changed.
  case full
}

extension RegisterMap {
  /// Takes one write in.
  package mutating func merge(_ write: borrowing WriteView) -> MergeResult {
    merge(write, hash: SipHash.hash64(write.key))
  }

  /// The hashes of a batch's keys, for ``merge(_:hash:)``.
  ///
  /// Reads each key's slot on the way. The slots of random keys are rarely in the processor's cache, and loads that do
  /// not depend on each other are fetched side by side, where merging would wait for one after another.
  func hashes(of batch: WriteBatch) -> [UInt64] {
    var hashes: [UInt64] = []
    hashes.reserveCapacity(batch.count)
    var touched: UInt64 = 0
    batch.forEach { write in
      let hash = SipHash.hash64(write.key)
      touched |= slots[Int(hash >> shift)]
      hashes.append(hash)
    }
    // Always true, and too dear for the optimizer to prove: the loads stay.
    return touched | 1 > 0 ? hashes : []
  }

  /// Takes one write in whose key has this hash.
  @inline(__always)
  mutating func merge(_ write: borrowing WriteView, hash: UInt64) -> MergeResult {
    let (slot, found) = find(write.key, hash: hash)
    guard found else { return insert(write, hash: hash, slot: slot) }
    return replace(write, slot: slot)
  }

  /// Comes before every change of a record, and not sooner: a copy that is told nothing new shares its memory.
  private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = RecordStorage(copying: storage) }
  }

  private mutating func insert(_ write: borrowing WriteView, hash: UInt64, slot: Int) -> MergeResult {
    let capacity = Record.contentWords(write.key.count + write.value.count)
    guard count < Limits.registers, hasRoom(words: capacity), let number = number(of: write.replica)
    else { return .full }
    makeUnique()
    let name = storage.allocate(Record.headerWords + capacity)
    let record = Record(words: storage[name])
    record.fill(write, replica: number, capacityWords: capacity)
    digest.add(record.digest)
    link(name, record, number: number)
    slots[slot] = hash & 0xffff_ffff_0000_0000 | UInt64(name)
    count += 1
    if count * 5 > slots.count * 4 { grow() }
    return .won
  }

  private mutating func replace(_ write: borrowing WriteView, slot: Int) -> MergeResult {
    var name = UInt32(truncatingIfNeeded: slots[slot])
    var record = Record(words: storage[name])
    guard record.isBeaten(by: write, numbers: replicas) else { return .known }
    let needed = Record.contentWords(write.key.count + write.value.count)
    guard needed <= record.capacityWords || hasRoom(words: needed), let number = number(of: write.replica)
    else { return .full }
    makeUnique()
    record = Record(words: storage[name])
    digest.subtract(record.digest)
    unlink(name, record)
    if needed > record.capacityWords {
      record.markMoved()
      deadWords += Record.headerWords + record.capacityWords
      name = storage.allocate(Record.headerWords + needed)
      record = Record(words: storage[name])
      slots[slot] = slots[slot] & 0xffff_ffff_0000_0000 | UInt64(name)
      record.fill(write, replica: number, capacityWords: needed)
    } else {
      record.fill(write, replica: number, capacityWords: record.capacityWords)
    }
    digest.add(record.digest)
    link(name, record, number: number)
    return .won
  }

  /// Whether so many registers, with so many bytes of keys and values, could be added.
  func hasRoom(forRegisters more: Int, bytes: Int) -> Bool {
    // Twice, for the words that stay unused at the ends of pages.
    count + more <= Limits.registers
      && hasRoom(words: 2 * (more * (Record.headerWords + 1) + Record.contentWords(bytes)))
  }

  private func hasRoom(words: Int) -> Bool {
    (storage.usedWords + RecordStorage.pageWords + words) * 8 <= Limits.recordBytes
  }

  private mutating func number(of replica: ReplicaID) -> Int? {
    // Few replicas, and the last one asked for is nearly always the next one too.
    if let number = replicas.lastIndex(of: replica) { return number }
    guard replicas.count < Limits.replicas else { return nil }
    replicas.append(replica)
    lists.append(List())
    return replicas.count - 1
  }
}

// MARK: - The index by dot

extension RegisterMap {
  private mutating func link(_ name: UInt32, _ record: Record, number: Int) {
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
  }

  private mutating func unlink(_ name: UInt32, _ record: Record) {
    let (previous, next, number) = (record.previous, record.next, record.replica)
    if previous == 0 { lists[number].first = next } else { Record(words: storage[previous]).next = next }
    if next == 0 { lists[number].last = previous } else { Record(words: storage[next]).previous = previous }
  }

  /// Puts every list into the order of sequences again.
  private mutating func sortLists() {
    for number in lists.indices where !lists[number].isSorted {
      makeUnique()
      // With the sequences beside the names, sorting does not reach for the records again and again.
      let ordered = names(in: lists[number]).map { (sequence: Record(words: storage[$0]).sequence, name: $0) }
        .sorted { $0.sequence < $1.sequence }
      lists[number] = List()
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

  /// Adds what a register holds now to a batch.
  package func append(_ name: UInt32, to batch: inout WriteBatch) {
    var record = Record(words: storage[name])
    if record.isMoved {
      let (slot, found) = find(record.key, hash: SipHash.hash64(record.key))
      guard found else { return }
      record = Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])])
    }
    withView(of: record) { batch.append($0) }
  }

  private func withView<Result>(of record: Record, _ body: (borrowing WriteView) -> Result) -> Result {
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
    lists = Array(repeating: List(), count: lists.count)
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
    let hash = SipHash.hash64(record.key)
    let (slot, _) = find(record.key, hash: hash)
    slots[slot] = hash & 0xffff_ffff_0000_0000 | UInt64(name)
    link(name, record, number: number)
  }
}

// MARK: - The index by key

extension RegisterMap {
  /// The stamp and value of a register; nil when it was never written.
  package func register(_ key: [UInt8]) -> (stamp: Stamp, value: [UInt8])? {
    key.withUnsafeBytes { key in
      let (slot, found) = find(key, hash: SipHash.hash64(key))
      guard found else { return nil }
      let record = Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])])
      return (record.stamp, Array(record.value))
    }
  }

  /// Whether this very write stands in its register.
  package func holds(_ write: borrowing WriteView) -> Bool {
    let (slot, found) = find(write.key, hash: SipHash.hash64(write.key))
    guard found else { return false }
    let record = Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])])
    return record.stamp == write.stamp && record.sequence == write.sequence
      && replicas[record.replica] == write.replica
  }

  /// Calls `body` with every register, in no order that means anything.
  package func forEach(_ body: (borrowing WriteView) -> Void) {
    forEach(in: KeyRange.all, body)
  }

  /// Calls `body` with the registers of a range of key hashes.
  package func forEach(in range: KeyRange, _ body: (borrowing WriteView) -> Void) {
    forEachRecord(in: range) { withView(of: $0, body) }
  }

  /// Number and digest of the registers in a range of key hashes.
  package func summary(of range: KeyRange) -> RangeDigest {
    var (count, digest) = (UInt64(0), Digest())
    forEachRecord(in: range) {
      count += 1
      digest.add($0.digest)
    }
    return RangeDigest(range: range, count: count, digest: digest)
  }

  private func forEachRecord(in range: KeyRange, _ body: (Record) -> Void) {
    var slot = Int(range.prefix >> shift)
    let home = Int(range.last >> shift)
    // Probing may have pushed a record past its home, up to the next empty slot, and past the end to the beginning.
    var visited = 0
    while visited < slots.count {
      let content = slots[slot]
      if content == 0, visited > home - Int(range.prefix >> shift) { return }
      if content != 0, range.contains(content & 0xffff_ffff_0000_0000) {
        body(Record(words: storage[UInt32(truncatingIfNeeded: content)]))
      }
      slot = (slot + 1) & (slots.count - 1)
      visited += 1
    }
  }

  /// The slot of a key, or the empty slot where it belongs.
  @inline(__always)
  private func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> (slot: Int, found: Bool) {
    let tag = hash >> 32
    var slot = Int(hash >> shift)
    while true {
      let content = slots[slot]
      if content == 0 { return (slot, false) }
      if content >> 32 == tag, isEqual(Record(words: storage[UInt32(truncatingIfNeeded: content)]).key, key) {
        return (slot, true)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  private func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: old.count * 2)
    shift -= 1
    for content in old where content != 0 {
      var slot = Int((content & 0xffff_ffff_0000_0000) >> shift)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = content
    }
  }
}

extension KeyRange {
  /// Every key.
  package static let all = KeyRange(depth: 0, prefix: 0)

  /// The greatest hash of the range.
  var last: UInt64 { depth == 0 ? .max : prefix | (depth == 64 ? 0 : UInt64.max >> UInt64(depth)) }

  /// Whether a hash (of which the first 32 bits count) is in the range.
  func contains(_ hash: UInt64) -> Bool { hash >= prefix & 0xffff_ffff_0000_0000 && hash <= last }

  /// The sixteen ranges that this one is made of; none below 32 bits.
  package var children: [KeyRange] {
    guard depth <= 28 else { return [] }
    return (0..<16).map { KeyRange(depth: depth + 4, prefix: prefix | $0 << UInt64(60 - depth)) }
  }
}

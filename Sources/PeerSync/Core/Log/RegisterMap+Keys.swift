// The index by key: one table in the order of key hashes.
extension RegisterMap {
  /// What a register holds; nil when it was never written.
  package subscript(register: RegisterID) -> Write? {
    let (slot, found) = find(register)
    guard found else { return nil }
    return withView(of: Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])])) { Write($0) }
  }

  /// The name by which a register is found; nil when it holds nothing.
  func name(of register: RegisterID) -> UInt32? {
    let (slot, found) = find(register)
    return found ? UInt32(truncatingIfNeeded: slots[slot]) : nil
  }

  /// Calls `body` with what the registers under a key hold: of what devices decide one of each author that wrote it.
  package func forEach(under key: [UInt8], _ body: (borrowing WriteView) -> Void) {
    key.withUnsafeBytes { key in
      let hash = SipHash.hash64(key)
      guard RegisterKind.isDecision(key) else {
        // Any author's: there is one.
        let (slot, found) = find(key, by: ReplicaID(high: 0, low: 0), hash: hash)
        if found { withView(of: Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])]), body) }
        return
      }
      for author in replicas {
        let (slot, found) = find(key, by: author, hash: RegisterID.hash(hash, by: author))
        if found { withView(of: Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])]), body) }
      }
    }
  }

  /// The value of a register of all; nil when it was never written.
  package func value(_ key: [UInt8]) -> [UInt8]? {
    var value: [UInt8]?
    forEach(under: key) { value = Array($0.value) }
    return value
  }

  /// Whether this very write stands in its register.
  package func holds(_ write: borrowing WriteView) -> Bool {
    let (slot, found) = find(of: write)
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
      digest.add($0.digest(by: replicas[$0.replica]))
    }
    return RangeDigest(range: range, count: count, digest: digest)
  }

  /// The names of the registers in a range of key hashes.
  func names(in range: KeyRange) -> [UInt32] {
    var names: [UInt32] = []
    forEachName(in: range) { names.append($0) }
    return names
  }

  private func forEachRecord(in range: KeyRange, _ body: (Record) -> Void) {
    forEachName(in: range) { body(Record(words: storage[$0])) }
  }

  private func forEachName(in range: KeyRange, _ body: (UInt32) -> Void) {
    var slot = Int(range.prefix >> shift)
    let home = Int(range.last >> shift)
    // Probing may have pushed a record past its home, up to the next empty slot, and past the end to the beginning.
    var visited = 0
    while visited < slots.count {
      let content = slots[slot]
      if content == 0, visited > home - Int(range.prefix >> shift) { return }
      if content != 0, range.contains(content & 0xffff_ffff_0000_0000) {
        body(UInt32(truncatingIfNeeded: content))
      }
      slot = (slot + 1) & (slots.count - 1)
      visited += 1
    }
  }

  /// The slot of the register of a write, or the empty slot where it belongs.
  func find(of write: borrowing WriteView) -> (slot: Int, found: Bool) {
    find(write.key, by: write.replica, hash: RegisterID.hash(of: write.key, by: write.replica))
  }

  /// The slot of a register that is here, by its name.
  func slot(of name: UInt32, holding key: UnsafeRawBufferPointer, by author: ReplicaID) -> Int {
    var slot = Int(RegisterID.hash(of: key, by: author) >> shift)
    while UInt32(truncatingIfNeeded: slots[slot]) != name { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  /// The slot of a register, or the empty slot where it belongs.
  func find(_ register: RegisterID) -> (slot: Int, found: Bool) {
    let author = register.author ?? ReplicaID(high: 0, low: 0)
    return register.key.withUnsafeBytes { find($0, by: author, hash: RegisterID.hash(of: $0, by: author)) }
  }

  /// The slot of a register, or the empty slot where it belongs.
  ///
  /// - Parameter hash: see ``RegisterID/hash(of:by:)``
  @inline(__always)
  func find(_ key: UnsafeRawBufferPointer, by author: ReplicaID, hash: UInt64) -> (slot: Int, found: Bool) {
    let tag = hash >> 32
    var slot = Int(hash >> shift)
    while true {
      let content = slots[slot]
      if content == 0 { return (slot, false) }
      if content >> 32 == tag {
        let record = Record(words: storage[UInt32(truncatingIfNeeded: content)])
        let isOfAll = !RegisterKind.isDecision(key)
        if record.key.hasSameBytes(as: key), isOfAll || replicas[record.replica] == author {
          return (slot, true)
        }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  mutating func grow() {
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

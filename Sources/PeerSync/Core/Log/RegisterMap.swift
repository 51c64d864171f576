/// All registers of one device: a map of last-writer-wins registers, indexed by key (of decisions by key and author) and by dot.
///
/// Flat on purpose: a register is one ``Record`` in shared pages, the key index is one open-addressed table ordered by
/// key hash (so that a range of hashes is a range of slots), and the index by dot is a list through the records of each
/// replica in the order of their sequences (so that a delta is the end of a list). Merging allocates nothing per write.
package struct RegisterMap: Sendable {
  /// A slot is the upper half of the key's hash and the record, or 0.
  var slots: [UInt64] = Array(repeating: 0, count: 64)
  var shift: UInt64 = 58
  var storage = RecordStorage()
  /// Words of records that have moved: what a compaction would win.
  var deadWords = 0
  var lists: [List] = []

  /// How many registers there are.
  package private(set) var count = 0
  /// Fingerprint of all registers.
  package private(set) var digest = Digest()
  /// The replicas whose writes are or were here; a record names its replica by the place in this list.
  package private(set) var replicas: [ReplicaID] = []

  /// Another one whenever ``owners`` are others.
  package private(set) var ownersVersion: UInt64 = 0

  /// The records of one replica.
  struct List {
    var first: UInt32 = 0
    var last: UInt32 = 0
    var count = 0
    /// How many of the registers are the replica's alone. Which those are a write that replaces another one never changes.
    var owned = 0
    /// Whether the list is in the order of sequences. Writes that come late break it until someone needs the order.
    var isSorted = true
  }

  package init() {}

  /// How many registers hold writes of a replica.
  package func count(of replica: ReplicaID) -> Int {
    replicas.lastIndex(of: replica).map { lists[$0].count } ?? 0
  }

  /// The replicas that have registers of their own: of decisions, and of numbers of credits.
  package var owners: Set<ReplicaID> {
    Set(replicas.indices.filter { lists[$0].owned > 0 }.map { replicas[$0] })
  }

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

/// Is shown each write that is about to leave its register.
protocol ReplacementWitness {
  mutating func willReplace(_ old: borrowing WriteView)
}

/// Looks away.
struct NoWitness: ReplacementWitness {
  func willReplace(_ old: borrowing WriteView) {}
}

extension RegisterMap {
  /// Takes one write in.
  package mutating func merge(_ write: borrowing WriteView) -> MergeResult {
    var nobody = NoWitness()
    return merge(write, hash: RegisterID.hash(of: write.key, by: write.replica), &nobody)
  }

  /// The hash of a write's register, for ``merge(_:hash:_:)``.
  ///
  /// Reads the slot on the way. The slots of random keys are rarely in the processor's cache, and loads that do
  /// not depend on each other are fetched side by side, where merging would wait for one after another.
  ///
  /// - Parameter touched: takes in what was read, so that the optimizer keeps it
  @inline(__always)
  func hash(of write: borrowing WriteView, _ touched: inout UInt64) -> UInt64 {
    let hash = RegisterID.hash(of: write.key, by: write.replica)
    touched |= slots[Int(hash >> shift)]
    return hash
  }

  /// Takes one write in whose register has this hash.
  @inline(__always)
  mutating func merge(_ write: borrowing WriteView, hash: UInt64, _ witness: inout some ReplacementWitness)
    -> MergeResult
  {
    let (slot, found) = find(write.key, by: write.replica, hash: hash)
    guard found else { return insert(write, hash: hash, slot: slot) }
    let record = Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])])
    guard record.isBeaten(by: write, numbers: replicas) else { return .known }
    return replace(write, slot: slot, &witness)
  }

  /// Whether a write would win its register.
  func isBeaten(by write: borrowing WriteView) -> Bool {
    let (slot, found) = find(of: write)
    guard found else { return true }
    return Record(words: storage[UInt32(truncatingIfNeeded: slots[slot])])
      .isBeaten(by: write, numbers: replicas)
  }

  /// Comes before every change of a record, and not sooner: a copy that is told nothing new shares its memory.
  mutating func makeUnique() {
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
    digest.add(record.digest(by: write.replica))
    link(name, record, number: number)
    if RegisterKind.isOwned(write.key) {
      lists[number].owned += 1
      if lists[number].owned == 1 { ownersVersion += 1 }
    }
    slots[slot] = hash & 0xffff_ffff_0000_0000 | UInt64(name)
    count += 1
    if count * 5 > slots.count * 4 { grow() }
    return .won
  }

  @inline(__always)
  private mutating func replace(
    _ write: borrowing WriteView, slot: Int, _ witness: inout some ReplacementWitness
  ) -> MergeResult {
    var name = UInt32(truncatingIfNeeded: slots[slot])
    var record = Record(words: storage[name])
    let needed = Record.contentWords(write.key.count + write.value.count)
    guard needed <= record.capacityWords || hasRoom(words: needed), let number = number(of: write.replica)
    else { return .full }
    makeUnique()
    record = Record(words: storage[name])
    withView(of: record) { witness.willReplace($0) }
    digest.subtract(record.digest(by: replicas[record.replica]))
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
    digest.add(record.digest(by: write.replica))
    link(name, record, number: number)
    return .won
  }

  /// Takes a register out, whatever it holds.
  package mutating func remove(_ register: RegisterID) {
    let (slot, found) = find(register)
    if found { remove(at: slot) }
  }

  /// Takes the registers out that hold a replica's writes beyond a sequence.
  ///
  /// - Parameter body: is called with what each of them holds, before the witness is
  mutating func removeAll(
    of replica: ReplicaID, beyond sequence: UInt64, _ witness: inout some ReplacementWitness,
    _ body: (borrowing WriteView) -> Void
  ) {
    for name in names(of: replica, beyond: sequence) {
      let record = Record(words: storage[name])
      withView(of: record) { write in
        body(write)
        witness.willReplace(write)
      }
      remove(at: slot(of: name, holding: record.key, by: replica))
    }
  }

  private mutating func remove(at slot: Int) {
    makeUnique()
    let name = UInt32(truncatingIfNeeded: slots[slot])
    let record = Record(words: storage[name])
    digest.subtract(record.digest(by: replicas[record.replica]))
    unlink(name, record)
    if RegisterKind.isOwned(record.key) {
      lists[record.replica].owned -= 1
      if lists[record.replica].owned == 0 { ownersVersion += 1 }
    }
    record.markMoved()
    deadWords += Record.headerWords + record.capacityWords
    count -= 1
    vacate(slot)
  }

  /// Empties a slot. What was pushed past it moves back, so that no search ends too early.
  private mutating func vacate(_ slot: Int) {
    let mask = slots.count - 1
    var (hole, next) = (slot, (slot + 1) & mask)
    while slots[next] != 0 {
      let home = Int((slots[next] & 0xffff_ffff_0000_0000) >> shift)
      // How far the content has been pushed, and how far it would be from home in the hole.
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
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
    guard replicas.count < Limits.replicas else {
      // Of some nothing may be left: all of it was replaced, or was void.
      guard let number = lists.firstIndex(where: { $0.first == 0 }) else { return nil }
      replicas[number] = replica
      lists[number] = List()
      return number
    }
    replicas.append(replica)
    lists.append(List())
    return replicas.count - 1
  }
}

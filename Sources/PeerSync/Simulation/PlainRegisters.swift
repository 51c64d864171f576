import PeerSyncCore

/// Registers as a plain dictionary that takes what it is given, as real storage does: of two writes of one register the
/// one that comes later stays. The slow twin of ``RegisterMap``, which decides by itself.
struct PlainRegisters {
  /// What the registers hold, in the order in which they were first written.
  private(set) var writes: [Write] = []
  private var places: [RegisterID: Int] = [:]
  /// Where they are in ``writes``, in the order of keys, in which every start of a device reads them.
  private var order: [Int] = []
  /// The digest, kept up as registers change so that looking at it after every step costs nothing.
  private(set) var digest = Digest()

  /// No decision was ever stamped later.
  private(set) var greatestDecision = Stamp(rawValue: 0)

  /// How many say that rights were taken over.
  private(set) var takings = 0

  var count: Int { writes.count }

  /// The writes in the order of keys: how real storage reads them back.
  var sorted: [Write] { order.map { writes[$0] } }

  /// What counts of the writes.
  func counted(_ counting: Counting) -> [Write] {
    writes.filter { write in
      write.withView { view in
        write.register.author == nil
          ? counting.includes(undecided: view) : counting.includes(view) { self[$0] != nil }
      }
    }
  }

  /// What a register holds; nil when it holds nothing.
  subscript(register: RegisterID) -> Write? { places[register].map { writes[$0] } }

  /// What tells of the registers without showing them.
  struct Summary: Equatable {
    fileprivate(set) var count: Int
    fileprivate(set) var digest: Digest
  }

  var summary: Summary { Summary(count: count, digest: digest) }

  /// The summary of these registers once they have taken batches: in proportion to the batches, not to the registers.
  func summary(taking batches: some Sequence<WriteBatch>) -> Summary {
    var summary = summary
    var taken: [RegisterID: Digest] = [:]
    for write in batches.lazy.flatMap(\.writes) {
      let digest = write.digest
      if let former = taken.updateValue(digest, forKey: write.register) ?? self[write.register]?.digest {
        summary.digest.subtract(former)
      } else {
        summary.count += 1
      }
      summary.digest.add(digest)
    }
    return summary
  }

  mutating func take(_ batches: some Sequence<WriteBatch>) {
    for batch in batches {
      for write in batch.writes { take(write) }
    }
  }

  private mutating func take(_ write: Write) {
    if write.register.author != nil { greatestDecision = max(greatestDecision, write.stamp) }
    digest.add(write.digest)
    if let place = places[write.register] {
      digest.subtract(writes[place].digest)
      writes[place] = write
    } else {
      places[write.register] = writes.count
      order.insert(writes.count, at: placeInOrder(of: write.register))
      writes.append(write)
      if write.isTaking { takings += 1 }
    }
  }

  /// Empties registers.
  mutating func remove(_ registers: [RegisterID]) {
    for register in registers {
      guard let place = places.removeValue(forKey: register) else { continue }
      order.remove(at: placeInOrder(of: register))
      digest.subtract(writes[place].digest)
      if writes[place].isTaking { takings -= 1 }
      // The last one takes its place.
      let last = writes.count - 1
      if place < last {
        order[placeInOrder(of: writes[last].register)] = place
        places[writes[last].register] = place
        writes.swapAt(place, last)
      }
      writes.removeLast()
    }
  }

  private func placeInOrder(of register: RegisterID) -> Int {
    order.partitionPoint { writes[$0].register >= register }
  }

  /// The digest by its definition: what ``digest`` must be.
  var digestFromScratch: Digest { writes.reduce(into: Digest()) { $0.add($1.digest) } }

  /// The fault of ``Sabotage/rot``: a value that no view shows changes behind the digest's back.
  ///
  /// - Returns: whether there is one
  mutating func rot() -> Bool {
    guard let place = writes.firstIndex(where: { $0.key.first == RegisterKind.value.rawValue }) else {
      return false
    }
    writes[place].value.append(0)
    return true
  }
}

extension Write {
  fileprivate var isTaking: Bool { withView { RegisterKey.taking($0) != nil } }
}

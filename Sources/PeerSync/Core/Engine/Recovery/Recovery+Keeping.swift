// Which of the store's items outlive the removal of whoever wrote them. They count whoever wrote them, and are written again; but a member
// can make up as many as there is room for, and they would fill a ledger for good.
extension Recovery {
  /// Of writes that are void now those that this device writes again: its own, the items of the store that count here, and their parts. Of
  /// others' items that say the same one, for a signature can be packed in many ways; of those about one subject the newest,
  /// ``Limits/itemsOfSubject`` at most; and of those that do not count here, which another device may trust, as many as this device has
  /// written ``Limits/doubtfulItems`` with, whenever that was.
  static func worthKeeping(_ writes: [Write], _ holdings: inout Holdings) -> [Write] {
    let own = Set(holdings.replica.replicas(of: holdings.key))
    let others = writes.filter { !own.contains($0.dot.replica) }
    guard !others.isEmpty else { return writes }
    let items = others.filter(isItem).sorted { ($1.stamp, $1.register) < ($0.stamp, $0.register) }
    let left = Dictionary(others.filter(isPart).map { ($0.key, $0.value) }) { first, _ in first }
    var kept: [Write] = []
    var (said, doubtful) = (SaidByStore(), items.isEmpty ? 0 : doubtfulItems(of: own, writes, &holdings))
    for item in items {
      if let payload = payload(of: item, left, &holdings) {
        guard said.insert(payload.payload, of: payload.subject) else { continue }
      } else {
        doubtful += 1
        guard doubtful <= Limits.doubtfulItems else { continue }
      }
      kept.append(item)
    }
    let registers = Set(kept.map(\.register))
    let needed = left.isEmpty ? [] : neededParts(of: kept, left, holdings)
    return writes.filter { write in
      own.contains(write.dot.replica)
        || (isPart(write) ? needed.contains(write.key) : registers.contains(write.register))
    }
  }

  /// How many items that do not count here this device has written itself, those that are void now included.
  private static func doubtfulItems(
    of own: Set<ReplicaID>, _ void: [Write], _ holdings: inout Holdings
  ) -> Int {
    let registers = holdings.replica.registers
    let standing = own.flatMap { life in
      registers.writes(of: life, beyond: 0) { key in
        key.first.flatMap { RegisterKind(rawValue: $0) }?.isSignedByStore ?? false
      }
    }
    let items = (standing + void.filter { own.contains($0.dot.replica) }).filter(isItem)
    return items.filter { payload(of: $0, [:], &holdings) == nil }.count
  }

  /// What the store says in an item, as far as that counts here.
  ///
  /// - Parameter left: parts that are void now
  private static func payload(
    of item: Write, _ left: [[UInt8]: [UInt8]], _ holdings: inout Holdings
  ) -> (subject: StoreSubject, payload: StorePayload)? {
    let registers = holdings.replica.registers
    return holdings.ledgerCache.payload(of: item, trusting: holdings.trustedRoots) {
      left[$0.encoded] ?? registers.value($0.encoded)
    }
  }

  /// The parts that items name: those that are kept, and those of others.
  private static func neededParts(
    of kept: [Write], _ left: [[UInt8]: [UInt8]], _ holdings: Holdings
  ) -> Set<[UInt8]> {
    var parts = StoreParts()
    holdings.replica.registers.forEach { write in
      guard let kind = write.key.first, RegisterKind(rawValue: kind)?.isSignedByStore ?? false else { return }
      parts.note(Array(write.key), Array(write.value))
    }
    for (key, value) in left { parts.note(key, value) }
    for item in kept { parts.note(item.key, item.value) }
    return parts.needed
  }

  private static func isItem(_ write: Write) -> Bool {
    RegisterKind.isSignedByStore(write.key) && !isPart(write)
  }

  private static func isPart(_ write: Write) -> Bool { write.key.first == RegisterKind.storePart.rawValue }
}

/// What the store has said, the newest first.
private struct SaidByStore {
  private var payloads: [StoreSubject: Set<StorePayload>] = [:]

  /// - Returns: whether it is new, and there is room for it
  mutating func insert(_ payload: StorePayload, of subject: StoreSubject) -> Bool {
    guard payloads[subject, default: []].count < Limits.itemsOfSubject else { return false }
    return payloads[subject, default: []].insert(payload).inserted
  }
}

/// The parts of which items of the store are made, by the keys of their registers.
private struct StoreParts {
  /// What items name.
  private var named: Set<[UInt8]> = []
  /// What the templates name that items may name.
  private var chains: [[UInt8]: [UInt8]] = [:]

  /// Takes in a register of an item or of a part.
  mutating func note(_ key: [UInt8], _ value: [UInt8]) {
    if key.first != RegisterKind.storePart.rawValue {
      guard case .compact(let template, _, _)? = try? StoreItem.decode(value[...]).0 else { return }
      named.insert(RegisterKey.storePart(template).encoded)
    } else if case .template(let template)? = try? StorePart(decoding: value) {
      chains[key] = RegisterKey.storePart(template.chain).encoded
    }
  }

  /// What items name, and the chains of it.
  var needed: Set<[UInt8]> { named.union(named.compactMap { chains[$0] }) }
}

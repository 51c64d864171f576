// Which of the store's items outlive the removal of whoever wrote them. They count whoever wrote them, and are written again; but a member
// can make up as many as there is room for, and they would fill a ledger for good.
extension Recovery {
  /// Of writes that are void now those that this device writes again: its own, the items of the store that count here, and their parts. Of
  /// others' items that do not count here, which another device may trust, ``Limits/doubtfulItems`` at most.
  static func worthKeeping(_ writes: [Write], _ holdings: inout Holdings) -> [Write] {
    let own = Set(holdings.replica.replicas(of: holdings.key))
    let others = writes.filter { !own.contains($0.dot.replica) }
    // As many as this any device may leave behind.
    guard others.count > Limits.doubtfulItems else { return writes }
    var parts = StoreParts()
    let registers = holdings.replica.registers
    registers.forEach { write in
      guard let kind = write.key.first, RegisterKind(rawValue: kind)?.isSignedByStore ?? false else { return }
      parts.note(Array(write.key), Array(write.value))
    }
    for write in others where isPart(write) { parts.note(write.key, write.value) }
    let left = Dictionary(others.filter(isPart).map { ($0.key, $0.value) }) { first, _ in first }
    var kept: Set<RegisterID> = []
    var doubtful = 0
    for item in others where !isPart(item) {
      let isVerified = holdings.ledgerCache.isVerified(item, trusting: holdings.trustedRoots) {
        left[$0.encoded] ?? registers.value($0.encoded)
      }
      if !isVerified { doubtful += 1 }
      guard isVerified || doubtful <= Limits.doubtfulItems else { continue }
      kept.insert(item.register)
      parts.note(item.key, item.value)
    }
    let needed = parts.needed
    return writes.filter { write in
      own.contains(write.dot.replica)
        || (isPart(write) ? needed.contains(write.key) : kept.contains(write.register))
    }
  }

  private static func isPart(_ write: Write) -> Bool { write.key.first == RegisterKind.storePart.rawValue }
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

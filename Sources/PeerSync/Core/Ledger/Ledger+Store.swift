extension Ledger {
  /// Takes in a register as bytes. Transactions count if their signature does.
  ///
  /// - Parameter register: the value of another register
  package mutating func apply(
    key: ArraySlice<UInt8>, value: ArraySlice<UInt8>, stamp: Stamp, _ reader: inout StoreReader,
    register: (RegisterKey) -> [UInt8]?
  ) {
    guard key.first == RegisterKind.transaction.rawValue, let name = try? RegisterKey(decoding: key) else {
      return apply(key: key, value: value, stamp: stamp)
    }
    apply(reader.read(name, value: value, stamp: stamp, register: register), at: name, stamp: stamp)
  }

  /// Takes in what one item about a transaction says. An item never changes, but one that lacked a part may be read again.
  package mutating func apply(_ reading: StoreReading, at key: RegisterKey, stamp: Stamp) {
    guard case .transaction(_, _, _, _, let item) = key, let subject = StoreSubject(key) else { return }
    let name = TransactionKey(subject)
    switch reading {
    case .verified(let transaction):
      note(nil, of: item, at: name)
      take(Snapshot(value: transaction, stamp: stamp, rejection: nil), at: name)
    case .refused(let reason, let claimed):
      note(reason, of: item, at: name)
      guard let claimed else { return }
      take(Snapshot(value: claimed, stamp: stamp, rejection: reason), at: name)
    }
  }

  private mutating func note(_ reason: JWSRejection?, of item: StoreItemID, at name: TransactionKey) {
    guard reason != nil || refused[name] != nil else { return }
    refused[name, default: [:]][item] = reason
    if refused[name]?.isEmpty == true { refused[name] = nil }
  }

  /// Why items about transactions of this environment and app do not count, most frequent reason first, then by its words.
  package var refusals: [(reason: JWSRejection, count: Int)] {
    var counts: [JWSRejection: Int] = [:]
    for (key, items) in refused where isOwn(key) {
      for reason in items.values { counts[reason, default: 0] += 1 }
    }
    return counts.map { ($0.key, $0.value) }.sorted { left, right in
      left.1 == right.1 ? Name("\(left.0)") < Name("\(right.0)") : left.1 > right.1
    }
  }
}

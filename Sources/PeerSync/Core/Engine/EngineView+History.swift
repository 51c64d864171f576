// What has happened, as the registers and the records held now tell it.
extension EngineView {
  /// The newest of all that is known to have happened and still counts, the newest last.
  ///
  /// What an author has decided anew under a key has taken the place of what it decided before; of spends the last of each device
  /// are remembered.
  ///
  /// - Parameters:
  ///   - since: what happened before that is left out, and what nobody knows the time of
  ///   - limit: how many at most
  package mutating func history(since: Instant? = nil, atMost limit: Int) -> [Occurrence] {
    let records = ledger { $0.transactions() }
    var newest = NewestOccurrences(atMost: limit, since: since)
    for record in records { occurrences(of: record).forEach { newest.add($0) } }
    let counting = engine.holdings.ledgerCache.counting
    engine.holdings.replica.registers.forEach { write in
      guard let kind = write.key.first.flatMap({ RegisterKind(rawValue: $0) }), !kind.isSignedByStore,
        counting.includes(undecided: write.key),
        !kind.isDecision
          || counting.includes(write, isDecidedAnew: { engine.holdings.replica.registers[$0] != nil })
      else { return }
      if let occurrence = occurrence(of: write) { newest.add(occurrence) }
    }
    membershipOccurrences().forEach { newest.add($0) }
    if let accepted = engine.timekeeper.trusted.accepted {
      newest.add(Occurrence(.accepted, .stated(accepted), by: engine.ownDevice))
    }
    return newest.sorted.map { withAuthor($0) }
  }

  /// The devices that made each transaction: who brought the first item about it that the store had signed.
  package func makers(of records: [TransactionRecord]) -> [MembershipGroup.Device?] {
    return records.map { maker($0, \.firstItem) }
  }

  /// What a register that has just been written says has happened; nil: nothing that a person would see.
  ///
  /// - Parameter dot: names the write. One that was replaced since says nothing
  package mutating func occurrence(at key: [UInt8], _ dot: Dot) -> Occurrence? {
    guard let name = try? RegisterKey(decoding: key[...]) else { return nil }
    if name.kind == .transaction {
      guard engine.holdings.replica.registers.author(under: key) == dot.replica,
        let record = ledger({ $0.transaction(at: name) }), record.item == name.item,
        record.transaction.isAccepted
      else { return nil }
      // The store signs what is known anew now and then: that is no news.
      let isNews = record.transaction.revocationDate != nil || record.firstItem == record.item
      return isNews ? occurrences(of: record).last.map { withAuthor($0) } : nil
    }
    var found: Occurrence?
    engine.holdings.replica.registers.forEach(under: key) { write in
      if write.replica == dot.replica, write.sequence == dot.sequence {
        found = occurrence(of: write)
      }
    }
    return found
  }

  // MARK: Registers

  /// The purchase, and the refund if there was one. Who made them is looked up for those that are told alone.
  private func occurrences(of record: TransactionRecord) -> [Occurrence] {
    let transaction = record.transaction
    let order = Array(record.reference.utf8)
    let bought = Occurrence(.bought(record), .stated(transaction.purchaseDate), by: nil, order: [0] + order)
    guard let date = transaction.revocationDate else { return [bought] }
    return [bought, Occurrence(.refunded(record), .stated(date), by: nil, order: [1] + order)]
  }

  private func withAuthor(_ occurrence: Occurrence) -> Occurrence {
    let device: MembershipGroup.Device?
    switch occurrence.what {
    case .bought(let record): device = maker(record, \.firstItem)
    case .refunded(let record): device = maker(record, \.item)
    default: return occurrence
    }
    return Occurrence(occurrence.what, occurrence.time, by: device, order: occurrence.order)
  }

  private func maker(
    _ record: TransactionRecord, _ item: KeyPath<TransactionRecord, StoreItemID?>
  ) -> MembershipGroup.Device? {
    record[keyPath: item].flatMap { item in
      engine.holdings.replica.registers.author(under: record.register(of: item).encoded).flatMap {
        engine.device(of: $0)
      }
    }
  }

  /// What a decision or a register of a credit says.
  private func occurrence(of write: borrowing WriteView) -> Occurrence? {
    guard let key = try? RegisterKey(decoding: Array(write.key)[...]),
      let fact = try? Fact(key: key, value: Array(write.value)[...])
    else { return nil }
    let dot = Dot(replica: write.replica, sequence: write.sequence)
    var author = write.replica
    let what: Occurrence.What
    switch fact {
    case .grant(let entitlement, _, let grant): what = .granted(entitlement: entitlement, grant)
    case .expiration(let line, let register): what = .dated(line: line, register)
    case .product(let product, _): what = .stated(product)
    case .other(.value(let name), let value): what = .set(key: name, value: value)
    case .credit(let credit, .spend(_, _, let spend)): what = .spent(spend, of: credit)
    case .credit(let credit, .spentAgain(let life, let spend, _)):
      what = .spent(spend, of: credit)
      author = life
    case .credit(let credit, .lost):
      what = .reclaimed(Int64(clamping: write.stamp.rawValue), of: credit)
    case .credit, .transaction, .other: return nil
    }
    let time: Occurrence.Time =
      key.kind.isDecision
      ? .stated(Instant(clamping: Int64(clamping: write.stamp.milliseconds)))
      : engine.holdings.history.hour(of: dot).map { .learned($0) } ?? .unknown(after: nil)
    return Occurrence(what, time, by: engine.device(of: author), order: Array(write.key))
  }

  // MARK: Members

  /// Who came and who was removed. No record says when.
  package func membershipOccurrences() -> [Occurrence] {
    let group = engine.group
    let devices = group.members + group.removed.map(\.device)
    let joined = devices.map { device in
      let host = device.host.flatMap { host in devices.first { $0.founding == host } }
      return Occurrence(
        .joined(device), learned(device, by: host), by: host, order: [0] + device.id.description.utf8)
    }
    let removed = group.removed.map { removed in
      let author = removed.records.first.flatMap { engine.roster.records[$0] }?.remover
      let after = removed.cuts.compactMap { engine.holdings.history.hour(of: $0) }.max()
      return Occurrence(
        .removed(removed.device), .unknown(after: after),
        by: devices.first { $0.founding == author }, order: [1] + removed.device.id.description.utf8)
    }
    return joined + removed
  }

  /// When this device first heard something of another one; of this one itself, of the member that took it in.
  private func learned(
    _ device: MembershipGroup.Device, by host: MembershipGroup.Device?
  ) -> Occurrence.Time {
    let met = device.key == engine.identity.key ? host ?? device : device
    let first = engine.holdings.replica.replicas(of: met.key).compactMap {
      engine.holdings.history.hour(of: Dot(replica: $0, sequence: 1))
    }.min()
    return first.map { .learned($0) } ?? .unknown(after: nil)
  }
}

extension RegisterMap {
  /// Who wrote what a register of all holds.
  fileprivate func author(under key: [UInt8]) -> ReplicaID? {
    var author: ReplicaID?
    forEach(under: key) { author = $0.replica }
    return author
  }
}

extension MembershipRecord {
  /// The founding of the device that removes; nil where a recovery key does: whoever has that may be anybody.
  fileprivate var remover: ContentHash? {
    if case .remove(let removal) = body, !removal.isByRecoveryKey { removal.author } else { nil }
  }
}

// What was sold, and which device bought it: as the store has signed it. Who wrote it down here says nothing: every device that
// listens to a store writes the same, and may write it again.
extension EngineView {
  /// The devices that bought, by the records.
  package func buyers(of records: [TransactionRecord]) -> [MembershipGroup.Device?] {
    records.map(Buyers(engine).device)
  }

  /// All that was sold, as far as it counts.
  package mutating func sales() -> Set<Sale> {
    ledger { ledger in Set(ledger.transactions().filter(\.transaction.isAccepted).flatMap(\.sales)) }
  }

  /// What the item of a register is about, as far as it counts.
  package mutating func sales(at item: [UInt8]) -> [Sale] {
    guard let key = try? RegisterKey(decoding: item[...]), let record = ledger({ $0.transaction(at: key) }),
      record.transaction.isAccepted
    else { return [] }
    return record.sales
  }

  /// How something that was sold stands in the history.
  package mutating func occurrence(of sale: Sale) -> Occurrence? {
    guard let record = ledger({ $0.transaction(sale.transaction.text) }) else { return nil }
    return zip(record.sales, occurrences(of: record)).first { $0.0 == sale }
      .map { withAuthor($0.1, Buyers(engine)) }
  }

  /// The purchase, and the refund if there was one. Who made them is looked up for those that are told alone.
  func occurrences(of record: TransactionRecord) -> [Occurrence] {
    let transaction = record.transaction
    let order = Array(record.reference.utf8)
    let bought = Occurrence(.bought(record), .stated(transaction.purchaseDate), by: nil, order: [0] + order)
    guard let date = transaction.revocationDate else { return [bought] }
    return [bought, Occurrence(.refunded(record), .stated(date), by: nil, order: [1] + order)]
  }

  mutating func withAuthor(_ occurrence: Occurrence, _ buyers: Buyers) -> Occurrence {
    let device: MembershipGroup.Device?
    switch occurrence.what {
    case .bought(let record): device = buyers.device(of: record)
    case .refunded(let record): device = refunder(of: record)
    default: return occurrence
    }
    return Occurrence(occurrence.what, occurrence.time, by: device, order: occurrence.order)
  }

  /// The device whose own store took a purchase back, as its signature says; nil: another store did, and does not say who asked.
  private mutating func refunder(of record: TransactionRecord) -> MembershipGroup.Device? {
    guard let item = record.item, let root = storeRoot(of: record.register(of: item))
    else { return nil }
    return engine.allDevices.first { engine.roster.records[$0.founding]?.storeRoot == root }
  }
}

/// Something that was sold, or taken back: a fact about a transaction, whoever tells of it and however often.
package struct Sale: Hashable, Sendable {
  /// See ``TransactionRecord/reference``.
  package let transaction: Name
  package let isRefund: Bool

  package init(transaction: Name, isRefund: Bool) {
    (self.transaction, self.isRefund) = (transaction, isRefund)
  }
}

extension TransactionRecord {
  /// The purchase, and the refund if there was one.
  fileprivate var sales: [Sale] {
    let states = transaction.revocationDate == nil ? [false] : [false, true]
    return states.map { Sale(transaction: Name(reference), isRefund: $0) }
  }
}

/// Which device has bought what. A purchase says itself for which life of a device it was made: the store has signed that as Apple's
/// `appAccountToken` ([D43]), and so every device names the same one. What the store renewed, or the family shares, no device bought.
struct Buyers {
  private let devices: [PublicKey: MembershipGroup.Device]
  private let keys: [CreditHolder: PublicKey]

  init(_ engine: Engine) {
    devices = Dictionary(engine.allDevices.map { ($0.key, $0) }) { first, _ in first }
    // A device may have bought before anything that it wrote has come.
    let present = engine.network.sessions.all.compactMap(\.peer).map { ($0.replica, $0.key) }
    let met =
      engine.holdings.replica.knownReplicas + [(engine.identity.replica, engine.identity.key)] + present
    keys = Dictionary(met.map { (CreditHolder($0.0), $0.1) }) { first, _ in first }
  }

  func device(of record: TransactionRecord) -> MembershipGroup.Device? {
    guard !record.transaction.isRenewal, record.transaction.ownership == .purchased else { return nil }
    if let id = record.device { return devices.values.first { $0.id == id } }
    return keys[record.transaction.issuedTo].flatMap { devices[$0] }
  }
}

extension MembershipRecord {
  /// The root of the device's own store, if it founds one that has one.
  fileprivate var storeRoot: ContentHash? {
    if case .found(let founding) = body { founding.storeRoot } else { nil }
  }
}

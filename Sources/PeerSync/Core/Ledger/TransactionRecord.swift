/// A transaction that the ledger holds.
public struct TransactionRecord: Hashable, Sendable {
  /// The newest snapshot.
  public let transaction: Transaction
  /// The device that recorded it, in the ``Environment/xcode`` environment alone.
  public let device: DeviceID?
  /// Why it does not count, of those whose signature was looked at.
  package var rejection: JWSRejection?
  /// The item that says it; nil: nobody signed it.
  package private(set) var item: StoreItemID?

  package init(transaction: Transaction, device: DeviceID?, rejection: JWSRejection? = nil) {
    self.transaction = transaction
    self.device = device
    self.rejection = rejection
  }

  init(_ snapshot: Snapshot<Transaction>, at key: TransactionKey) {
    self.init(transaction: snapshot.value, device: key.device, rejection: snapshot.rejection)
    item = snapshot.item
  }

  /// The register of an item about it.
  package func register(of item: StoreItemID) -> RegisterKey {
    .transaction(
      environment: transaction.environment, bundleId: transaction.bundleId,
      transactionId: transaction.transactionId, device: device, item: item)
  }

  /// How runs, expiration registers and grants name it: the store's id, in the ``Environment/xcode`` environment
  /// with `@` and the device behind it.
  public var reference: String {
    device.map { "\(transaction.transactionId)@\($0)" } ?? transaction.transactionId
  }

  /// By date, then by the bytes of the id, then by device: the order of the fold.
  func precedes(_ other: TransactionRecord) -> Bool {
    Purchase(transaction, device: device, period: nil).precedes(
      Purchase(other.transaction, device: other.device, period: nil))
  }
}

/// Names a transaction among all environments and apps, by bytes.
struct TransactionKey: Hashable, Sendable {
  let environment: Environment
  let bundleId: Name
  let id: Name
  /// Set in the ``Environment/xcode`` environment alone.
  let device: DeviceID?

  init(environment: Environment, bundleId: Name, id: Name, device: DeviceID?) {
    self.environment = environment
    self.bundleId = bundleId
    self.id = id
    self.device = environment == .xcode ? device ?? DeviceID(high: 0, low: 0) : nil
  }

  /// Looks first at what differs first: nearly all keys of a ledger are of one app.
  static func == (left: TransactionKey, right: TransactionKey) -> Bool {
    left.id == right.id && left.device == right.device && left.environment == right.environment
      && left.bundleId == right.bundleId
  }

  init(_ transaction: Transaction, device: DeviceID?) {
    self.init(
      environment: transaction.environment, bundleId: Name(transaction.bundleId),
      id: Name(transaction.transactionId), device: device)
  }

  init(_ subject: StoreSubject) {
    self.init(
      environment: subject.environment, bundleId: subject.bundleId, id: subject.id, device: subject.device)
  }
}

/// Names the purchase that restored transactions and renewals point at. Where ids are counted on each device, originals
/// are told apart by device as well.
package struct OriginalKey: Hashable, Sendable {
  let id: Name
  let device: DeviceID?

  package init(id: Name, device: DeviceID?) {
    self.id = id
    self.device = device
  }
}

// MARK: - Subjects

/// What items of the store are about: a transaction, or the renewal of a subscription. There may be several items of one
/// subject, such as a purchase and its refund.
package struct StoreSubject: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case transaction
    case renewalInfo
  }

  package let kind: Kind
  package let environment: Environment
  package let bundleId: Name
  /// The store's id of the transaction, or of the original one.
  package let id: Name
  /// The device that recorded it; in the ``Environment/xcode`` environment alone.
  package let device: DeviceID?

  private init(
    _ kind: Kind, _ environment: Environment, bundleId: String, id: String, device: DeviceID?
  ) {
    self.kind = kind
    self.environment = environment
    self.bundleId = Name(bundleId)
    self.id = Name(id)
    self.device = environment == .xcode ? device ?? DeviceID(high: 0, low: 0) : nil
  }

  /// A transaction, as the device records it.
  package init(_ transaction: Transaction, device: DeviceID?) {
    self.init(
      .transaction, transaction.environment, bundleId: transaction.bundleId, id: transaction.transactionId,
      device: device)
  }

  /// A renewal state. It names no app: that is an argument.
  package init(_ info: RenewalInfo, bundleId: String, device: DeviceID?) {
    self.init(
      .renewalInfo, info.environment, bundleId: bundleId, id: info.originalTransactionId, device: device)
  }

  /// What a payload is about; nil for a notification, which is about what it carries.
  ///
  /// - Parameter bundleId: the app that a renewal state is taken for
  package init?(_ payload: StorePayload, bundleId: String, device: DeviceID?) {
    switch payload {
    case .transaction(let transaction): self.init(transaction, device: device)
    case .renewalInfo(let info): self.init(info, bundleId: bundleId, device: device)
    case .notification: return nil
    }
  }

  /// What a register is about; nil for one that holds no item.
  package init?(_ key: RegisterKey) {
    switch key {
    case .transaction(let environment, let bundleId, let id, let device, _):
      self.init(.transaction, environment, bundleId: bundleId, id: id, device: device)
    case .renewalInfo(let environment, let bundleId, let id, let device, _):
      self.init(.renewalInfo, environment, bundleId: bundleId, id: id, device: device)
    default: return nil
    }
  }

  /// The register of one item.
  package func key(_ item: StoreItemID) -> RegisterKey {
    switch kind {
    case .transaction:
      .transaction(
        environment: environment, bundleId: bundleId.text, transactionId: id.text, device: device, item: item)
    case .renewalInfo:
      .renewalInfo(
        environment: environment, bundleId: bundleId.text, originalTransactionId: id.text, device: device,
        item: item)
    }
  }

  /// The register of an item with this value.
  package func key(of value: [UInt8], stamp: Stamp, _ cryptography: Cryptography) -> RegisterKey {
    key(StoreItemID(of: value, stamp: stamp, cryptography))
  }

  /// Whether the keys of its items are within the limits; see ``RegisterKey/isWithinLimits``.
  package var isWithinLimits: Bool { key(StoreItemID(high: 0, low: 0)).isWithinLimits }
}

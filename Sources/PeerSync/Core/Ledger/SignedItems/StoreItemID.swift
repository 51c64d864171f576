/// What a ``StoreItemID`` names.
public enum StoreItemKind: IdentifierKind {}

/// One item of the store by its content: the first half of the SHA-256 of a label, its stamp and its value. It is the end of
/// its register's key, so that nobody can put anything else into that register.
public typealias StoreItemID = Identifier<StoreItemKind>

extension StoreItemID {
  /// Keeps these hashes apart from all others, those of parts included.
  private static let label: StaticString = "PeerSync item"

  /// The name of an item.
  package init(of value: UnsafeRawBufferPointer, stamp: Stamp, _ cryptography: Cryptography) {
    let label = UnsafeRawBufferPointer(start: Self.label.utf8Start, count: Self.label.utf8CodeUnitCount)
    let size = label.count + 8 + value.count
    self = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      buffer.copyMemory(from: label)
      withUnsafeBytes(of: stamp.rawValue.bigEndian) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[label.count...]).copyMemory(from: $0)
      }
      UnsafeMutableRawBufferPointer(rebasing: buffer[(label.count + 8)...]).copyMemory(from: value)
      let hash = cryptography.hash(UnsafeRawBufferPointer(buffer))
      return StoreItemID(high: hash.words.0, low: hash.words.1)
    }
  }

  /// The name of an item.
  package init(of value: [UInt8], stamp: Stamp, _ cryptography: Cryptography) {
    self = value.withUnsafeBytes { StoreItemID(of: $0, stamp: stamp, cryptography) }
  }
}

// MARK: - Content and key

extension WriteView {
  /// Whether the write is what its key says. What is named by its content has to be that content: an item of the store with
  /// its stamp, or a part, which has the first of all stamps. The numbers of a credit are their author's alone. Writes of
  /// other kinds always are.
  package func fitsKey(_ cryptography: Cryptography) -> Bool {
    switch key.first.flatMap({ RegisterKind(rawValue: $0) }) {
    case .transaction, .renewalInfo:
      key.endsWith(StoreItemID(of: value, stamp: stamp, cryptography))
    case .storePart:
      key.count == 17 && stamp == Stamp(rawValue: 0) && key.endsWith(StorePart.id(of: value, cryptography))
    case .credit: RegisterKey.creditAuthor(of: key) == replica
    case .expiration, .grant, .product, .value, .deviceName, nil: true
    }
  }
}

extension LocalWrite {
  /// Whether the write is what its key says; see ``WriteView/fitsKey(_:)``. Only a device's own decisions go without a stamp.
  package func fitsKey(_ cryptography: Cryptography) -> Bool {
    guard RegisterKind.isSignedByStore(key) else { return true }
    guard let stamp else { return false }
    let dot = Dot(replica: ReplicaID(high: 0, low: 0), sequence: 0)
    return Write(key: key, stamp: stamp, value: value, dot: dot).withView { $0.fitsKey(cryptography) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the last 16 bytes, behind the kind, are an identifier.
  fileprivate func endsWith<Kind>(_ identifier: Identifier<Kind>) -> Bool {
    guard count > 16 else { return false }
    let high = loadUnaligned(fromByteOffset: count - 16, as: UInt64.self)
    let low = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    return identifier == Identifier(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }
}

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

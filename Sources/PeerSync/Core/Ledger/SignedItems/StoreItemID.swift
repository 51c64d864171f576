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
  /// its stamp, or a part, which has the first of all stamps. The numbers of a credit are their author's alone, and what is
  /// remembered of a spend can be read: else it would hide what it replaces. Writes of other kinds always are.
  package func fitsKey(_ cryptography: Cryptography) -> Bool {
    switch key.first.flatMap({ RegisterKind(rawValue: $0) }) {
    case .transaction, .renewalInfo:
      key.endsWith(StoreItemID(of: value, stamp: stamp, cryptography))
    case .storePart:
      key.count == 17 && stamp == Stamp(rawValue: 0) && key.endsWith(StorePart.id(of: value, cryptography))
    case .credit: RegisterKey.creditAuthor(of: key) == replica && (!RegisterKey.isOfSpend(key) || isSpend)
    case .expiration, .grant, .product, .value, .deviceName, nil: true
    }
  }

  /// Whether it is one of the spends of a life, of no more than the life had spent with it.
  private var isSpend: Bool {
    guard let key = try? RegisterKey(decoding: Array(key)[...]) else { return false }
    switch try? CreditEntry(key, value: Array(value)[...]) {
    case .spend(_, _, let spend), .spentAgain(_, let spend, _): return stamp.rawValue >= spend.amount
    default: return false
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

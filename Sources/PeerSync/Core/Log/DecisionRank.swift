extension Write {
  /// Whether it stands before another decision under the same key.
  func outranks(_ other: borrowing WriteView) -> Bool {
    withView { DecisionRank($0) > DecisionRank(other) }
  }
}

/// What orders the decisions of several authors under one key: of products first the version, then the stamp, the first byte of
/// the value, its hash and its bytes. Equal ranks have equal content.
struct DecisionRank: Comparable {
  /// Of the catalogue, for a product; elsewhere 0.
  let version: UInt64
  let stamp: Stamp
  private let first: UInt8
  private let hash: UInt64
  private let value: [UInt8]

  init(version: UInt64 = 0, stamp: Stamp, value: [UInt8]) {
    self.version = version
    self.stamp = stamp
    first = value.first ?? 0
    hash = value.withUnsafeBytes { SipHash.hash64($0) }
    self.value = value
  }

  /// - Parameter key: the encoded key that the value is written under
  init(key: some Collection<UInt8>, stamp: Stamp, value: [UInt8]) {
    let isProduct = key.first == RegisterKind.product.rawValue
    // What cannot be read counts nowhere.
    let version = isProduct ? (try? Product.version(of: value[...])) ?? 0 : 0
    self.init(version: version, stamp: stamp, value: value)
  }

  init(_ write: borrowing WriteView) {
    self.init(key: write.key, stamp: write.stamp, value: Array(write.value))
  }

  static func < (left: DecisionRank, right: DecisionRank) -> Bool {
    let order = (left.version, left.stamp, left.first, left.hash)
    let other = (right.version, right.stamp, right.first, right.hash)
    return order == other ? left.value.lexicographicallyPrecedes(right.value) : order < other
  }
}

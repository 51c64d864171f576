/// Which writes of what devices decide count on this device. Those that do not stay in their registers all the same: they are
/// told to others, and count once nothing stands against them any more.
package struct Counting: Hashable, Sendable {
  /// The replicas of this device, the one that it writes under first. What it decides counts for itself whatever the stamp is.
  package let own: [ReplicaID]
  /// The latest stamp that a clock may have given.
  package let ceiling: Stamp
  /// Of devices that were removed with some of what they had decided: the last decision of each replica that counts.
  package let last: [ReplicaID: UInt64]

  package init(own: [ReplicaID], ceiling: Stamp, last: [ReplicaID: UInt64] = [:]) {
    self.own = own
    self.ceiling = ceiling
    self.last = last
  }

  /// Whether a decision counts. What an earlier life of this device has stamped too far ahead does until this one has decided
  /// the same anew.
  ///
  /// - Parameter isDecidedAnew: whether a register of this device's present life holds something
  package func includes(_ write: borrowing WriteView, isDecidedAnew: (RegisterID) -> Bool) -> Bool {
    if !last.isEmpty, let last = last[write.replica], write.sequence > last { return false }
    if write.stamp <= ceiling { return true }
    guard let place = own.firstIndex(of: write.replica) else { return false }
    return place == 0 || !isDecidedAnew(RegisterID(key: Array(write.key), author: own[0]))
  }
}

extension RegisterMap {
  /// What counts under a key: the greatest of what its authors have decided. Nil when nothing does.
  package func standing(under key: [UInt8], _ counting: Counting) -> Write? {
    var standing: Write?
    forEach(under: key) { write in
      let isGreater =
        standing.map { held in held.withView { DecisionRank($0) < DecisionRank(write) } } ?? true
      if isGreater, counting.includes(write, isDecidedAnew: { self[$0] != nil }) { standing = Write(write) }
    }
    return standing
  }
}

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

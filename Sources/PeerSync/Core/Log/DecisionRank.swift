extension Write {
  /// Whether it stands before another decision under the same key.
  func outranks(_ other: borrowing WriteView) -> Bool {
    withView { DecisionRank($0) > DecisionRank(other) }
  }
}

/// What orders the decisions of several authors under one key: of products first the version, then the stamp, of products when the
/// entry begins to count, the first byte of the value, its hash and its bytes. Equal ranks have equal content.
package struct DecisionRank: Comparable, Sendable {
  /// Of the catalogue, for a product; elsewhere 0.
  package let version: UInt64
  /// Whether it is a product that somebody wrote again, to stand above what others had written.
  private let isAnswer: Bool
  let stamp: Stamp
  /// Since when an entry of a product counts, in milliseconds; elsewhere, and where it always does, the least there is. Of the
  /// entries that one catalogue states of a product the later one is the greater.
  private let from: Int64
  private let first: UInt8
  private let hash: UInt64
  private let value: [UInt8]

  init(
    version: UInt64 = 0, isAnswer: Bool = false, stamp: Stamp, from: Instant? = nil, value: [UInt8]
  ) {
    self.version = version
    self.isAnswer = isAnswer
    self.stamp = stamp
    self.from = from?.milliseconds ?? .min
    first = value.first ?? 0
    hash = value.withUnsafeBytes { SipHash.hash64($0) }
    self.value = value
  }

  /// - Parameter key: the encoded key that the value is written under
  package init(key: some Collection<UInt8>, stamp: Stamp, value: [UInt8]) {
    let isProduct = key.first == RegisterKind.product.rawValue
    // What cannot be read counts nowhere.
    let order = isProduct ? try? Product.order(of: value[...]) : nil
    self.init(
      version: order?.version ?? 0, isAnswer: order?.isAnswer ?? false, stamp: stamp, from: order?.from,
      value: value)
  }

  private init(_ rank: DecisionRank, version: UInt64) {
    self.version = version
    (isAnswer, stamp, from) = (rank.isAnswer, rank.stamp, rank.from)
    (first, hash, value) = (rank.first, rank.hash, rank.value)
  }

  /// Whether that version is what its author wrote, and not what it is raised to.
  package func states(_ version: UInt64) -> Bool {
    self.version == version && (!isAnswer || (try? Product.version(of: value[...])) == version)
  }

  /// The rank that counts among others: an answer is of one version more than the greatest of what was stamped before it, up to the
  /// greatest that there is. So it stands as long as what it answers counts, and keeps no later catalogue out once that does not.
  package func settled(among versions: StatedVersions) -> DecisionRank {
    guard isAnswer, let before = versions.greatest(before: stamp) else { return self }
    return DecisionRank(self, version: max(version, min(before + 1, UInt64(Limits.catalogueVersion))))
  }

  init(_ write: borrowing WriteView) {
    self.init(key: write.key, stamp: write.stamp, value: Array(write.value))
  }

  package static func < (left: DecisionRank, right: DecisionRank) -> Bool {
    let order = (left.version, left.stamp, left.from, left.first, left.hash)
    let other = (right.version, right.stamp, right.from, right.first, right.hash)
    return order == other ? left.value.precedes(right.value) : order < other
  }
}

/// Which versions are stated of one product, by when that was.
package struct StatedVersions {
  /// By stamp: the greatest version so far.
  private var steps: [(stamp: Stamp, greatest: UInt64)] = []

  package init(_ ranks: some Sequence<DecisionRank>) {
    for rank in ranks.sorted(by: { $0.stamp < $1.stamp }) {
      steps.append((rank.stamp, max(steps.last?.greatest ?? 0, rank.version)))
    }
  }

  /// The greatest of what was stated before a stamp; nil when nothing was.
  func greatest(before stamp: Stamp) -> UInt64? {
    let next = steps.partitionPoint { $0.stamp >= stamp }
    return next > 0 ? steps[next - 1].greatest : nil
  }
}

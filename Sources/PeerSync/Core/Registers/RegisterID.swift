/// Names one register of all that a device holds: by its key and, of what devices decide, by its author as well.
package struct RegisterID: Hashable, Comparable, Sendable {
  /// The encoded ``RegisterKey``.
  package let key: [UInt8]
  /// The only replica that writes it; nil for a register of all.
  package let author: ReplicaID?

  /// - Parameter author: who wrote what the register holds
  package init(key: [UInt8], author: ReplicaID) {
    self.key = key
    self.author = RegisterKind.isDecision(key) ? author : nil
  }

  package static func == (left: RegisterID, right: RegisterID) -> Bool {
    left.author == right.author && left.key.hasSameBytes(as: right.key)
  }

  /// All bytes of the key at once: the library's hash of an array takes one after another.
  package func hash(into hasher: inout Hasher) {
    key.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(author)
  }

  /// By the bytes of the keys, then by author.
  package static func < (left: RegisterID, right: RegisterID) -> Bool {
    guard left.key.hasSameBytes(as: right.key) else { return left.key.precedes(right.key) }
    guard let author = left.author, let other = right.author else { return false }
    return author < other
  }

  /// Where it stands among the hashes of all registers: in a ``RegisterMap``, and in the ranges of a repair.
  @inline(__always)
  package static func hash(of key: UnsafeRawBufferPointer, by author: ReplicaID) -> UInt64 {
    let hash = SipHash.hash64(key)
    return RegisterKind.isDecision(key) ? self.hash(hash, by: author) : hash
  }

  /// The same of what a device decides, for a key that was hashed before.
  @inline(__always)
  static func hash(_ key: UInt64, by author: ReplicaID) -> UInt64 {
    var hasher = SipHash(wide: false)
    hasher.combine(key)
    hasher.combine(author.high)
    hasher.combine(author.low)
    hasher.combine(last: UnsafeRawBufferPointer(start: nil, count: 0))
    return hasher.finish64()
  }
}

extension Write {
  /// The register that it belongs to.
  package var register: RegisterID { RegisterID(key: key, author: dot.replica) }
}

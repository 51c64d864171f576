/// One register in memory: four words of header, then the key's bytes and the value's.
///
/// Word 0 is the stamp, word 1 the sequence of its write, word 2 the neighbours in the list of its replica (previous in
/// the upper half, next in the lower), word 3 the replica's number, the lengths of key and value and the words of
/// content there is room for (16 bits each).
struct Record {
  static let headerWords = 4

  let words: UnsafeMutablePointer<UInt64>

  /// Words for a record with so many bytes of key and value.
  @inline(__always)
  static func contentWords(_ bytes: Int) -> Int { (bytes + 7) / 8 }

  var stamp: Stamp { Stamp(rawValue: words[0]) }
  var sequence: UInt64 { words[1] }
  var replica: Int { Int(words[3] >> 48) }
  var keyLength: Int { Int(words[3] >> 32 & 0xffff) }
  var valueLength: Int { Int(words[3] >> 16 & 0xffff) }
  var capacityWords: Int { Int(words[3] & 0xffff) }

  var previous: UInt32 {
    get { UInt32(truncatingIfNeeded: words[2] >> 32) }
    nonmutating set { words[2] = UInt64(newValue) << 32 | words[2] & 0xffff_ffff }
  }

  var next: UInt32 {
    get { UInt32(truncatingIfNeeded: words[2]) }
    nonmutating set { words[2] = words[2] & ~0xffff_ffff | UInt64(newValue) }
  }

  /// A record that has moved stays readable until the next compaction, but only its key counts.
  var isMoved: Bool { words[2] == .max }
  func markMoved() { words[2] = .max }

  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: words + Self.headerWords, count: keyLength)
  }

  var value: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(words + Self.headerWords) + keyLength, count: valueLength)
  }

  /// Fills the record with a write; the links are left to the caller.
  @inline(__always)
  func fill(_ write: borrowing WriteView, replica: Int, capacityWords: Int) {
    words[0] = write.stamp.rawValue
    words[1] = write.sequence
    words[3] =
      UInt64(replica) << 48 | UInt64(write.key.count) << 32 | UInt64(write.value.count) << 16
      | UInt64(capacityWords)
    let content = UnsafeMutableRawPointer(words + Self.headerWords)
    if let base = write.key.baseAddress { content.copyMemory(from: base, byteCount: write.key.count) }
    if let base = write.value.baseAddress {
      (content + write.key.count).copyMemory(from: base, byteCount: write.value.count)
    }
  }

  /// Hash of key, stamp and value, and of what devices decide of the author: what the register adds to the ``Digest``.
  @inline(__always)
  func digest(by author: ReplicaID) -> Digest {
    var hasher = SipHash(wide: true)
    if RegisterKind.isDecision(key) {
      hasher.combine(author.high)
      hasher.combine(author.low)
    }
    hasher.combine(words[0])
    hasher.combine(words[3] & 0x0000_ffff_ffff_0000)
    hasher.combine(
      last: UnsafeRawBufferPointer(start: words + Self.headerWords, count: keyLength + valueLength))
    return hasher.finish128()
  }

  /// Whether a write of the same register wins over this record.
  ///
  /// A decision is replaced by whatever its author writes later. Elsewhere the order is total over (stamp, first byte of the
  /// value, hash of the value, bytes of the value, dot): a first byte can rank what has one stamp (a revoked snapshot wins), and
  /// the rest only has to be the same everywhere. An empty value counts as one that begins with 0: it must rank below some and
  /// above others alike, or the order has a circle.
  @inline(__always)
  func isBeaten(by write: borrowing WriteView, numbers: [ReplicaID]) -> Bool {
    if RegisterKind.isDecision(write.key) { return write.sequence > sequence }
    if write.stamp != stamp { return write.stamp > stamp }
    return isBeatenOnTie(by: write, author: numbers[replica])
  }

  private func isBeatenOnTie(by write: borrowing WriteView, author: ReplicaID) -> Bool {
    let (old, new) = (value, write.value)
    let (first, newFirst) = (old.first ?? 0, new.first ?? 0)
    if first != newFirst { return newFirst > first }
    if !old.hasSameBytes(as: new) {
      let (oldHash, newHash) = (SipHash.hash64(old), SipHash.hash64(new))
      return oldHash == newHash ? old.precedes(new) : newHash > oldHash
    }
    return (write.replica, write.sequence) > (author, sequence)
  }
}

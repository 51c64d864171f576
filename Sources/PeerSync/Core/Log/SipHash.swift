/// SipHash-c-d: a fast keyed hash of short inputs (Aumasson and Bernstein, *SipHash: a fast short-input PRF*, 2012).
///
/// Used as a fingerprint and to place keys in tables, with one round per word and three at the end unless said
/// otherwise. It finds accidents, not attackers: what must resist forging is signed.
package struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var length: UInt64 = 0
  private let compressions: Int
  private let finalizations: Int

  /// - Parameter wide: whether ``finish128()`` will be asked for, or ``finish64()``; the two differ from the start.
  @inline(__always)
  package init(
    key: (UInt64, UInt64) = (0x5065_6572_5379_6e63, 0x4c65_6467_6572_2e31), wide: Bool, compressions: Int = 1,
    finalizations: Int = 3
  ) {
    v0 = key.0 ^ 0x736f_6d65_7073_6575
    v1 = key.1 ^ 0x646f_7261_6e64_6f6d ^ (wide ? 0xee : 0)
    v2 = key.0 ^ 0x6c79_6765_6e65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
    self.compressions = compressions
    self.finalizations = finalizations
  }

  /// Takes eight bytes in, as a little-endian word.
  @inline(__always)
  package mutating func combine(_ word: UInt64) {
    length &+= 8
    v3 ^= word
    for _ in 0..<compressions { round() }
    v0 ^= word
  }

  /// Takes the last bytes in; only ``finish64()`` or ``finish128()`` may follow.
  @inline(__always)
  package mutating func combine(last buffer: UnsafeRawBufferPointer) {
    let whole = buffer.count & ~7
    var offset = 0
    while offset < whole {
      combine(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < buffer.count {
      tail |= UInt64(buffer[offset]) &<< UInt64(8 &* (offset & 7))
      offset += 1
    }
    length &+= UInt64(buffer.count - whole)
    close(tail)
  }

  /// The 64-bit hash.
  @inline(__always)
  package mutating func finish64() -> UInt64 {
    v2 ^= 0xff
    for _ in 0..<finalizations { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  /// The 128-bit hash; `low` is its first eight bytes.
  @inline(__always)
  package mutating func finish128() -> Digest {
    v2 ^= 0xee
    for _ in 0..<finalizations { round() }
    let low = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<finalizations { round() }
    return Digest(high: v0 ^ v1 ^ v2 ^ v3, low: low)
  }

  @inline(__always)
  private mutating func close(_ tail: UInt64) {
    let word = tail | (length &<< 56)
    v3 ^= word
    for _ in 0..<compressions { round() }
    v0 ^= word
  }

  @inline(__always)
  private mutating func round() {
    v0 = v0 &+ v1
    v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
    v0 = v0 &<< 32 | v0 &>> 32
    v2 = v2 &+ v3
    v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
    v0 = v0 &+ v3
    v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
    v2 = v2 &+ v1
    v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
    v2 = v2 &<< 32 | v2 &>> 32
  }
}

extension SipHash {
  /// The 64-bit hash of some bytes.
  @inline(__always)
  package static func hash64(_ buffer: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = SipHash(wide: false)
    hasher.combine(last: buffer)
    return hasher.finish64()
  }
}

extension VersionVector {
  /// A fingerprint of the vector: equal for equal vectors.
  package var hash: UInt64 {
    var hasher = SipHash(wide: false)
    for entry in entries {
      hasher.combine(entry.replica.high)
      hasher.combine(entry.replica.low)
      hasher.combine(entry.sequence)
    }
    hasher.combine(last: UnsafeRawBufferPointer(start: nil, count: 0))
    return hasher.finish64()
  }
}

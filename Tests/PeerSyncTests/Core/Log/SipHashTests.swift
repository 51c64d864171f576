import PeerSyncCore
import Testing

@Suite struct SipHashTests {
  /// The key 00 01 … 0f of the official vectors, as two little-endian words.
  private static let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)

  private func hash(_ count: UInt8, wide: Bool = false) -> SipHash {
    var hasher = SipHash(key: Self.key, wide: wide, compressions: 2, finalizations: 4)
    Array(0..<count).withUnsafeBytes { hasher.combine(last: $0) }
    return hasher
  }

  private func bytes(_ word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.littleEndian) { Array($0) } }

  /// SipHash-2-4 of 00 01 02 …, from the reference implementation.
  @Test(
    arguments: [
      (0, [0x31, 0x0e, 0x0e, 0xdd, 0x47, 0xdb, 0x6f, 0x72]),
      (8, [0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93]),
      (15, [0xe5, 0x45, 0xbe, 0x49, 0x61, 0xca, 0x29, 0xa1]),
    ] as [(UInt8, [UInt8])])
  func officialVectors(count: UInt8, expected: [UInt8]) {
    var hasher = hash(count)
    #expect(bytes(hasher.finish64()) == expected)
  }

  @Test func officialVectorOf128Bits() {
    var hasher = hash(0, wide: true)
    let digest = hasher.finish128()
    #expect(
      bytes(digest.low) + bytes(digest.high)
        == [0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93])
  }

  /// Eight bytes at a time or all at the end: one hash.
  @Test func wordsAndBytesAreOneInput() {
    for count in UInt8(8)...40 {
      var inParts = SipHash(key: Self.key, wide: false, compressions: 2, finalizations: 4)
      inParts.combine(0x0706_0504_0302_0100)
      Array(8..<count).withUnsafeBytes { inParts.combine(last: $0) }
      var whole = hash(count)
      #expect(inParts.finish64() == whole.finish64())
    }
  }

  @Test func vectorsHashByTheirEntries() {
    var random = SeededGenerator(seed: 1)
    var seen: [UInt64: VersionVector] = [:]
    for _ in 0..<5_000 {
      let vector = VersionVector.generate(&random)
      #expect(vector.hash == VersionVector(vector.entries.reversed()).hash)
      if let other = seen.updateValue(vector, forKey: vector.hash) { #expect(other == vector) }
    }
  }
}

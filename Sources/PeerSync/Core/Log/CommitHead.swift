/// What a ``FlatSignature`` is made of.
enum SignatureHalfKind: Sendable {}

/// A signature without memory of its own: thousands lie side by side.
package struct FlatSignature: Hashable, Sendable {
  let first: Bytes32<SignatureHalfKind>
  let second: Bytes32<SignatureHalfKind>

  init(first: Bytes32<SignatureHalfKind>, second: Bytes32<SignatureHalfKind>) {
    self.first = first
    self.second = second
  }

  /// Takes the 64 bytes of a signature.
  package init(_ signature: Signature) {
    let words = signature.bytes.withUnsafeBytes { bytes in
      (0..<8).map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
    }
    first = Bytes32(words: (words[0], words[1], words[2], words[3]))
    second = Bytes32(words: (words[4], words[5], words[6], words[7]))
  }

  /// The signature as the cryptographic functions take it.
  package var signature: Signature { Signature(first, second) }
}

/// What an author signs of a commit, with the signature: proof that its replica made the writes up to `last`.
package struct CommitHead: Hashable, Sendable {
  /// Sequence of the first write.
  package let first: UInt64
  /// Sequence of the last write.
  package let last: UInt64
  /// Hash of the hashes of all writes, in the order of their sequences.
  package let root: ContentHash
  /// The author's signature of ``message(replica:first:last:root:)``.
  package let signature: FlatSignature

  package init(first: UInt64, last: UInt64, root: ContentHash, signature: FlatSignature) {
    self.first = first
    self.last = last
    self.root = root
    self.signature = signature
  }

  /// The bytes that are signed: a label, the replica, the sequences of the first and the last write, the root.
  package static func message(replica: ReplicaID, first: UInt64, last: UInt64, root: ContentHash) -> [UInt8] {
    var writer = ByteWriter(reserving: 80)
    writer.write(raw: "PeerSync commit".utf8)
    writer.write(replica)
    writer.write(word: first)
    writer.write(word: last)
    writer.write(root)
    return writer.bytes
  }

  /// Whether the author of that replica signed this.
  package func isSigned(by key: PublicKey, as replica: ReplicaID, _ cryptography: Cryptography) -> Bool {
    let message = CommitHead.message(replica: replica, first: first, last: last, root: root)
    return cryptography.isValid(signature.signature, of: message, by: key)
  }
}

/// Hashes writes for the root of their commit, in memory that is used again and again.
struct CommitHasher {
  private let cryptography: Cryptography
  private var scratch: [UInt8] = []
  /// The hashes so far, each four words in the order of the bytes.
  private(set) var hashes: [UInt64] = []

  init(_ cryptography: Cryptography) {
    self.cryptography = cryptography
    scratch.reserveCapacity(512)
  }

  /// How many hashes there are.
  var count: Int { hashes.count / 4 }

  /// Begins the next commit.
  mutating func clear() { hashes.removeAll(keepingCapacity: true) }

  /// The hash of the write at a place.
  subscript(place: Int) -> ContentHash {
    ContentHash(
      words: (
        UInt64(bigEndian: hashes[4 * place]), UInt64(bigEndian: hashes[4 * place + 1]),
        UInt64(bigEndian: hashes[4 * place + 2]), UInt64(bigEndian: hashes[4 * place + 3])
      ))
  }

  /// Takes in the hash of a write that was replaced.
  mutating func add(_ hash: ContentHash) {
    hashes.append(hash.words.0.bigEndian)
    hashes.append(hash.words.1.bigEndian)
    hashes.append(hash.words.2.bigEndian)
    hashes.append(hash.words.3.bigEndian)
  }

  /// Takes in a write as it stands in a commit.
  @inline(__always)
  mutating func add(entry: UnsafeRawBufferPointer, of replica: ReplicaID, sequence: UInt64) {
    begin(replica, sequence)
    scratch.append(contentsOf: entry)
    add(scratch.withUnsafeBytes { cryptography.hash($0) })
  }

  /// The hash of a write: of the replica, the sequence (8 bytes) and the write as it stands in a commit.
  mutating func hash(of write: borrowing WriteView) -> ContentHash {
    begin(write.replica, write.sequence)
    scratch.append(entryOf: write)
    return scratch.withUnsafeBytes { cryptography.hash($0) }
  }

  /// The hash of all hashes.
  var root: ContentHash { hashes.withUnsafeBytes { cryptography.hash($0) } }

  @inline(__always)
  private mutating func begin(_ replica: ReplicaID, _ sequence: UInt64) {
    scratch.removeAll(keepingCapacity: true)
    let words = (replica.high.bigEndian, replica.low.bigEndian, sequence.bigEndian)
    withUnsafeBytes(of: words) { scratch.append(contentsOf: $0) }
  }
}

extension [UInt8] {
  /// A write as it stands in a commit: its key behind its length, its stamp, its value behind its length.
  mutating func append(entryOf write: borrowing WriteView) {
    append(varint: UInt64(write.key.count))
    append(contentsOf: write.key)
    Swift.withUnsafeBytes(of: write.stamp.rawValue.bigEndian) { append(contentsOf: $0) }
    append(varint: UInt64(write.value.count))
    append(contentsOf: write.value)
  }

  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append<Kind>(_ bytes: Bytes32<Kind>) {
    let words = bytes.words
    let ordered = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    Swift.withUnsafeBytes(of: ordered) { append(contentsOf: $0) }
  }
}

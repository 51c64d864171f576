/// What a ``Nonce`` is.
public enum NonceKind: IdentifierKind {}
/// Sixteen random bytes, drawn once for each incarnation of a device's storage.
public typealias Nonce = Identifier<NonceKind>

/// One life of a device's storage: who may write under a replica's name.
///
/// The replica's id is a hash of key and nonce. Whoever knows the two knows whose replica it is, and nobody can make a
/// second pair for the same id: an incarnation certifies itself.
package struct Incarnation: Hashable, Sendable {
  /// The device's public key: it verifies every commit of the replica.
  package let key: PublicKey
  /// Tells the incarnations of one device apart.
  package let nonce: Nonce

  package init(key: PublicKey, nonce: Nonce) {
    self.key = key
    self.nonce = nonce
  }

  /// The replica that this incarnation writes under: the first half of the hash of a label, the key and the nonce.
  package func replica(_ cryptography: Cryptography) -> ReplicaID {
    var writer = ByteWriter(reserving: 64)
    writer.write(raw: "PeerSync replica".utf8)
    writer.write(self)
    let hash = cryptography.hash(of: writer.bytes)
    return ReplicaID(high: hash.words.0, low: hash.words.1)
  }
}

extension ByteWriter {
  package mutating func write<Kind>(_ bytes: Bytes32<Kind>) {
    write(word: bytes.words.0)
    write(word: bytes.words.1)
    write(word: bytes.words.2)
    write(word: bytes.words.3)
  }

  mutating func write(_ incarnation: Incarnation) {
    write(incarnation.key)
    write(incarnation.nonce)
  }
}

extension ByteReader {
  package mutating func bytes32<Kind>(_: Bytes32<Kind>.Type = Bytes32<Kind>.self) throws(WireError)
    -> Bytes32<Kind>
  {
    Bytes32(words: (try word(), try word(), try word(), try word()))
  }

  mutating func incarnation() throws(WireError) -> Incarnation {
    Incarnation(key: try bytes32(), nonce: try identifier())
  }
}

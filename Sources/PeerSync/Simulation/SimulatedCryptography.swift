import PeerSyncCore

extension Cryptography {
  /// The stand-ins of the simulator. A "signature" is a keyed hash under the public key itself: worthless against an
  /// adversary with a compiler, and enough for a world in which nobody tries to compute one.
  package static let simulated = Cryptography(
    hash: { simulatedHash($0, domain: 1) },
    verify: { signature, message, key in signature == simulatedSignature(of: message, by: key) })
}

extension SigningKey {
  /// The key of a simulated device, from a seed.
  package static func simulated(seed: UInt64) -> SigningKey {
    let key = PublicKey(words: withUnsafeBytes(of: seed.bigEndian) { simulatedHash($0, domain: 2) }.words)
    return SigningKey(publicKey: key) { simulatedSignature(of: $0, by: key) }
  }
}

private func simulatedHash(_ message: UnsafeRawBufferPointer, domain: UInt64) -> ContentHash {
  let halves = (UInt64(0)...1).map { half in
    var hasher = SipHash(key: (domain, half), wide: true)
    hasher.combine(last: message)
    return hasher.finish128()
  }
  return ContentHash(words: (halves[0].high, halves[0].low, halves[1].high, halves[1].low))
}

private func simulatedSignature(of message: UnsafeRawBufferPointer, by key: PublicKey) -> Signature {
  let hash = simulatedHash(message, domain: 3)
  let mixed = (key.bytes + hash.bytes).withUnsafeBytes { simulatedHash($0, domain: 4) }
  return Signature(mixed, mixed)
}

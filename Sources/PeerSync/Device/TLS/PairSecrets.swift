import COpenSSL

/// What a device shares with each other member, worked out from the two devices' keys alone.
///
/// An Ed25519 key and an X25519 key are two forms of one point of the curve (RFC 7748, section 4.1), so that each two devices that
/// know each other's keys can agree on a secret without having met.
package final class PairSecrets {
  private let own: PublicKey
  /// Owned.
  private let key: OpaquePointer
  private var known: [PublicKey: PairSecret] = [:]

  package init(_ device: DeviceKey) throws(OpenSSLError) {
    own = device.publicKey
    var (seed, count) = ([UInt8](repeating: 0, count: 32), 32)
    try require(EVP_PKEY_get_raw_private_key(device.pointer, &seed, &count))
    // RFC 8032, section 5.1.5: the scalar is the first half of the hash of the seed. X25519 clamps it.
    var digest = [UInt8](repeating: 0, count: 64)
    try require(EVP_Digest(seed, seed.count, &digest, nil, EVP_sha512(), nil))
    guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, digest, 32) else { throw .take() }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// The secret that is shared with the owner of a key; nil when the key is no point of the curve, or one of the few that would
  /// have anybody know the secret.
  package func secret(with other: PublicKey) -> PairSecret? {
    if let secret = known[other] { return secret }
    defer { ERR_clear_error() }
    guard let point = Self.montgomery(other), let agreed = agree(with: point) else { return nil }
    let (low, high) = (min(own, other), max(own, other))
    let hash = Cryptography.openSSL.hash(of: Array("PeerSync pair".utf8) + agreed + low.bytes + high.bytes)
    let secret = PairSecret(words: hash.words)
    known[other] = secret
    return secret
  }

  /// Forgets all but these: who is no member any more shares nothing.
  package func keep(_ members: Set<PublicKey>) { known = known.filter { members.contains($0.key) } }

  private func agree(with point: [UInt8]) -> [UInt8]? {
    guard let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, point, point.count) else { return nil }
    defer { EVP_PKEY_free(peer) }
    guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var (secret, count) = ([UInt8](repeating: 0, count: 32), 32)
    // OpenSSL refuses a secret of zeros, to which the few points lead.
    guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
      EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
    else { return nil }
    return secret
  }

  /// The X25519 form of an Ed25519 public key: u = (1 + y) / (1 - y) modulo 2^255 - 19.
  package static func montgomery(_ key: PublicKey) -> [UInt8]? {
    var bytes = key.bytes
    // The top bit is the sign of x, of which u knows nothing.
    bytes[31] &= 0x7f
    guard let context = BN_CTX_new() else { return nil }
    defer { BN_CTX_free(context) }
    BN_CTX_start(context)
    defer { BN_CTX_end(context) }
    guard let prime = BN_CTX_get(context), let y = BN_CTX_get(context), let one = BN_CTX_get(context),
      let over = BN_CTX_get(context), let under = BN_CTX_get(context),
      BN_set_word(one, 1) == 1, BN_set_word(prime, 0) == 1, BN_set_bit(prime, 255) == 1,
      BN_sub_word(prime, 19) == 1, BN_lebin2bn(bytes, 32, y) != nil, BN_cmp(y, prime) < 0,
      BN_mod_add(over, one, y, prime, context) == 1, BN_mod_sub(under, one, y, prime, context) == 1,
      let inverse = BN_mod_inverse(nil, under, prime, context)
    else { return nil }
    defer { BN_free(inverse) }
    var result = [UInt8](repeating: 0, count: 32)
    guard BN_mod_mul(over, over, inverse, prime, context) == 1, BN_bn2lebinpad(over, &result, 32) == 32
    else { return nil }
    return result
  }
}

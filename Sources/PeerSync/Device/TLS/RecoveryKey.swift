import COpenSSL

/// The key that outranks a device and those that come in below it: an Ed25519 key whose seed people keep on paper.
package struct RecoveryKey: Sendable {
  /// The public half: what the founding record names.
  package let publicKey: PublicKey
  private let code: RecoveryCode

  /// A key that nobody has had before, from the system's randomness.
  package static func generate() throws(OpenSSLError) -> RecoveryKey {
    var seed = [UInt8](repeating: 0, count: RecoveryCode.seedByteCount)
    try require(RAND_priv_bytes(&seed, Int32(seed.count)))
    guard let code = RecoveryCode(seed: seed), let key = RecoveryKey(code) else { throw .take() }
    return key
  }

  /// The key of a code as it was written down; nil when the code holds a mistake.
  package init?(_ text: String) {
    guard let code = RecoveryCode(text) else { return nil }
    self.init(code)
  }

  private init?(_ code: RecoveryCode) {
    self.code = code
    guard let publicKey = RecoveryKey.withKey(code, OpenSSLCryptography.publicKey) else { return nil }
    self.publicKey = publicKey
  }

  /// What is written down. Whoever has it can remove any device of the group.
  package var text: String { code.text }

  /// What the core signs with.
  package var signingKey: SigningKey {
    SigningKey(publicKey: publicKey) { [code] message in
      let signature = RecoveryKey.withKey(code) { SignatureContext(signingWith: $0)?.sign(message) }
      guard let signature else {
        // Nothing is signed with a signature that does not verify; it takes memory only.
        fatalError("Ed25519: \(OpenSSLError.take())")
      }
      return signature
    }
  }

  private static func withKey<Result>(_ code: RecoveryCode, _ body: (OpaquePointer) -> Result?) -> Result? {
    guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, code.seed, code.seed.count) else {
      return nil
    }
    defer { EVP_PKEY_free(key) }
    return body(key)
  }
}

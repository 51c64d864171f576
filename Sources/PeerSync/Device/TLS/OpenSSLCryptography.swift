import COpenSSL

extension Cryptography {
  /// The functions of OpenSSL.
  package static let openSSL = Cryptography(
    hash: OpenSSLCryptography.hash, verify: OpenSSLCryptography.verify)
}

/// SHA-256 and Ed25519 by OpenSSL.
enum OpenSSLCryptography {
  /// Looked up once: finding it by name takes as long as hashing 200 bytes. Nothing changes it, so threads may share it.
  nonisolated(unsafe) private static let sha256 = EVP_MD_fetch(nil, "SHA256", nil)

  static func hash(_ message: UnsafeRawBufferPointer) -> ContentHash {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
      let output = digest.assumingMemoryBound(to: UInt8.self).baseAddress
      guard EVP_Digest(message.baseAddress, message.count, output, nil, sha256, nil) == 1 else {
        // A hash that is wrong would be taken for damage, or worse. It takes memory only, and a few bytes of that.
        fatalError("SHA-256: \(OpenSSLError.take())")
      }
      return ContentHash(bigEndian: UnsafeRawBufferPointer(digest))
    }
  }

  private static let verifying = VerifyingContexts()

  static func verify(
    _ signature: Signature, _ message: UnsafeRawBufferPointer, _ key: PublicKey
  ) -> Bool {
    defer { ERR_clear_error() }
    return verifying.isValid(signature, of: message, by: key)
  }

  /// The raw Ed25519 public key inside an OpenSSL key; nil for any other kind.
  static func publicKey(of key: OpaquePointer) -> PublicKey? {
    guard EVP_PKEY_is_a(key, "ED25519") == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32 else { return nil }
    return PublicKey(bytes)
  }
}

extension Bytes32 {
  /// Takes 32 bytes without making an array of them.
  init(bigEndian bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }
    self.init(words: (word(0), word(1), word(2), word(3)))
  }
}

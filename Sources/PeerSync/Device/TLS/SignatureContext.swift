import COpenSSL

/// What OpenSSL has prepared to sign or verify with one Ed25519 key, for one thread at a time.
///
/// Where signatures come now and then, taking a key in and finding the algorithm take as long as the algorithm does: none of
/// that is in the caches of the processor. So a context is used again for as long as its key is.
///
/// `@unchecked Sendable`: whoever shares one sees to it that it is used by one thread at a time.
final class SignatureContext: @unchecked Sendable {
  private let context: OpaquePointer

  /// - Returns: nil when there is no memory
  init?(signingWith key: OpaquePointer) {
    guard let context = EVP_MD_CTX_new() else { return nil }
    self.context = context
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else { return nil }
  }

  /// - Returns: nil when there is no memory
  init?(verifyingWith key: PublicKey) {
    guard let context = EVP_MD_CTX_new() else { return nil }
    self.context = context
    let bytes = key.bytes
    guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
      return nil
    }
    // The context holds on to it.
    defer { EVP_PKEY_free(key) }
    guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return nil }
  }

  deinit { EVP_MD_CTX_free(context) }

  /// - Returns: nil when there is no memory
  func sign(_ message: UnsafeRawBufferPointer) -> Signature? {
    // Without a key: begins anew with the one that it has.
    guard EVP_DigestSignInit(context, nil, nil, nil, nil) == 1 else { return nil }
    let message = message.bindMemory(to: UInt8.self)
    var count = Signature.byteCount
    var bytes = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &bytes, &count, message.baseAddress, message.count) == 1 else { return nil }
    return Signature(bytes)
  }

  func isValid(_ signature: Signature, of message: UnsafeRawBufferPointer) -> Bool {
    guard EVP_DigestVerifyInit(context, nil, nil, nil, nil) == 1 else { return false }
    let message = message.bindMemory(to: UInt8.self)
    return EVP_DigestVerify(
      context, signature.bytes, signature.bytes.count, message.baseAddress, message.count) == 1
  }
}

/// The contexts of keys that have signed lately. Threads that verify with the same key at once have one each.
package final class VerifyingContexts: Sendable {
  /// Most keys that are remembered. When there are more, all are forgotten: whoever shows ever new keys costs what it cost
  /// without.
  package static let mostKeys = 64

  private let idle = Guarded<[PublicKey: SignatureContext]>([:])

  func isValid(_ signature: Signature, of message: UnsafeRawBufferPointer, by key: PublicKey) -> Bool {
    guard let context = idle.withLock({ $0.removeValue(forKey: key) }) ?? SignatureContext(verifyingWith: key)
    else { return false }
    defer {
      idle.withLock { idle in
        if idle.count >= Self.mostKeys { idle = [:] }
        idle[key] = context
      }
    }
    return context.isValid(signature, of: message)
  }
}

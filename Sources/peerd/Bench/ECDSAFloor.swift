import COpenSSL

/// What bare ECDSA costs: the floor of verifying what a store has signed.
final class ECDSAFloor {
  private let key: OpaquePointer
  private let context: OpaquePointer
  private let digest = [UInt8](repeating: 7, count: 32)
  private var signature = [UInt8](repeating: 0, count: 128)

  /// Makes a key of the curve P-256 and signs a digest with it.
  init() throws {
    guard let making = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
      throw BenchmarkError("no ECDSA", "ECDSA를 쓸 수 없습니다")
    }
    defer { EVP_PKEY_CTX_free(making) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(making) == 1, EVP_PKEY_CTX_set_group_name(making, "P-256") == 1,
      EVP_PKEY_generate(making, &key) == 1, let key, let context = EVP_PKEY_CTX_new(key, nil)
    else { throw BenchmarkError("no key of the curve P-256", "P-256 곡선의 키를 만들 수 없습니다") }
    self.key = key
    self.context = context
    var length = signature.count
    guard EVP_PKEY_sign_init(context) == 1,
      EVP_PKEY_sign(context, &signature, &length, digest, digest.count) == 1,
      EVP_PKEY_verify_init(context) == 1
    else { throw BenchmarkError("no ECDSA signature", "ECDSA 서명을 만들 수 없습니다") }
    signature.removeLast(signature.count - length)
  }

  deinit {
    EVP_PKEY_CTX_free(context)
    EVP_PKEY_free(key)
  }

  /// Verifies the one signature, as often as asked.
  ///
  /// - Returns: how often it was good
  func verify(times count: Int) -> Int {
    (0..<count).count { _ in
      EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
  }
}

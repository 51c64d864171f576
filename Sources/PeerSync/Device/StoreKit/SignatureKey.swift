import COpenSSL

/// The key of a leaf certificate, ready to verify: with the hash of the header begun, which is most of the text.
final class SignatureKey {
  private let key: OpaquePointer
  private let context: OpaquePointer
  private let begun: OpaquePointer
  private let hashing: OpaquePointer

  /// Nil when the key is not of the curve P-256.
  init?(of certificate: StoreCertificate, header: [UInt8]) {
    guard let key = X509_get_pubkey(certificate.pointer) else { return nil }
    guard SignatureKey.isP256(key), let context = EVP_PKEY_CTX_new(key, nil), let begun = EVP_MD_CTX_new(),
      let hashing = EVP_MD_CTX_new()
    else {
      EVP_PKEY_free(key)
      ERR_clear_error()
      return nil
    }
    self.key = key
    self.context = context
    self.begun = begun
    self.hashing = hashing
    let text = Base64.encode(header, .url) + [UInt8(ascii: ".")]
    guard EVP_PKEY_verify_init(context) == 1, EVP_DigestInit_ex(begun, EVP_sha256(), nil) == 1,
      EVP_DigestUpdate(begun, text, text.count) == 1
    else { return nil }
  }

  deinit {
    EVP_MD_CTX_free(hashing)
    EVP_MD_CTX_free(begun)
    EVP_PKEY_CTX_free(context)
    EVP_PKEY_free(key)
  }

  private static func isP256(_ key: OpaquePointer) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    return EVP_PKEY_is_a(key, "EC") == 1
      && EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
      && String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) == "prime256v1"
  }

  func digest(of payload: [UInt8]) -> [UInt8]? {
    let text = Base64.encode(payload, .url)
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_MD_CTX_copy_ex(hashing, begun) == 1, EVP_DigestUpdate(hashing, text, text.count) == 1,
      EVP_DigestFinal_ex(hashing, &digest, nil) == 1
    else { return nil }
    return digest
  }

  func isValid(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
    defer { ERR_clear_error() }
    let encoded = ECDSASignature.der(signature)
    return EVP_PKEY_verify(context, encoded, encoded.count, digest, digest.count) == 1
  }
}

/// The two forms of an ECDSA signature of P-256: 64 raw bytes (RFC 7518, section 3.4), and DER for OpenSSL.
package enum ECDSASignature {
  package static func der(_ raw: [UInt8]) -> [UInt8] {
    let numbers = integer(raw.prefix(32)) + integer(raw.suffix(32))
    return [0x30, UInt8(truncatingIfNeeded: numbers.count)] + numbers
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if (digits.first ?? 0x80) >= 0x80 { digits.insert(0, at: 0) }
    return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
  }

  /// The raw form of what OpenSSL has made; nil for anything else.
  static func raw(_ der: [UInt8]) -> [UInt8]? {
    var reader = ByteReader(der)
    guard (try? reader.byte()) == 0x30, (try? reader.byte()) == UInt8(truncatingIfNeeded: der.count - 2),
      let first = number(&reader), let second = number(&reader), reader.remaining == 0
    else { return nil }
    return first + second
  }

  private static func number(_ reader: inout ByteReader) -> [UInt8]? {
    guard (try? reader.byte()) == 0x02, let count = try? reader.byte(),
      let bytes = try? reader.raw(Int(count))
    else { return nil }
    let digits = Array(bytes.drop { $0 == 0 })
    return digits.count <= 32 ? [UInt8](repeating: 0, count: 32 - digits.count) + digits : nil
  }
}

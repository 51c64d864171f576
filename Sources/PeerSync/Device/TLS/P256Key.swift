import COpenSSL

/// A key pair that signs JSON Web Tokens by ECDSA with the curve P-256 and SHA-256 (ES256, RFC 7518, section 3.4).
package final class P256Key: @unchecked Sendable {
  // OpenSSL counts references to keys atomically, and nothing changes them once they are made.
  private let key: OpaquePointer

  private init(_ key: OpaquePointer) { self.key = key }

  deinit { EVP_PKEY_free(key) }

  /// A key that nobody has had before.
  package static func generate() throws(OpenSSLError) -> P256Key {
    P256Key(try SandboxChain.makeKey("P-256"))
  }

  /// The key of a text in PEM form.
  package convenience init(pem: [UInt8]) throws(OpenSSLError) { self.init(try PEM.decodeKey(pem)) }

  /// The private key in PEM form.
  package func pem() throws(OpenSSLError) -> [UInt8] { try PEM.encode(key: key) }

  /// Signs a token.
  package func sign(header: [UInt8], payload: [UInt8]) throws(OpenSSLError) -> JWS {
    try JWS(signing: payload, header: header, with: key)
  }

  /// Whether this key has signed a token.
  package func hasSigned(_ token: JWS) -> Bool {
    defer { ERR_clear_error() }
    let text = Base64.encode(token.header, .url) + [UInt8(ascii: ".")] + Base64.encode(token.payload, .url)
    let digest = Cryptography.openSSL.hash(of: text).bytes
    guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
    defer { EVP_PKEY_CTX_free(context) }
    let signature = ECDSASignature.der(token.signature)
    return EVP_PKEY_verify_init(context) == 1
      && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
  }
}

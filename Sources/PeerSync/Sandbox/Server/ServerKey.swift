import COpenSSL
import PeerSync

/// The key with which servers sign their requests to the App Store Server API: made by the sandbox store, and given to
/// servers as a file, as App Store Connect does.
package final class ServerKey: @unchecked Sendable {
  // OpenSSL counts references to keys atomically, and nothing changes them once they are made.
  private let key: OpaquePointer
  /// What requests name in `kid`.
  package let id: String
  /// Where the key lies.
  package let path: String
  /// What requests name in `iss`: whose key it is.
  package static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

  private static let fileLimit = 8192

  private init(key: OpaquePointer, id: String, path: String) {
    self.key = key
    self.id = id
    self.path = path
  }

  deinit { EVP_PKEY_free(key) }

  /// The key of a directory, which is made where there is none.
  package static func open(_ directory: String) throws(StorageError) -> ServerKey {
    let id = "PEERSYNC01"
    let path = "\(directory)/AuthKey_\(id).p8"
    if !FileSystem.exists(path) {
      do throws(OpenSSLError) {
        let key = try SandboxChain.makeKey("P-256")
        defer { EVP_PKEY_free(key) }
        try write(PEM.encode(key: key), to: path)
      } catch { throw .failed(path: path, message: error.description) }
    }
    try FileSystem.requirePrivate(path)
    let bytes = try FileSystem.read(path, limit: fileLimit) ?? []
    guard let key = try? PEM.decodeKey(bytes) else {
      throw .corrupt(path: path, message: "no key in PEM form")
    }
    return ServerKey(key: key, id: id, path: path)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(OpenSSLError) {
    do { try FileSystem.replace(path, with: bytes, isDurable: true) } catch { throw OpenSSLError(code: 0) }
  }

  /// Who may ask: the app of a request's token (a JSON Web Token, ES256, as Apple describes it); nil for one that does
  /// not count.
  ///
  /// - Parameter seconds: the time since 1970
  package func bundleId(of authorization: String?, at seconds: Int64) -> String? {
    guard let authorization, authorization.lowercased().hasPrefix("bearer "),
      let token = try? JWS(Array(authorization.dropFirst("bearer ".count).utf8)),
      let header = try? PayloadFields(token.header, .header),
      let body = try? PayloadFields(token.payload, .payload),
      case .string("ES256")? = header["alg"], (try? header.text("kid")) == id,
      case .string("appstoreconnect-v1")? = body["aud"], (try? body.text("iss")) == ServerKey.issuer,
      let expires = try? body.integer("exp", in: 0...Limits.latestMilliseconds), expires > seconds,
      expires - seconds <= 3600, isSigned(token)
    else { return nil }
    return try? body.text("bid")
  }

  /// Signs a token, as a server does.
  package func sign(header: [UInt8], payload: [UInt8]) throws(OpenSSLError) -> JWS {
    try JWS(signing: payload, header: header, with: key)
  }

  private func isSigned(_ token: JWS) -> Bool {
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

import PeerSync

/// The key with which servers sign their requests to the App Store Server API: made by the sandbox store, and given to
/// servers as a file, as App Store Connect does.
package struct ServerKey: Sendable {
  private let key: P256Key
  /// What requests name in `kid`.
  package let id: String
  /// Where the key lies.
  package let path: String
  /// What requests name in `iss`: whose key it is.
  package static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

  private static let fileLimit = 8192

  /// The key of a directory, which is made where there is none.
  package static func open(_ directory: String) throws(StorageError) -> ServerKey {
    let id = "PEERSYNC01"
    let path = "\(directory)/AuthKey_\(id).p8"
    if !FileSystem.exists(path) {
      let text: [UInt8]
      do throws(OpenSSLError) { text = try P256Key.generate().pem() } catch {
        throw .failed(path: path, message: StorageReason(Phrase(error)))
      }
      try FileSystem.replace(path, with: text, isDurable: true)
    }
    try FileSystem.requirePrivate(path)
    let bytes = try FileSystem.read(path, limit: fileLimit) ?? []
    guard let key = try? P256Key(pem: bytes) else {
      throw .corrupt(path: path, message: StorageReason(Phrase("no key in PEM form", "PEM 형식의 키가 없음")))
    }
    return ServerKey(key: key, id: id, path: path)
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
      expires - seconds <= 3600, key.hasSigned(token)
    else { return nil }
    return try? body.text("bid")
  }

  /// Signs a token, as a server does.
  package func sign(header: [UInt8], payload: [UInt8]) throws(OpenSSLError) -> JWS {
    try key.sign(header: header, payload: payload)
  }
}

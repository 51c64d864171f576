/// Who signed an item of the store.
package struct StoreSigner: Hashable, Sendable {
  /// SHA-256 of the root certificate's DER.
  package let root: ContentHash
  /// Whether it is Apple's.
  package let isApple: Bool

  package init(root: ContentHash, isApple: Bool) {
    self.root = root
    self.isApple = isApple
  }
}

/// Decides whether an item of the store is real. The cryptography is given to it, for the core imports nothing: the daemon
/// gives that of OpenSSL, the simulator a stand-in.
package struct StoreVerifier: Sendable {
  /// Whether the certificates in the header are a valid path to a trusted root at that time, and the signature is by the
  /// first of them.
  ///
  /// Apple's root is always trusted, and in the production environment alone.
  package typealias Authenticate =
    @Sendable (_ jws: JWS, _ signed: Instant, _ environment: Environment, _ trustedRoots: Set<ContentHash>)
    -> Result<StoreSigner, JWSRejection>

  private let authenticate: Authenticate
  /// For the names of parts.
  package let cryptography: Cryptography

  package init(cryptography: Cryptography, authenticate: @escaping Authenticate) {
    self.cryptography = cryptography
    self.authenticate = authenticate
  }

  /// Takes nothing for real: for an engine that reads no purchases.
  package static let none = StoreVerifier(
    cryptography: Cryptography(
      hash: { _ in ContentHash(words: (0, 0, 0, 0)) }, verify: { _, _, _ in false }),
    authenticate: { _, _, _, _ in .failure(.untrustedRoot) })

  /// Verifies one item. Signed data inside a notification are left to ``verifyAll(_:trusting:)``.
  package func verify(_ jws: JWS, trusting roots: Set<ContentHash>) throws(JWSRejection) -> StorePayload {
    let payload = try StorePayload(jws.payload)
    let signer = try authenticate(jws, payload.signedDate, payload.environment, roots).get()
    return payload.said(by: signer.isApple ? .verified : .simulated)
  }

  /// Verifies an item with everything signed inside it: the item first, then what a notification carries.
  ///
  /// - Parameters:
  ///   - environment: the only one that is taken
  ///   - bundleId: the only app that is taken
  package func verifyAll(
    _ jws: JWS, environment: Environment, bundleId: String, trusting roots: Set<ContentHash>
  ) throws(JWSRejection) -> [VerifiedItem] {
    let outer = VerifiedItem(jws: jws, payload: try verify(jws, trusting: roots))
    try outer.require(environment, bundleId)
    guard case .notification(let notification) = outer.payload else { return [outer] }
    let inner: [(String, String?, StorePayload.Kind)] = [
      ("signedTransactionInfo", notification.signedTransactionInfo, .transaction),
      ("signedRenewalInfo", notification.signedRenewalInfo, .renewalInfo),
    ]
    var items = [outer]
    for (field, text, kind) in inner {
      guard let text else { continue }
      do throws(JWSRejection) {
        let jws = try JWS(Array(text.utf8))
        let item = VerifiedItem(jws: jws, payload: try verify(jws, trusting: roots))
        guard item.payload.kind == kind else { throw JWSRejection.otherKind }
        try item.require(environment, bundleId)
        items.append(item)
      } catch {
        throw JWSRejection.nested(field, error)
      }
    }
    return items
  }
}

extension StorePayload {
  /// The same with who says so.
  fileprivate func said(by verification: Verification) -> StorePayload {
    switch self {
    case .transaction(var transaction):
      transaction.verification = verification
      return .transaction(transaction)
    case .renewalInfo(var info):
      info.verification = verification
      return .renewalInfo(info)
    case .notification: return self
    }
  }
}

/// A signed item that was verified.
package struct VerifiedItem: Hashable, Sendable {
  package let jws: JWS
  package let payload: StorePayload

  /// Refuses another environment, and another app where the payload names one.
  fileprivate func require(_ environment: Environment, _ bundleId: String) throws(JWSRejection) {
    guard payload.environment == environment else { throw .otherEnvironment }
    let stated: String? =
      switch payload {
      case .transaction(let transaction): transaction.bundleId
      case .notification(let notification): notification.bundleId
      case .renewalInfo: nil
      }
    guard stated.map({ Name($0) == Name(bundleId) }) ?? true else { throw .otherBundle }
  }
}

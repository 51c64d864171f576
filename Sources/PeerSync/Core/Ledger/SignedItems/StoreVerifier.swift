/// Who signed an item of the store.
public struct StoreSigner: Hashable, Sendable {
  /// SHA-256 of the root certificate's DER.
  public let root: ContentHash
  /// Whether it is Apple's.
  public let isApple: Bool

  /// Names a signer.
  public init(root: ContentHash, isApple: Bool) {
    self.root = root
    self.isApple = isApple
  }
}

/// Decides whether an item of the store is real. The cryptography is given to it, for the core imports nothing: the daemon
/// gives that of OpenSSL, the simulator a stand-in.
public struct StoreVerifier: Sendable {
  /// Whether the certificates in the header are a valid path to a trusted root at that time, and the signature is by the
  /// first of them.
  ///
  /// Apple's root is always trusted, and in the production environment alone.
  public typealias Authenticate =
    @Sendable (_ jws: JWS, _ signed: Instant, _ environment: Environment, _ trustedRoots: Set<ContentHash>)
    -> Result<StoreSigner, JWSRejection>

  private let authenticate: Authenticate
  /// For the names of parts.
  package let cryptography: Cryptography
  /// What remembers the registers that were read with it.
  private(set) var memory: (any ReadingMemory)?

  /// - Parameters:
  ///   - cryptography: for the names of parts
  ///   - authenticate: checks the certificates and the signature
  public init(cryptography: Cryptography, authenticate: @escaping Authenticate) {
    self.cryptography = cryptography
    self.authenticate = authenticate
  }

  /// The same with a memory of what was read: for who starts a device time and again.
  package func remembering(in memory: any ReadingMemory) -> StoreVerifier {
    var verifier = self
    verifier.memory = memory
    return verifier
  }

  /// Takes nothing for real: for an engine that reads no purchases.
  public static let none = StoreVerifier(
    cryptography: Cryptography(
      hash: { _ in ContentHash(words: (0, 0, 0, 0)) }, verify: { _, _, _ in false }),
    authenticate: { _, _, _, _ in .failure(.untrustedRoot) })

  /// Verifies one item. Signed data inside a notification are left to ``verifyAll(_:trusting:)``.
  package func verify(_ jws: JWS, trusting roots: Set<ContentHash>) throws(JWSRejection) -> StorePayload {
    do throws(JWSRejection) {
      let payload = try StorePayload(jws.payload)
      let signer = try authenticate(jws, payload.signedDate, payload.environment, roots).get()
      return payload.said(by: signer.isApple ? .verified : .simulated)
    } catch {
      // Xcode brings one certificate, and its dates may have fractions: neither is what is wrong.
      throw jws.isSignedByXcode ? .signedByXcode : error
    }
  }

  /// SHA-256 of the root certificate under which an item was signed; nil for one that is not trusted.
  func root(of jws: JWS, _ payload: StorePayload, trusting roots: Set<ContentHash>) -> ContentHash? {
    try? authenticate(jws, payload.signedDate, payload.environment, roots).get().root
  }

  /// Verifies an item that has to be of one environment and app.
  private func verify(
    _ jws: JWS, _ environment: Environment, _ bundleId: String, trusting roots: Set<ContentHash>
  ) throws(JWSRejection) -> VerifiedItem {
    let item: VerifiedItem
    do throws(JWSRejection) {
      item = VerifiedItem(jws: jws, payload: try verify(jws, trusting: roots))
    } catch {
      // Who is trusted differs between environments: why an item of another one does not verify is of no use.
      if let stated = jws.statedEnvironment, stated != environment { throw .otherEnvironment }
      throw error
    }
    try item.require(environment, bundleId)
    return item
  }

  /// Verifies an item with everything signed inside it: the item first, then what a notification carries.
  ///
  /// - Parameters:
  ///   - environment: the only one that is taken
  ///   - bundleId: the only app that is taken
  package func verifyAll(
    _ jws: JWS, environment: Environment, bundleId: String, trusting roots: Set<ContentHash>
  ) throws(JWSRejection) -> [VerifiedItem] {
    let outer = try verify(jws, environment, bundleId, trusting: roots)
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
        let item = try verify(jws, environment, bundleId, trusting: roots)
        guard item.payload.kind == kind else { throw JWSRejection.otherKind }
        items.append(item)
      } catch {
        throw JWSRejection.nested(field, error)
      }
    }
    return items
  }
}

extension JWS {
  /// Whether it names the key with which Xcode signs what is bought while it tests an app.
  fileprivate var isSignedByXcode: Bool {
    guard let fields = try? PayloadFields(header, .header) else { return false }
    return fields["kid"] == .string("Apple_Xcode_Key")
  }

  /// The environment that its payload states, whatever else is wrong with that.
  fileprivate var statedEnvironment: Environment? {
    guard let fields = try? PayloadFields(payload, .payload) else { return nil }
    let place = (try? fields.object("data")) ?? fields
    return try? place.environment("environment")
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

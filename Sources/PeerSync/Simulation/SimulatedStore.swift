import PeerSyncCore

/// The store of a simulated world. Its signatures are as good as those of ``SigningKey/simulated(seed:)``: nobody in a
/// simulation forges them.
package enum SimulatedStore {
  private static let key = SigningKey.simulated(seed: 0x5704e)
  private static let header = Array("{\"alg\":\"ES256\",\"x5c\":[\"simulated\"]}".utf8)
  private static let root = ContentHash(words: (1, 2, 3, 4))

  /// What its signatures are trusted by.
  package static let trustedRoots: Set<ContentHash> = [root]

  /// Signs a snapshot; one that is to be unverified with a signature of somebody else.
  ///
  /// - Parameter verification: Apple's `deviceVerification`; nil: none
  package static func sign(_ transaction: Transaction, verification: String? = nil) -> JWS {
    sign(
      transaction.payload(verification: verification), isForged: transaction.verification == .unverified)
  }

  /// Signs what is said of a renewal; one that is to be unverified with a signature of somebody else.
  package static func sign(_ info: RenewalInfo) -> JWS {
    sign(info.payload, isForged: info.verification == .unverified)
  }

  /// Signs any payload, or has somebody else sign it.
  package static func sign(_ payload: [UInt8], isForged: Bool = false) -> JWS {
    let key = isForged ? SigningKey.simulated(seed: 666) : key
    return JWS(header: header, payload: payload, signature: key.sign(header + payload).bytes)
  }

  /// What it has signed, as a device takes it in.
  package static func item(_ jws: JWS, for identity: Identity) -> IngestedItem {
    IngestedItem(
      String(decoding: jws.text, as: UTF8.self), identity, .simulated, trusting: trustedRoots)
  }

  /// The writes by which a device records a snapshot.
  ///
  /// - Parameters:
  ///   - device: the device, in the ``Environment/xcode`` environment
  ///   - verification: Apple's `deviceVerification`; nil: none
  ///   - cryptography: of the device: its hash names the registers
  package static func writes(
    of transaction: Transaction, on device: DeviceID? = nil, verification: String? = nil,
    _ cryptography: Cryptography = .simulated
  ) -> [LocalWrite] {
    StoreItem.writes(
      of: sign(transaction, verification: verification), about: StoreSubject(transaction, device: device),
      rank: transaction.rank,
      stamp: transaction.stamp, cryptography)
  }

  fileprivate static func authenticate(
    _ jws: JWS, _ environment: Environment, _ roots: Set<ContentHash>
  ) -> Result<StoreSigner, JWSRejection> {
    guard jws.header == header, environment == .production || roots.contains(root) else {
      return .failure(.untrustedRoot)
    }
    guard let signature = Signature(jws.signature),
      Cryptography.simulated.isValid(signature, of: jws.header + jws.payload, by: key.publicKey)
    else { return .failure(.badSignature) }
    return .success(StoreSigner(root: root, isApple: environment == .production))
  }
}

extension StoreVerifier {
  /// The stand-in of the simulator. In production the simulated store passes for Apple's.
  package static let simulated = StoreVerifier(cryptography: .simulated) { jws, _, environment, roots in
    SimulatedStore.authenticate(jws, environment, roots)
  }
}

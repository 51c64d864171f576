/// What a device is made of: its identity, its founding, and the first incarnation of its store.
public struct NewDevice: Sendable {
  /// Who it is.
  public let identity: Identity
  /// The record by which it introduces itself: the founding of a group of one.
  package let founding: MembershipRecord
  /// The first life of its store.
  package let incarnation: Incarnation

  /// - Parameters:
  ///   - nonce: random
  ///   - recoveryKey: the public half of the key that may remove this device and those who come in below it; the
  ///     private one is shown once and not kept
  ///   - storeRoot: hash of the root certificate of the device's own sandbox store, if it has one
  public init(
    signer: SigningKey, nonce: Nonce, recoveryKey: PublicKey, storeRoot: ContentHash? = nil, name: String,
    environment: Environment, bundleId: String, _ cryptography: Cryptography
  ) {
    founding = MembershipRecord.found(
      name: name, recoveryKey: recoveryKey, environment: environment, bundleId: bundleId,
      storeRoot: storeRoot, by: signer)
    incarnation = Incarnation(key: signer.publicKey, nonce: nonce)
    identity = Identity(
      key: signer.publicKey, device: DeviceID(of: signer.publicKey, cryptography),
      replica: incarnation.replica(cryptography),
      group: GroupID(founding: founding.hash(cryptography)), name: name, environment: environment,
      bundleId: bundleId)
  }
}

extension Engine {
  /// The engine of a device that was just made and knows nobody yet.
  public init(
    _ device: NewDevice, signer: SigningKey, _ cryptography: Cryptography, seed: UInt64,
    store: StoreVerifier = .none, trustedRoots: Set<ContentHash> = []
  ) {
    var replica = Replica(id: device.identity.replica, cryptography: cryptography)
    replica.restore(.incarnation(device.incarnation, replica: device.identity.replica))
    self.init(
      identity: device.identity, signer: signer, cryptography: cryptography,
      membership: Membership([device.founding], cryptography), replica: replica, seed: seed, store: store,
      trustedRoots: trustedRoots)
  }
}

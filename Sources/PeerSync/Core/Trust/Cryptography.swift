/// The cryptographic functions that the core calls: pure, and given to it, for the core imports nothing.
///
/// The daemon gives those of OpenSSL; the simulator gives stand-ins that nobody in a simulation can forge either.
public struct Cryptography: Sendable {
  /// SHA-256 (FIPS 180-4).
  public let hash: @Sendable (UnsafeRawBufferPointer) -> ContentHash
  /// Whether an Ed25519 signature (RFC 8032) of a message is by a key.
  public let verify:
    @Sendable (_ signature: Signature, _ message: UnsafeRawBufferPointer, _ key: PublicKey) -> Bool

  /// Makes the functions of one library, such as CryptoKit or OpenSSL. They are called on whatever thread the engine runs.
  public init(
    hash: @escaping @Sendable (UnsafeRawBufferPointer) -> ContentHash,
    verify: @escaping @Sendable (Signature, UnsafeRawBufferPointer, PublicKey) -> Bool
  ) {
    self.hash = hash
    self.verify = verify
  }

  /// SHA-256 of an array.
  public func hash(of bytes: [UInt8]) -> ContentHash { bytes.withUnsafeBytes { hash($0) } }

  /// Whether a signature of an array is by a key.
  package func isValid(_ signature: Signature, of message: [UInt8], by key: PublicKey) -> Bool {
    message.withUnsafeBytes { verify(signature, $0, key) }
  }
}

/// A private key, as far as the core may use it: it signs. Ed25519 signatures draw no random numbers, so that the same
/// message always gets the same signature.
public struct SigningKey: Sendable {
  /// The public half.
  public let publicKey: PublicKey
  private let signer: @Sendable (UnsafeRawBufferPointer) -> Signature

  /// - Parameters:
  ///   - publicKey: the public half
  ///   - sign: signs a message by Ed25519 (RFC 8032)
  public init(publicKey: PublicKey, sign: @escaping @Sendable (UnsafeRawBufferPointer) -> Signature) {
    self.publicKey = publicKey
    signer = sign
  }

  /// Signs a message.
  public func sign(_ message: [UInt8]) -> Signature { message.withUnsafeBytes { signer($0) } }
}

extension DeviceID {
  /// The id of the device that owns a key: the first half of the hash of a label and the key.
  public init(of key: PublicKey, _ cryptography: Cryptography) {
    let hash = cryptography.hash(of: Array("PeerSync device".utf8) + key.bytes)
    self.init(high: hash.words.0, low: hash.words.1)
  }
}

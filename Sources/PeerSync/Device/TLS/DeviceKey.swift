import COpenSSL

/// A device's Ed25519 key pair, as a file keeps it.
///
/// `@unchecked Sendable`: OpenSSL counts references to a key atomically, and nothing changes a key once it is made.
package final class DeviceKey: @unchecked Sendable {
  /// The public half: what members know the device by.
  package let publicKey: PublicKey
  /// The key and its certificate, owned.
  let pointer: OpaquePointer
  let certificate: OpaquePointer

  /// Longest key file that is read, in bytes. An Ed25519 key takes 119.
  private static let fileLimit = 4096

  /// A key that nobody has had before, from the system's randomness.
  package static func generate() throws(OpenSSLError) -> DeviceKey {
    guard let key = try DeviceKey(owning: made(peersync_EVP_PKEY_generate("ED25519"))) else { throw .take() }
    return key
  }

  /// Takes a key over; nil when it is of another kind.
  private init?(owning key: OpaquePointer) throws(OpenSSLError) {
    pointer = key
    do {
      guard let publicKey = OpenSSLCryptography.publicKey(of: key) else {
        EVP_PKEY_free(key)
        return nil
      }
      self.publicKey = publicKey
      certificate = try DeviceCertificate.make(for: key)
    } catch {
      EVP_PKEY_free(key)
      throw error
    }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(pointer)
  }

  /// What the core signs with.
  package var signingKey: SigningKey {
    let context = Guarded(SignatureContext(signingWith: pointer))
    return SigningKey(publicKey: publicKey) { message in
      guard let signature = context.withLock({ $0?.sign(message) }) else {
        // Nothing is signed with a signature that does not verify; it takes memory only.
        fatalError("Ed25519: \(OpenSSLError.take())")
      }
      return signature
    }
  }

  // MARK: The file

  /// Writes the key to a new file, mode 0600, as PEM (PKCS #8), and makes it durable.
  ///
  /// - Throws: ``StorageError``.
  package func save(to path: String) throws(StorageError) {
    let bytes: [UInt8]
    do throws(OpenSSLError) { bytes = try PEM.encode(key: pointer) } catch {
      throw .failed(path: path, message: StorageReason(Phrase(error)))
    }
    try FileSystem.replace(path, with: bytes, isDurable: true)
  }

  /// Reads the key of a file that only its owner may use.
  ///
  /// - Throws: ``StorageError/lax(path:isDirectory:)`` when others may; ``StorageError/noKey(path:)`` when it holds no
  ///   Ed25519 key.
  package static func load(_ path: String) throws(StorageError) -> DeviceKey {
    try FileSystem.requirePrivate(path)
    let bytes = try FileSystem.read(path, limit: fileLimit) ?? []
    do throws(OpenSSLError) {
      guard let key = try DeviceKey(owning: PEM.decodeKey(bytes)) else { throw OpenSSLError(code: 0) }
      return key
    } catch {
      throw .noKey(path: path)
    }
  }
}

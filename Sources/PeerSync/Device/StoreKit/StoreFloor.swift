import COpenSSL

/// What bare ECDSA costs: the floor of verifying, for measurements.
package final class StorageFloor {
  private let key: SignatureKey
  private let signature: [UInt8]
  private let digest: [UInt8]

  /// Nil for an item that does not verify.
  package init?(_ jws: JWS) {
    guard let fields = try? PayloadFields(jws.header, .header),
      case .array(let certificates)? = fields["x5c"],
      case .string(let leaf)? = certificates.first, let der = Base64.decode(Array(leaf.utf8), .standard),
      let certificate = StoreCertificate(der: der),
      let key = SignatureKey(of: certificate, header: jws.header),
      let digest = key.digest(of: jws.payload)
    else { return nil }
    self.key = key
    self.digest = digest
    signature = jws.signature
  }

  /// Verifies the one signature, as often as asked.
  ///
  /// - Returns: how often it was good
  package func verify(times count: Int) -> Int {
    (0..<count).reduce(0) { sum, _ in sum + (key.isValid(signature, of: digest) ? 1 : 0) }
  }
}

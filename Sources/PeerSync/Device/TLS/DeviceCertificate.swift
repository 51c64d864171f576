import COpenSSL

/// The certificate in which a device shows its key, for TLS knows no bare keys.
///
/// It says nothing but the key: no names, and dates without meaning. It is signed by the key itself, and as Ed25519
/// draws no random numbers, one key always makes the same certificate.
enum DeviceCertificate {
  /// - Returns: an `X509` that the caller owns
  static func make(for key: OpaquePointer) throws(OpenSSLError) -> OpaquePointer {
    let certificate = try made(X509_new())
    do {
      try fill(certificate, key)
    } catch {
      X509_free(certificate)
      throw error
    }
    return certificate
  }

  private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(OpenSSLError) {
    // Version 3 is written as 2.
    try require(X509_set_version(certificate, 2))
    try require(ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), 1))
    try require(ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "19700101000000Z"))
    // The date that RFC 5280 gives to certificates without an end.
    try require(ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z"))
    try require(X509_set_pubkey(certificate, key))
    // Ed25519 hashes by itself. The result is the length of the signature.
    guard X509_sign(certificate, key, nil) > 0 else { throw .take() }
  }
}

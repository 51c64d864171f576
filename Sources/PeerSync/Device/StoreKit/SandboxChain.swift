import COpenSSL

/// Three certificates as Apple's store has them, and the key of the first.
package final class SandboxChain {
  /// The leaf's key, owned.
  let key: OpaquePointer
  /// Leaf, intermediate and root.
  let certificates: [StoreCertificate]

  private init(key: OpaquePointer, certificates: [StoreCertificate]) {
    self.key = key
    self.certificates = certificates
  }

  deinit { EVP_PKEY_free(key) }

  /// The certificates as DER.
  package var encodedCertificates: [[UInt8]] {
    get throws(OpenSSLError) {
      var encoded: [[UInt8]] = []
      for certificate in certificates { encoded.append(try certificate.der()) }
      return encoded
    }
  }

  /// - Parameter alter: changes a certificate before it is signed; for tests that need chains with a flaw
  package static func generate(
    _ alter: (inout CertificateDraft, JWSRejection.Place) -> Void = { _, _ in }
  ) throws(OpenSSLError) -> SandboxChain {
    var drafts = [CertificateDraft.leaf, .intermediate, .root]
    for (index, place) in [JWSRejection.Place.leaf, .intermediate, .root].enumerated() {
      alter(&drafts[index], place)
    }
    var keys: [OpaquePointer] = []
    defer { for key in keys { EVP_PKEY_free(key) } }
    for draft in drafts { keys.append(try makeKey(draft.curve)) }
    let root = try drafts[2].signed(keys[2], by: nil, keys[2])
    let intermediate = try drafts[1].signed(keys[1], by: root, keys[2])
    let leaf = try drafts[0].signed(keys[0], by: intermediate, keys[1])
    EVP_PKEY_up_ref(keys[0])
    return SandboxChain(key: keys[0], certificates: [leaf, intermediate, root])
  }

  package static func makeKey(_ curve: String) throws(OpenSSLError) -> OpaquePointer {
    let context = try made(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
    defer { EVP_PKEY_CTX_free(context) }
    try require(EVP_PKEY_keygen_init(context))
    try require(EVP_PKEY_CTX_set_group_name(context, curve))
    var key: OpaquePointer?
    try require(EVP_PKEY_generate(context, &key))
    return try made(key)
  }
}

/// A certificate before it is signed. Valid at any time: the clocks of simulations are set as they please.
package struct CertificateDraft {
  let name: String
  let serial: Int64
  package var curve = "P-256"
  /// The number of each extension and its value as in OpenSSL's configuration files.
  package var extensions: [(number: Int32, value: String)]
  /// The object id of an empty extension that says what the certificate is for.
  package var marker: String?
  package var notBefore = "19700101000000Z"
  package var notAfter = "99991231235959Z"

  static let root = CertificateDraft(
    name: "PeerSync sandbox store root", serial: 1,
    extensions: [
      (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
      (NID_subject_key_identifier, "hash"),
    ])
  static let intermediate = CertificateDraft(
    name: "PeerSync sandbox store authority", serial: 2,
    extensions: [
      (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
      (NID_key_usage, "critical,keyCertSign,cRLSign"), (NID_subject_key_identifier, "hash"),
      (NID_authority_key_identifier, "keyid:always"),
    ], marker: CertificateChain.Marker.intermediate)
  static let leaf = CertificateDraft(
    name: "PeerSync sandbox store", serial: 3,
    extensions: [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
      (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
    ], marker: CertificateChain.Marker.leaf)

  /// - Parameters:
  ///   - key: the key that it certifies
  ///   - issuer: nil: itself
  ///   - issuerKey: the issuer's key
  func signed(_ key: OpaquePointer, by issuer: StoreCertificate?, _ issuerKey: OpaquePointer)
    throws(OpenSSLError) -> StoreCertificate
  {
    let certificate = StoreCertificate(owning: try made(X509_new()))
    let pointer = certificate.pointer
    // Version 3 is written as 2.
    try require(X509_set_version(pointer, 2))
    try require(ASN1_INTEGER_set_int64(X509_get_serialNumber(pointer), serial))
    try require(ASN1_TIME_set_string_X509(X509_getm_notBefore(pointer), notBefore))
    try require(ASN1_TIME_set_string_X509(X509_getm_notAfter(pointer), notAfter))
    let subject = X509_get_subject_name(pointer)
    // MBSTRING_UTF8
    try require(X509_NAME_add_entry_by_txt(subject, "CN", 0x1000, name, -1, -1, 0))
    try require(X509_set_issuer_name(pointer, X509_get_subject_name(issuer?.pointer ?? pointer)))
    try require(X509_set_pubkey(pointer, key))
    try addExtensions(to: pointer, issuer: issuer?.pointer ?? pointer)
    guard X509_sign(pointer, issuerKey, EVP_sha256()) > 0 else { throw .take() }
    return certificate
  }

  private func addExtensions(to certificate: OpaquePointer, issuer: OpaquePointer) throws(OpenSSLError) {
    for (number, value) in extensions {
      var context = X509V3_CTX()
      X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
      let made = try made(X509V3_EXT_conf_nid(nil, &context, number, value))
      defer { X509_EXTENSION_free(made) }
      try require(X509_add_ext(certificate, made, -1))
    }
    guard let marker else { return }
    // The DER of NULL.
    guard let content = ASN1_OCTET_STRING_new() else { throw .take() }
    defer { ASN1_OCTET_STRING_free(content) }
    try require(ASN1_OCTET_STRING_set(content, [0x05, 0x00], 2))
    guard let object = OBJ_txt2obj(marker, 1) else { throw .take() }
    defer { ASN1_OBJECT_free(object) }
    let extra = try made(X509_EXTENSION_create_by_OBJ(nil, object, 0, content))
    defer { X509_EXTENSION_free(extra) }
    try require(X509_add_ext(certificate, extra, -1))
  }
}

extension StoreCertificate {
  /// The certificate as DER.
  func der() throws(OpenSSLError) -> [UInt8] {
    let count = i2d_X509(pointer, nil)
    guard count > 0 else { throw .take() }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = bytes.withUnsafeMutableBufferPointer { buffer in
      var position = buffer.baseAddress
      return i2d_X509(pointer, &position)
    }
    guard written == count else { throw .take() }
    return bytes
  }
}

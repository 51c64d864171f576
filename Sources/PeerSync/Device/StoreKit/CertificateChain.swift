import COpenSSL

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A certificate that frees itself.
final class StoreCertificate {
  let pointer: OpaquePointer

  /// Reads DER with nothing behind it; nil for anything else.
  init?(der: [UInt8]) {
    let certificate = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
      guard let start = bytes.baseAddress, position == start + bytes.count else {
        X509_free(certificate)
        return nil
      }
      return certificate
    }
    ERR_clear_error()
    guard let certificate else { return nil }
    pointer = certificate
  }

  /// Takes a certificate over.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }

  /// When it is valid, in seconds since 1970: from the first, before the second.
  var validity: (from: Int64, until: Int64)? {
    guard let from = seconds(X509_get0_notBefore(pointer)), let until = seconds(X509_get0_notAfter(pointer))
    else { return nil }
    return (from, until)
  }

  /// Whether it is marked as one that signs others, in whatever way.
  var isAuthority: Bool {
    X509_check_ca(pointer) != 0 || X509_get_extension_flags(pointer) & UInt32(EXFLAG_CA) != 0
  }

  /// Whether it has an extension just once.
  func has(_ objectID: String) -> Bool {
    guard let object = OBJ_txt2obj(objectID, 1) else { return false }
    defer { ASN1_OBJECT_free(object) }
    let place = X509_get_ext_by_OBJ(pointer, object, -1)
    return place >= 0 && X509_get_ext_by_OBJ(pointer, object, place) < 0
  }

  private func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Int64(timegm(&parts))
  }
}

/// The three certificates of a header, verified as a path once; after that only the time is looked at.
final class CertificateChain {
  /// SHA-256 of the root's DER.
  let root: ContentHash
  private let certificates: [StoreCertificate]
  /// When all three are valid, in seconds since 1970: from the first, before the second.
  let validity: (from: Int64, until: Int64)
  private let key: SignatureKey

  /// Apple's object ids of what the certificates are for.
  enum Marker {
    static let leaf = "1.2.840.113635.100.6.11.1"
    static let intermediate = "1.2.840.113635.100.6.2.1"
  }

  /// Reads a header and checks everything about it that depends on no time and no trust.
  init(_ header: [UInt8]) throws(JWSRejection) {
    let encoded = try CertificateChain.encodedCertificates(header)
    var certificates: [StoreCertificate] = []
    for (text, place) in zip(encoded, [JWSRejection.Place.leaf, .intermediate, .root]) {
      guard let der = Base64.decode(Array(text.utf8), .standard), let read = StoreCertificate(der: der) else {
        throw .notCertificate(place)
      }
      certificates.append(read)
    }
    guard certificates[0].has(Marker.leaf) else { throw .missingMarker(.leaf) }
    guard certificates[1].has(Marker.intermediate) else { throw .missingMarker(.intermediate) }
    guard !certificates[0].isAuthority else { throw .leafIsAuthority }
    let spans = certificates.compactMap(\.validity)
    guard spans.count == 3, let from = spans.map(\.from).max(), let until = spans.map(\.until).min() else {
      throw .invalidPath("a date cannot be read")
    }
    guard let key = SignatureKey(of: certificates[0], header: header) else { throw .wrongKey }
    validity = (from, until)
    self.key = key
    self.certificates = certificates
    root = Cryptography.openSSL.hash(of: Base64.decode(Array(encoded[2].utf8), .standard) ?? [])
  }

  /// The texts of `x5c`, from a header that asks for nothing unknown.
  private static func encodedCertificates(_ header: [UInt8]) throws(JWSRejection) -> [String] {
    let fields = try PayloadFields(header, .header)
    guard case .string("ES256")? = fields["alg"] else { throw .wrongAlgorithm }
    for name in ["crit", "b64"] where fields.has(name) { throw .unknownExtension(name) }
    if let kid = fields["kid"] { guard case .string = kid else { throw .wrong("kid") } }
    guard case .array(let values)? = fields["x5c"], values.count == 3 else { throw .wrongChainLength }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { throw .wrongChainLength }
      texts.append(text)
    }
    return texts
  }

  /// Verifies the path from the leaf to the root, which the caller trusts, at a time.
  func verifyPath(at seconds: Int64) throws(JWSRejection) {
    guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new(),
      let untrusted = OPENSSL_sk_new_null()
    else { throw .invalidPath("no memory") }
    defer {
      X509_STORE_CTX_free(context)
      OPENSSL_sk_free(untrusted)
      X509_STORE_free(store)
      ERR_clear_error()
    }
    guard X509_STORE_add_cert(store, certificates[2].pointer) == 1,
      OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificates[1].pointer)) > 0,
      X509_STORE_CTX_init(context, store, certificates[0].pointer, untrusted) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { throw .invalidPath("no memory") }
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_X509_STRICT))
    // 112 bits: neither SHA-1 nor short keys.
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
    guard X509_verify_cert(context) == 1 else {
      let code = Int(X509_STORE_CTX_get_error(context))
      throw .invalidPath(X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "error \(code)")
    }
    guard OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context)) == 3 else {
      throw .invalidPath("it is not of three certificates")
    }
  }

  /// Whether all three certificates are valid at a time, as OpenSSL sees it.
  func isValid(at seconds: Int64) -> Bool { validity.from <= seconds && seconds < validity.until }

  /// SHA-256 of the signed text: the header, which is hashed already, and a payload.
  func digest(of payload: [UInt8]) -> [UInt8]? { key.digest(of: payload) }

  /// Whether a signature of a digest is by the leaf.
  func isValid(_ signature: [UInt8], of digest: [UInt8]) -> Bool { key.isValid(signature, of: digest) }
}

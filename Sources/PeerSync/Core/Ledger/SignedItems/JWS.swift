/// A JSON Web Signature in compact serialization (RFC 7515, section 7.1), taken apart.
///
/// Each part has one text only: base64url without padding, white space or spare bits. So the parts tell the text byte for
/// byte, and the text the parts.
public struct JWS: Hashable, Sendable {
  /// The header's JSON, with the certificates.
  public let header: [UInt8]
  /// The payload's JSON.
  public let payload: [UInt8]
  /// The signature, `r` and `s` of 32 bytes each.
  public let signature: [UInt8]

  /// Bytes of an ES256 signature.
  package static var signatureBytes: Int { 64 }

  package init(header: [UInt8], payload: [UInt8], signature: [UInt8]) {
    self.header = header
    self.payload = payload
    self.signature = signature
  }

  /// Takes a text apart.
  ///
  /// - Parameter limit: of its bytes
  package init(_ text: some Collection<UInt8>, atMost limit: Int = Limits.jwsBytes) throws(JWSRejection) {
    guard text.count <= limit else { throw .tooLong }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .notThreeParts }
    guard let header = Base64.decode(parts[0], .url), !header.isEmpty else { throw .notBase64(.header) }
    guard let payload = Base64.decode(parts[1], .url), !payload.isEmpty else { throw .notBase64(.payload) }
    guard let signature = Base64.decode(parts[2], .url) else { throw .notBase64(.signature) }
    guard signature.count == JWS.signatureBytes else { throw .badSignature }
    self.init(header: header, payload: payload, signature: signature)
  }

  /// The text, byte for byte as it was read.
  package var text: [UInt8] {
    Base64.encode(header, .url) + [UInt8(ascii: ".")] + Base64.encode(payload, .url) + [UInt8(ascii: ".")]
      + Base64.encode(signature, .url)
  }
}

/// Why an item of the store does not count.
public enum JWSRejection: Error, Hashable, Sendable {
  /// A part of a JSON Web Signature.
  public enum Part: String, Hashable, Sendable {
    /// What it says of how it is signed.
    case header = "header"
    /// What is signed.
    case payload = "payload"
    /// Of header and payload.
    case signature = "signature"
  }

  /// A certificate of the chain, by its place in `x5c`.
  public enum Place: String, Hashable, Sendable {
    /// It signs the item.
    case leaf = "first"
    /// It signs the first.
    case intermediate = "second"
    /// It signs the second, and is trusted or not.
    case root = "third"
  }

  // MARK: The text

  /// It is longer than ``Limits/jwsBytes``; a notification: than ``Limits/notificationBytes``.
  case tooLong
  /// It is not three texts with two dots between them.
  case notThreeParts
  /// A part is not base64url in its one form.
  case notBase64(Part)
  /// A part is not a JSON object, and why.
  case notJSON(Part, String)

  // MARK: The header and its certificates

  /// `alg` is not ES256.
  case wrongAlgorithm
  /// The header asks for something that this reader does not know.
  case unknownExtension(String)
  /// `x5c` is not an array of exactly three texts.
  case wrongChainLength
  /// It names the key that Xcode makes for itself, for which nobody vouches.
  case signedByXcode
  /// A text of `x5c` is not the base64 of one certificate, with nothing behind it.
  case notCertificate(Place)
  /// The third certificate is none of the trusted roots.
  case untrustedRoot
  /// A certificate lacks the mark of what it is for.
  case missingMarker(Place)
  /// The certificates are not a valid path at the time of signing, in OpenSSL's words.
  case invalidPath(String)
  /// The certificate that signs is one of an authority.
  case leafIsAuthority
  /// The key that signs is not of the curve P-256.
  case wrongKey
  /// The signature is not of 64 bytes, or not by that key.
  case badSignature

  // MARK: The payload

  /// The fields are those of no kind of payload, or of several.
  case unknownKind
  /// It is of another kind than asked for.
  case otherKind
  /// A field that has to be there is missing.
  case missing(String)
  /// A field has a wrong type, or a value out of range.
  case wrong(String)
  /// It is of another app.
  case otherBundle
  /// It is of another environment.
  case otherEnvironment
  /// Signed data inside a notification do not count, and why.
  indirect case nested(String, JWSRejection)

  // MARK: The register

  /// The value is none of a signed item.
  case malformed
  /// Nobody signed it.
  case unsigned
  /// The signed content contradicts the key, the stamp or the first byte of its register.
  case contradictsRegister
  /// A part that the item refers to has not arrived.
  case pending
}

extension JWSRejection {
  /// What is wrong, as a code: what is decided by a reason is decided by this. It never changes, and holds nothing that a library
  /// says in its own words.
  package var code: String {
    switch self {
    case .tooLong: "tooLong"
    case .notThreeParts: "notThreeParts"
    case .notBase64(let part): "notBase64 \(part.rawValue)"
    case .notJSON(let part, _): "notJSON \(part.rawValue)"
    case .wrongAlgorithm: "wrongAlgorithm"
    case .unknownExtension(let name): "unknownExtension \(name)"
    case .wrongChainLength: "wrongChainLength"
    case .signedByXcode: "signedByXcode"
    case .notCertificate(let place): "notCertificate \(place.rawValue)"
    case .untrustedRoot: "untrustedRoot"
    case .missingMarker(let place): "missingMarker \(place.rawValue)"
    case .invalidPath: "invalidPath"
    case .leafIsAuthority: "leafIsAuthority"
    case .wrongKey: "wrongKey"
    case .badSignature: "badSignature"
    case .unknownKind: "unknownKind"
    case .otherKind: "otherKind"
    case .missing(let field): "missing \(field)"
    case .wrong(let field): "wrong \(field)"
    case .otherBundle: "otherBundle"
    case .otherEnvironment: "otherEnvironment"
    case .nested(let field, let inner): "nested \(field) \(inner.code)"
    case .malformed: "malformed"
    case .unsigned: "unsigned"
    case .contradictsRegister: "contradictsRegister"
    case .pending: "pending"
    }
  }
}

extension JWSRejection: CustomStringConvertible {
  /// What is wrong, in one sentence.
  public var description: String {
    switch self {
    case .tooLong:
      "the text is longer than \(Limits.jwsBytes) bytes, or a notification than \(Limits.notificationBytes)"
    case .notThreeParts: "the text is not three parts with two dots between them"
    case .notBase64(let part): "the \(part.rawValue) is not base64url without padding and white space"
    case .notJSON(let part, let problem): "the \(part.rawValue) is not a JSON object: \(problem)"
    case .wrongAlgorithm: "the algorithm is not ES256"
    case .unknownExtension(let name): "the header asks for \"\(name)\", which is not known here"
    case .wrongChainLength: "the header does not bring exactly three certificates"
    case .signedByXcode:
      "Xcode has signed it with a certificate of its own, which nobody can verify: buy in Apple's sandbox"
    case .notCertificate(let place):
      "the \(place.rawValue) certificate is not the base64 of one DER certificate"
    case .untrustedRoot: "the third certificate is none of the trusted roots"
    case .missingMarker(let place): "the \(place.rawValue) certificate is not marked as one of the store"
    case .invalidPath(let words): "the certificates are not a valid path at the time of signing: \(words)"
    case .leafIsAuthority: "the certificate that signs is one of an authority"
    case .wrongKey: "the key that signs is not of the curve P-256"
    case .badSignature: "the signature is not by the key of the first certificate"
    case .unknownKind: "the payload is not a transaction, renewal info or notification"
    case .otherKind: "the payload is of another kind"
    case .missing(let field): "the field \"\(field)\" is missing"
    case .wrong(let field): "the field \"\(field)\" has a wrong type or is out of range"
    case .otherBundle: "it is of another app"
    case .otherEnvironment: "it is of another environment"
    case .nested(let field, let inner): "\(field): \(inner)"
    case .malformed: "the register holds no signed item"
    case .unsigned: "nobody signed it"
    case .contradictsRegister: "the signed content contradicts the register that holds it"
    case .pending: "a part of it has not arrived yet"
    }
  }
}

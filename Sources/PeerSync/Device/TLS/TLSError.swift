import COpenSSL

/// Why an encrypted connection came to nothing, or to its end.
package enum TLSError: Error, Hashable, Sendable {
  /// What came is not TLS.
  case notTLS
  /// The other side does not speak TLS 1.3, or none of our algorithms.
  case noCommonVersion
  /// The other side asked for no protocol that is spoken here, or answered with none.
  case noCommonProtocol
  /// The other side wants to join, and no invitation is open.
  case noInvitation
  /// The two sides do not have the same invitation code.
  case wrongCode
  /// The other side has shown no certificate with an Ed25519 key.
  case noCertificate
  /// The other side holds a key that is not a member's.
  case notMember(PublicKey)
  /// The other side does not take this device for a member.
  case notRecognized
  /// More than ``Limits/handshakeBytes`` came, and the handshake was not complete.
  case handshakeTooLong
  /// The handshake took longer than ``Limits/handshakeMilliseconds``.
  case handshakeTooSlow
  /// A record was altered, repeated, left out or made up.
  case damaged
  /// The other side asks for what no device asks for, such as new keys again and again.
  case unexpected
  /// Something was to be sent, and the handshake is not complete, or the channel at its end.
  case notEstablished
  /// The other side gave up, for the reason with this number (RFC 8446, section 6).
  case alert(UInt8)
  /// Anything else, in OpenSSL's words.
  case failed(OpenSSLError)
}

extension TLSError: CustomStringConvertible {
  /// What happened, in a few words.
  package var description: String {
    switch self {
    case .notTLS: "the other side does not speak TLS"
    case .noCommonVersion: "the other side does not speak TLS 1.3 with the same algorithms"
    case .noCommonProtocol: "the other side speaks another protocol"
    case .noInvitation: "no invitation is open"
    case .wrongCode: "the invitation code is wrong"
    case .noCertificate: "the other side has shown no certificate of a device"
    case .notMember(let key): "the other side's key \(key) is not a member's"
    case .notRecognized: "the other side does not take this device for a member"
    case .handshakeTooLong: "the handshake is longer than \(Limits.handshakeBytes) bytes"
    case .handshakeTooSlow: "the handshake took longer than \(Limits.handshakeMilliseconds) ms"
    case .damaged: "a record was altered on its way"
    case .unexpected: "the other side asks for what no device asks for"
    case .notEstablished: "the channel is not open"
    case .alert(let number): "the other side gave up: TLS alert \(number)"
    case .failed(let error): "\(error)"
    }
  }
}

extension TLSError {
  /// Takes the oldest error of this thread, and leaves none.
  ///
  /// - Parameters:
  ///   - wanted: what this side dialled for; nil on the accepting side
  ///   - refused: the key that was just refused
  static func take(dialling wanted: TLSProtocol?, refused: PublicKey?) -> TLSError {
    let error = OpenSSLError.take()
    guard error.library == ERR_LIB_SSL else { return .failed(error) }
    switch error.reason {
    case SSL_R_BINDER_DOES_NOT_VERIFY: return .wrongCode
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return refused.map { .notMember($0) } ?? .noCertificate
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .noCertificate
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SUITABLE_KEY_SHARE,
      SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_WRONG_SSL_VERSION:
      return .noCommonVersion
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_UNKNOWN_PROTOCOL,
      SSL_R_BAD_RECORD_TYPE, SSL_R_PACKET_LENGTH_TOO_LONG:
      return .notTLS
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC: return .damaged
    case SSL_AD_REASON_OFFSET..<SSL_AD_REASON_OFFSET + 256:
      return .init(alert: UInt8(error.reason - SSL_AD_REASON_OFFSET), wanted)
    default: return .failed(error)
    }
  }

  /// What the other side means. The accepting side takes nobody's word for a wrong code: only what it has checked.
  private init(alert: UInt8, _ wanted: TLSProtocol?) {
    switch (Int32(alert), wanted) {
    case (SSL_AD_ILLEGAL_PARAMETER, .invitation): self = .wrongCode
    case (SSL_AD_NO_APPLICATION_PROTOCOL, .invitation): self = .noInvitation
    case (SSL_AD_NO_APPLICATION_PROTOCOL, _): self = .noCommonProtocol
    case (SSL_AD_PROTOCOL_VERSION, _): self = .noCommonVersion
    case (SSL_AD_UNKNOWN_CA, _): self = .notRecognized
    case (SSL_AD_BAD_RECORD_MAC, _): self = .damaged
    default: self = .alert(alert)
    }
  }
}

import COpenSSL
import PeerSync
import Testing

/// Something at one end of a wire.
protocol WireEnd: AnyObject {
  func take(_ bytes: [UInt8])
  /// What it has to send, once.
  func outgoing() -> [UInt8]
}

/// A ``TLSChannel``, and all that came out of it.
final class TLSEnd: WireEnd {
  let channel: TLSChannel
  private(set) var established: Channel?
  private(set) var received: [UInt8] = []
  private(set) var error: TLSError?
  /// Everything that it has sent so far, as it went over the wire.
  private(set) var sent: [UInt8] = []

  init(_ channel: TLSChannel) { self.channel = channel }

  func take(_ bytes: [UInt8]) {
    guard error == nil else { return }
    bytes.withUnsafeBytes { bytes in
      do throws(TLSError) {
        try channel.receive(bytes) {
          switch $0 {
          case .established(let channel): established = channel
          case .plaintext(let bytes): received += bytes
          }
        }
      } catch { self.error = error }
    }
  }

  func outgoing() -> [UInt8] {
    let bytes = channel.withOutgoing { Array($0) }
    channel.removeOutgoing(bytes.count)
    sent += bytes
    return bytes
  }

  func send(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try channel.send($0) } }

  /// Encrypts bytes and takes them off the wire.
  func seal(_ bytes: [UInt8]) throws -> [UInt8] {
    try send(bytes)
    return outgoing()
  }
}

/// A device with a key of its own, and the members that it knows.
struct TLSDevice {
  let key: DeviceKey
  let members: MemberKeys
  let context: TLSContext

  init(_ key: DeviceKey, members: [DeviceKey]) throws {
    self.key = key
    let members = MemberKeys(Set(members.map(\.publicKey)))
    self.members = members
    context = try TLSContext(key, hasBelonged: members.hasBelonged, isMember: members.contains)
  }

  /// Two devices that know each other.
  static func pair() throws -> (TLSDevice, TLSDevice) {
    let (first, second) = (try DeviceKey.generate(), try DeviceKey.generate())
    return (
      try TLSDevice(first, members: [first, second]), try TLSDevice(second, members: [first, second])
    )
  }

  func dial(_ invitation: InvitationKey? = nil, isIntroduction: Bool = false) throws -> TLSEnd {
    TLSEnd(try TLSChannel(dialling: context, invitation: invitation, isIntroduction: isIntroduction))
  }

  func accept(_ invitation: InvitationKey? = nil) throws -> TLSEnd {
    TLSEnd(try TLSChannel(accepting: context) { invitation })
  }
}

/// Carries bytes both ways until neither end has any more.
///
/// - Parameter piece: how many bytes arrive at once
func shake(_ left: any WireEnd, _ right: any WireEnd, piece: Int = .max) {
  while carry(from: left, to: right, piece: piece) + carry(from: right, to: left, piece: piece) > 0 {}
}

@discardableResult func carry(from sender: any WireEnd, to receiver: any WireEnd, piece: Int = .max) -> Int {
  let bytes = sender.outgoing()
  var rest = bytes[...]
  while !rest.isEmpty {
    receiver.take(Array(rest.prefix(piece)))
    rest = rest.dropFirst(piece)
  }
  return bytes.count
}

/// An established session between two members.
func establishedPair() throws -> (TLSEnd, TLSEnd) {
  let (phone, tablet) = try TLSDevice.pair()
  let ends = (try phone.dial(), try tablet.accept())
  shake(ends.0, ends.1)
  try #require(ends.0.established != nil && ends.1.established != nil)
  return ends
}

/// A client of OpenSSL that PeerSync had no hand in.
final class StrangeClient: WireEnd {
  enum Certificate: CaseIterable { case none, ed25519, p256, rsa }

  private(set) var received: [UInt8] = []
  /// Whether it takes the handshake to be complete.
  var isEstablished: Bool { SSL_is_init_finished(connection) == 1 }
  private let connection: OpaquePointer

  /// - Parameter protocols: for ALPN; empty: without
  init(
    _ certificate: Certificate, protocols: [String] = ["peersync/1"], version: Int32 = TLS1_3_VERSION
  ) throws {
    let context = try #require(SSL_CTX_new(TLS_client_method()))
    defer { SSL_CTX_free(context) }
    _ = peersync_SSL_CTX_set_proto_versions(context, version, version)
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    try Self.use(certificate, in: context)
    let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !list.isEmpty { SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) }
    connection = try #require(SSL_new(context))
    SSL_set_bio(connection, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    SSL_set_connect_state(connection)
    SSL_do_handshake(connection)
    ERR_clear_error()
  }

  deinit { SSL_free(connection) }

  func take(_ bytes: [UInt8]) {
    BIO_write(SSL_get_rbio(connection), bytes, Int32(bytes.count))
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = SSL_read(connection, &buffer, Int32(buffer.count))
      guard count > 0 else { break }
      received += buffer[..<Int(count)]
    }
    ERR_clear_error()
  }

  func outgoing() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = BIO_read(SSL_get_wbio(connection), &buffer, Int32(buffer.count))
    return count > 0 ? Array(buffer[..<Int(count)]) : []
  }

  func send(_ bytes: [UInt8]) { SSL_write(connection, bytes, Int32(bytes.count)) }

  /// Asks the other side for new keys.
  func askForKeys() {
    SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED)
    SSL_do_handshake(connection)
  }

  private static func use(_ certificate: Certificate, in context: OpaquePointer) throws {
    guard let key = makeKey(certificate) else { return }
    defer { EVP_PKEY_free(key) }
    let own = try #require(X509_new())
    defer { X509_free(own) }
    ASN1_INTEGER_set_int64(X509_get_serialNumber(own), 7)
    X509_gmtime_adj(X509_getm_notBefore(own), 0)
    X509_gmtime_adj(X509_getm_notAfter(own), 3600)
    X509_set_pubkey(own, key)
    X509_sign(own, key, certificate == .ed25519 ? nil : EVP_sha256())
    #expect(SSL_CTX_use_certificate(context, own) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1)
  }

  private static func makeKey(_ certificate: Certificate) -> OpaquePointer? {
    let type: Int32
    switch certificate {
    case .none: return nil
    case .ed25519: type = EVP_PKEY_ED25519
    case .p256: type = EVP_PKEY_EC
    case .rsa: type = EVP_PKEY_RSA
    }
    let context = EVP_PKEY_CTX_new_id(type, nil)
    defer { EVP_PKEY_CTX_free(context) }
    EVP_PKEY_keygen_init(context)
    if certificate == .p256 { EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) }
    var key: OpaquePointer?
    EVP_PKEY_keygen(context, &key)
    return key
  }
}

/// A server of OpenSSL that speaks any protocol, and has a certificate and no key of an invitation.
final class StrangeServer: WireEnd {
  private(set) var received: [UInt8] = []
  private let connection: OpaquePointer?

  init() {
    let context = SSL_CTX_new(TLS_server_method())
    defer { SSL_CTX_free(context) }
    let key = peersync_EVP_PKEY_generate("ED25519")
    defer { EVP_PKEY_free(key) }
    let certificate = X509_new()
    defer { X509_free(certificate) }
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600)
    X509_set_pubkey(certificate, key)
    X509_sign(certificate, key, nil)
    SSL_CTX_use_certificate(context, certificate)
    SSL_CTX_use_PrivateKey(context, key)
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, name, length, list, _, _ in
        name?.pointee = list.map { $0 + 1 }
        length?.pointee = list?.pointee ?? 0
        return SSL_TLSEXT_ERR_OK
      }, nil)
    connection = SSL_new(context)
    SSL_set_bio(connection, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    SSL_set_accept_state(connection)
  }

  deinit { SSL_free(connection) }

  func take(_ bytes: [UInt8]) {
    BIO_write(SSL_get_rbio(connection), bytes, Int32(bytes.count))
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = SSL_read(connection, &buffer, Int32(buffer.count))
    if count > 0 { received += buffer[..<Int(count)] }
    ERR_clear_error()
  }

  func outgoing() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = BIO_read(SSL_get_wbio(connection), &buffer, Int32(buffer.count))
    return count > 0 ? Array(buffer[..<Int(count)]) : []
  }
}

import COpenSSL

/// How the contexts of OpenSSL are set up.
enum TLSOptions {
  /// TLS_AES_128_GCM_SHA256, which every implementation has; and as OpenSSL finds it.
  private static let cipher = "TLS_AES_128_GCM_SHA256"
  private static let cipherNumber: [UInt8] = [0x13, 0x01]
  /// What the key of an invitation is called on the wire: always the same, so that it tells nothing about the code,
  /// and the code and an address are all that a new device needs.
  private static let invitationIdentity: StaticString = "peersync invitation"
  private static let sessionName: StaticString = "peersync"

  static func makeContext(_ kind: TLSProtocol) throws(OpenSSLError) -> OpaquePointer {
    let context = try made(SSL_CTX_new(TLS_method()))
    do throws(OpenSSLError) {
      try setUp(context)
      // Zero is success here, unlike elsewhere.
      let list = kind.list
      guard SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) == 0 else { throw OpenSSLError.take() }
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
    SSL_CTX_set_cert_verify_callback(context, kind == .invitation ? verifyNobody : verifyMember, nil)
    switch kind {
    case .certificate, .introduction:
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    case .invitation:
      // Whoever shows a certificate instead is heard out, and refused.
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
      SSL_CTX_set_psk_use_session_callback(context, useInvitation)
      SSL_CTX_set_psk_find_session_callback(context, findInvitation)
    }
    return context
  }

  /// A context that stops at the first message.
  static func makeHelloContext() throws(OpenSSLError) -> OpaquePointer {
    let context = try made(SSL_CTX_new(TLS_server_method()))
    SSL_CTX_set_client_hello_cb(context, readHello, nil)
    return context
  }

  private static func setUp(_ context: OpaquePointer) throws(OpenSSLError) {
    try require(peersync_SSL_CTX_set_proto_versions(context, TLS1_3_VERSION, TLS1_3_VERSION))
    try require(SSL_CTX_set_ciphersuites(context, cipher))
    try require(peersync_SSL_CTX_set1_groups_list(context, "X25519"))
    try require(peersync_SSL_CTX_set1_sigalgs_list(context, "ed25519"))
    try require(SSL_CTX_set_num_tickets(context, 0))
    try require(SSL_CTX_set_max_early_data(context, 0))
    // OpenSSL wants a name for sessions that may be resumed, although none is: a key from outside is one to it.
    try require(
      SSL_CTX_set_session_id_context(context, sessionName.utf8Start, UInt32(sessionName.utf8CodeUnitCount)))
    peersync_SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF)
    peersync_SSL_CTX_set_mode(context, Int32(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN))
    peersync_SSL_CTX_set_options(context)
  }

  /// A session of OpenSSL that stands for the key of an invitation: that is how it takes keys from outside.
  fileprivate static func session(_ key: InvitationKey, on connection: OpaquePointer?) -> OpaquePointer? {
    guard let session = SSL_SESSION_new() else { return nil }
    if let cipher = SSL_CIPHER_find(connection, cipherNumber),
      SSL_SESSION_set1_master_key(session, key.bytes, key.bytes.count) == 1,
      SSL_SESSION_set_cipher(session, cipher) == 1,
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1,
      SSL_SESSION_set1_id_context(session, sessionName.utf8Start, UInt32(sessionName.utf8CodeUnitCount)) == 1
    {
      return session
    }
    SSL_SESSION_free(session)
    return nil
  }

  fileprivate static var identity: UnsafeBufferPointer<UInt8> { invitationIdentity.bytes }
}

// MARK: What OpenSSL calls

private typealias CertificateCallback = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32
private typealias Bytes = UnsafePointer<UInt8>

/// Takes whom the member list knows by its key. The other side has proved that it holds the key, or is about to.
private let verifyMember: CertificateCallback = { store, _ in
  guard let store, let notes = TLSNotes.of(connection(of: store)) else { return 0 }
  guard let key = publicKey(in: store) else {
    X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
    return 0
  }
  guard notes.takes(key) else {
    notes.refused = key
    // Becomes the alert "unknown CA".
    X509_STORE_CTX_set_error(store, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
    return 0
  }
  X509_STORE_CTX_set_error(store, X509_V_OK)
  return 1
}

/// There are no certificates where an invitation is all.
private let verifyNobody: CertificateCallback = { store, _ in
  if let store { X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED) }
  return 0
}

private func connection(of store: OpaquePointer) -> OpaquePointer? {
  X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()).map { OpaquePointer($0) }
}

private func publicKey(in store: OpaquePointer) -> PublicKey? {
  guard let leaf = X509_STORE_CTX_get0_cert(store), let key = X509_get0_pubkey(leaf) else { return nil }
  return OpenSSLCryptography.publicKey(of: key)
}

/// Answers with the protocol that the first message asked for.
private let selectProtocol: SSL_CTX_alpn_select_cb_func = { connection, name, length, list, count, _ in
  guard let kind = TLSNotes.of(connection)?.kind, let list,
    let range = kind.range(in: UnsafeRawBufferPointer(start: list, count: Int(count)))
  else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  name?.pointee = list + range.lowerBound
  length?.pointee = UInt8(range.count)
  return SSL_TLSEXT_ERR_OK
}

/// Finds out what the other side wants, and stops.
private let readHello: SSL_client_hello_cb_fn = { connection, alert, _ in
  guard let notes = TLSNotes.of(connection) else { return SSL_CLIENT_HELLO_ERROR }
  let kind = wantedProtocol(connection)
  if kind == .invitation { notes.invitation = notes.openInvitation() }
  if kind == nil || kind == .invitation && notes.invitation == nil {
    notes.refusal = kind == nil ? .noCommonProtocol : .noInvitation
    alert?.pointee = SSL_AD_NO_APPLICATION_PROTOCOL
    return SSL_CLIENT_HELLO_ERROR
  }
  notes.kind = kind
  return SSL_CLIENT_HELLO_RETRY
}

private func wantedProtocol(_ connection: OpaquePointer?) -> TLSProtocol? {
  var start: Bytes?
  var count = 0
  let type = UInt32(TLSEXT_TYPE_application_layer_protocol_negotiation)
  guard SSL_client_hello_get0_ext(connection, type, &start, &count) == 1, count > 2 else { return nil }
  // The list stands behind its length, which OpenSSL checks when the message is read in earnest.
  let list = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(start: start, count: count)[2...])
  return TLSProtocol.allCases.first { $0.range(in: list) != nil }
}

/// The dialling side's key.
private let useInvitation: SSL_psk_use_session_cb_func = { connection, _, identity, length, session in
  guard let key = TLSNotes.of(connection)?.invitation, let made = TLSOptions.session(key, on: connection)
  else { return 0 }
  identity?.pointee = TLSOptions.identity.baseAddress
  length?.pointee = TLSOptions.identity.count
  session?.pointee = made
  return 1
}

/// The accepting side's key. Without one the handshake ends, for there is no certificate to go on with.
private let findInvitation: SSL_psk_find_session_cb_func = { connection, identity, length, session in
  session?.pointee = nil
  guard let key = TLSNotes.of(connection)?.invitation,
    UnsafeBufferPointer(start: identity, count: length).elementsEqual(TLSOptions.identity)
  else { return 1 }
  guard let made = TLSOptions.session(key, on: connection) else { return 0 }
  session?.pointee = made
  return 1
}

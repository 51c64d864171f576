import COpenSSL

/// One end of an encrypted connection: bytes in, bytes out, and no socket.
///
/// Its owner gives it what the other side sent, by ``receive(_:_:)``, and what is to be sent, by ``send(_:)``; and
/// sends what ``withOutgoing(_:)`` shows. Used on one queue at a time. After an error it is of no more use, but for the
/// last bytes that it has to send.
package final class TLSChannel {
  /// What received bytes come to.
  package enum Output {
    /// The handshake is complete. Comes once, and first.
    case established(Channel)
    /// Bytes that the other side sent; valid as long as the call.
    case plaintext(UnsafeRawBufferPointer)
  }

  private enum Phase {
    /// Waiting for the first message, which tells what the other side wants.
    case hello
    case handshake
    case established
    /// Nothing more comes.
    case ended
  }

  private let context: TLSContext
  private let notes: TLSNotes
  private let isDialling: Bool
  private var phase: Phase
  private var connection: OpaquePointer
  /// What came while waiting for the first message.
  private var hello: [UInt8] = []
  private var handshakeBytes = 0

  /// Bytes handled at once, plain or encrypted: as many as one record holds.
  private static let recordBytes = 16 * 1024
  /// Encrypted bytes beyond which an idle channel gives its buffer back.
  private static let idleBytes = 20 * 1024

  /// The dialling end. Its first message is ready to be sent.
  ///
  /// - Parameters:
  ///   - invitation: the key of the code by which to join; nil to meet a member
  ///   - isIntroduction: whether it is to show a member that this device is one
  /// - Throws: ``OpenSSLError``.
  package init(
    dialling context: TLSContext, invitation: InvitationKey? = nil, isIntroduction: Bool = false
  ) throws(OpenSSLError) {
    self.context = context
    let meeting: TLSProtocol = isIntroduction ? .introduction : .certificate
    notes = TLSNotes(invitation == nil ? meeting : .invitation, context) { nil }
    notes.invitation = invitation
    isDialling = true
    phase = .handshake
    connection = try context.makeConnection(notes.kind, notes)
    SSL_set_connect_state(connection)
    ERR_clear_error()
    SSL_do_handshake(connection)
    ERR_clear_error()
  }

  /// The accepting end.
  ///
  /// - Parameter invitation: asked for the key of the open invitation when the other side wants to join
  /// - Throws: ``OpenSSLError``.
  package init(
    accepting context: TLSContext, invitation: @escaping () -> InvitationKey? = { nil }
  ) throws(OpenSSLError) {
    self.context = context
    notes = TLSNotes(nil, context, openInvitation: invitation)
    notes.isAccepting = true
    isDialling = false
    phase = .hello
    connection = try context.makeConnection(nil, notes)
    SSL_set_accept_state(connection)
  }

  deinit { SSL_free(connection) }

  /// Whether the other side has said that nothing more comes.
  package var isEnded: Bool { phase == .ended }

  /// Takes what the other side sent.
  ///
  /// - Parameter deliver: called with what that comes to, in order; may call ``send(_:)`` and ``close()``
  package func receive(_ bytes: UnsafeRawBufferPointer, _ deliver: (Output) -> Void) throws(TLSError) {
    var rest = bytes[...]
    while !rest.isEmpty, phase != .ended {
      let isComplete = phase == .established
      let room = isComplete ? Self.recordBytes : min(Self.recordBytes, Limits.handshakeBytes - handshakeBytes)
      guard room > 0 else { throw end(.handshakeTooLong) }
      let piece = rest.prefix(room)
      rest = rest.dropFirst(room)
      if !isComplete { handshakeBytes += piece.count }
      try take(UnsafeRawBufferPointer(rebasing: piece), deliver)
    }
  }

  /// Encrypts bytes for the other side, in records as large as they may be.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    guard phase == .established else { throw .notEstablished }
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    var written = 0
    guard SSL_write_ex(connection, bytes.baseAddress, bytes.count, &written) == 1 else { throw failure() }
  }

  /// Tells the other side that nothing more comes.
  package func close() {
    guard phase == .established else { return }
    phase = .ended
    SSL_shutdown(connection)
    ERR_clear_error()
  }

  // MARK: What is to be sent

  /// Encrypted bytes that wait.
  package var outgoingCount: Int { withOutgoing(\.count) }

  /// Shows the encrypted bytes that wait.
  package func withOutgoing<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var start: UnsafeMutablePointer<CChar>?
    let count = peersync_BIO_get_mem_data(SSL_get_wbio(connection), &start)
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Drops so many encrypted bytes: they were sent.
  package func removeOutgoing(_ count: Int) {
    let output = SSL_get_wbio(connection)
    guard count < outgoingCount else { return dropOutgoing(count, output) }
    withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) {
      _ = BIO_read(output, $0.baseAddress, Int32(clamping: count))
    }
  }

  /// A large buffer is given back.
  private func dropOutgoing(_ count: Int, _ output: OpaquePointer?) {
    if count > Self.idleBytes, let fresh = BIO_new(BIO_s_mem()) {
      SSL_set0_wbio(connection, fresh)
    } else {
      _ = peersync_BIO_reset(output)
    }
  }

  // MARK: What comes in

  private func take(_ bytes: UnsafeRawBufferPointer, _ deliver: (Output) -> Void) throws(TLSError) {
    ERR_clear_error()
    guard BIO_write(SSL_get_rbio(connection), bytes.baseAddress, Int32(bytes.count)) == bytes.count else {
      throw failure()
    }
    if phase == .hello {
      hello += bytes
      guard try isHelloRead() else { return }
      try beginHandshake()
    }
    if phase == .handshake {
      guard try isHandshakeComplete() else { return }
      let channel = try conclude()
      phase = .established
      deliver(.established(channel))
    }
    try read(deliver)
  }

  /// Whether it is known what the other side wants.
  private func isHelloRead() throws(TLSError) -> Bool {
    let result = SSL_do_handshake(connection)
    if notes.kind != nil { return true }
    if let refusal = notes.refusal { throw end(refusal) }
    guard SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else { throw failure() }
    return false
  }

  /// Begins anew, in the context that the other side wants, with what came so far.
  private func beginHandshake() throws(TLSError) {
    let wanted: OpaquePointer
    do throws(OpenSSLError) { wanted = try context.makeConnection(notes.kind, notes) } catch {
      throw end(.failed(error))
    }
    SSL_free(connection)
    connection = wanted
    SSL_set_accept_state(connection)
    ERR_clear_error()
    phase = .handshake
    guard BIO_write(SSL_get_rbio(connection), hello, Int32(hello.count)) == hello.count else {
      throw failure()
    }
    hello = []
  }

  private func isHandshakeComplete() throws(TLSError) -> Bool {
    let result = SSL_do_handshake(connection)
    if result == 1 { return true }
    guard SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else { throw failure() }
    return false
  }

  /// What the handshake has proved. OpenSSL's callbacks have refused everything else before; this looks at the result.
  private func conclude() throws(TLSError) -> Channel {
    guard let kind = notes.kind, selectedProtocol.elementsEqual(kind.name.bytes) else {
      throw end(.noCommonProtocol)
    }
    let certificate = SSL_get0_peer_certificate(connection)
    let isByKey = SSL_session_reused(connection) == 1
    switch kind {
    case .certificate, .introduction:
      guard !isByKey, let key = certificate.flatMap({ X509_get0_pubkey($0) }),
        let publicKey = OpenSSLCryptography.publicKey(of: key)
      else { throw end(.noCertificate) }
      return kind == .certificate ? .certificate(publicKey) : .introduction(publicKey)
    case .invitation:
      guard isByKey, certificate == nil else { throw end(.wrongCode) }
      return .invitation(exporter: try exporter())
    }
  }

  private var selectedProtocol: UnsafeBufferPointer<UInt8> {
    var start: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(connection, &start, &count)
    return UnsafeBufferPointer(start: start, count: Int(count))
  }

  private func exporter() throws(TLSError) -> ContentHash {
    let label: StaticString = "EXPORTER-PeerSync-join"
    var bytes = [UInt8](repeating: 0, count: 32)
    let result = label.withUTF8Buffer { label in
      label.withMemoryRebound(to: CChar.self) {
        SSL_export_keying_material(connection, &bytes, 32, $0.baseAddress, $0.count, nil, 0, 0)
      }
    }
    guard result == 1, let value = ContentHash(bytes) else { throw failure() }
    return value
  }

  private func read(_ deliver: (Output) -> Void) throws(TLSError) {
    while phase == .established, let count = try readRecord(deliver), count > 0 {}
  }

  /// - Returns: how many bytes came; nil when there is no whole record
  private func readRecord(_ deliver: (Output) -> Void) throws(TLSError) -> Int? {
    var failed: TLSError?
    let count = withUnsafeTemporaryAllocation(byteCount: Self.recordBytes, alignment: 16) { buffer -> Int? in
      let waiting = outgoingCount
      var count = 0
      guard SSL_read_ex(connection, buffer.baseAddress, buffer.count, &count) == 1 else {
        failed = readFailure(waiting: waiting)
        return nil
      }
      deliver(.plaintext(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
      return count
    }
    if let failed { throw failed }
    return count
  }

  /// - Parameter waiting: how much was to be sent before. Reading adds to it only when the other side asks for new keys
  ///   again and again, which no device does; one that reads no answers would fill the memory with them.
  /// - Returns: nil when there is just no more yet
  private func readFailure(waiting: Int) -> TLSError? {
    switch SSL_get_error(connection, 0) {
    case SSL_ERROR_WANT_READ: return outgoingCount == waiting ? nil : end(.unexpected)
    case SSL_ERROR_ZERO_RETURN:
      phase = .ended
      return nil
    default: return failure()
    }
  }

  private func failure() -> TLSError {
    let error = TLSError.take(dialling: isDialling ? notes.kind : nil, refused: notes.refused)
    return end(phase == .established && error == .notTLS ? .damaged : error)
  }

  private func end(_ error: TLSError) -> TLSError {
    phase = .ended
    ERR_clear_error()
    return error
  }
}

import COpenSSL

/// What all encrypted connections of a device have in common.
///
/// TLS 1.3 with one group (X25519), one cipher (AES-128-GCM with SHA-256) and one signature (Ed25519), so that there is
/// no downgrade. No session is ever resumed, and no data sent early. Four contexts of OpenSSL:
///
/// - one for members, which owns the device's certificate and asks for the other side's. Its key must be a member's;
///   who issued the certificate, its names and dates play no part;
/// - one for invitations, which owns no certificate and takes none, so that it cannot fall back to certificates: only
///   who has the key of the invitation gets through;
/// - one for introductions, which is like the first, but that an accepted connection may show any key: it proves by what it
///   says that it is a member's; and a dialled one that of a device that was removed: it is shown so;
/// - one that reads the first message of an accepted connection, to tell which of them it wants.
///
/// `@unchecked Sendable`: OpenSSL locks what connections share, and nothing changes a context once it is made.
package final class TLSContext: @unchecked Sendable {
  let isMember: @Sendable (PublicKey) -> Bool
  let hasBelonged: @Sendable (PublicKey) -> Bool
  private let certificates: OpaquePointer
  private let introductions: OpaquePointer
  private let invitations: OpaquePointer
  private let hello: OpaquePointer

  /// - Parameters:
  ///   - key: the device's own
  ///   - hasBelonged: whether a key is a member's, or that of a device that was removed; nil: nobody was
  ///   - isMember: whether a key is a member's; both are called on the queues of the connections
  package init(
    _ key: DeviceKey, hasBelonged: (@Sendable (PublicKey) -> Bool)? = nil,
    isMember: @escaping @Sendable (PublicKey) -> Bool
  ) throws(OpenSSLError) {
    self.isMember = isMember
    self.hasBelonged = hasBelonged ?? isMember
    var made: [OpaquePointer] = []
    do {
      certificates = try Self.context(.certificate, key, &made)
      introductions = try Self.context(.introduction, key, &made)
      invitations = try Self.context(.invitation, nil, &made)
      hello = try TLSOptions.makeHelloContext()
    } catch {
      for context in made { SSL_CTX_free(context) }
      throw error
    }
  }

  /// - Parameter made: to free should a later one fail
  private static func context(
    _ kind: TLSProtocol, _ key: DeviceKey?, _ made: inout [OpaquePointer]
  ) throws(OpenSSLError) -> OpaquePointer {
    let context = try TLSOptions.makeContext(kind)
    made.append(context)
    if let key {
      try require(SSL_CTX_use_certificate(context, key.certificate))
      try require(SSL_CTX_use_PrivateKey(context, key.pointer))
    }
    return context
  }

  deinit {
    for context in [certificates, introductions, invitations, hello] { SSL_CTX_free(context) }
  }

  /// A connection of OpenSSL over two memory BIOs, which the caller owns.
  ///
  /// - Parameter kind: nil for one that only reads the first message
  func makeConnection(_ kind: TLSProtocol?, _ notes: TLSNotes) throws(OpenSSLError) -> OpaquePointer {
    let context =
      switch kind {
      case .certificate: certificates
      case .introduction: introductions
      case .invitation: invitations
      case nil: hello
      }
    let connection = try made(SSL_new(context))
    guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
      SSL_free(connection)
      throw .take()
    }
    peersync_BIO_set_mem_eof_return(input, -1)
    SSL_set_bio(connection, input, output)
    notes.attach(to: connection)
    return connection
  }
}

/// What OpenSSL's callbacks must know of one connection, and what they find out.
final class TLSNotes {
  private let context: TLSContext
  /// The key of the invitation, on a connection that is about one.
  var invitation: InvitationKey?
  /// What is asked on the accepting side when a connection wants to join.
  let openInvitation: () -> InvitationKey?
  /// What the dialling side wants, once that is known.
  var kind: TLSProtocol?
  /// Whether the other side dialled.
  var isAccepting = false
  /// Why the first message was refused.
  var refusal: TLSError?
  /// The last key that was not a member's.
  var refused: PublicKey?

  init(
    _ kind: TLSProtocol?, _ context: TLSContext, openInvitation: @escaping () -> InvitationKey?
  ) {
    self.kind = kind
    self.context = context
    self.openInvitation = openInvitation
  }

  /// The connection must not live longer.
  func attach(to connection: OpaquePointer) {
    _ = peersync_SSL_set_app_data(connection, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether a key may be shown. By an introduction a key shows only then that it is a member's, or is shown that it was removed.
  func takes(_ key: PublicKey) -> Bool {
    guard kind == .introduction else { return context.isMember(key) }
    return isAccepting || context.hasBelonged(key)
  }

  static func of(_ connection: OpaquePointer?) -> TLSNotes? {
    guard let data = connection.flatMap({ peersync_SSL_get_app_data($0) }) else { return nil }
    return Unmanaged<TLSNotes>.fromOpaque(data).takeUnretainedValue()
  }
}

import COpenSSL

/// What a handshake needs of an invitation: its code, stretched.
package struct InvitationKey: Hashable, Sendable {
  /// 32 bytes.
  let bytes: [UInt8]

  /// A guess costs 2^15 rounds of scrypt (RFC 7914) with 32 MiB: about a tenth of a second. Who has overheard a joining
  /// can try codes at home, but not 2^60 of them.
  private static let rounds: UInt64 = 1 << 15
  private static let blockSize: UInt64 = 8
  private static let memoryLimit: UInt64 = 64 * 1024 * 1024
  /// There is nothing that both sides know before they talk, but the code; so all invitations have this salt.
  private static let salt: StaticString = "PeerSync invitation"

  /// Takes about a tenth of a second, and 32 MiB as long: not to be done on a queue that others wait for.
  ///
  /// - Throws: ``OpenSSLError`` when there is no memory.
  package init(_ code: InvitationCode) throws(OpenSSLError) {
    var bytes = [UInt8](repeating: 0, count: 32)
    let letters = code.letters
    let salt = Self.salt.bytes
    try require(
      EVP_PBE_scrypt(
        letters, letters.utf8.count, salt.baseAddress, salt.count, Self.rounds, Self.blockSize, 1,
        Self.memoryLimit, &bytes, bytes.count))
    self.bytes = bytes
  }
}

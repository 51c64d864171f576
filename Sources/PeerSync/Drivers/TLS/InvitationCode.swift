import COpenSSL

/// The secret of an invitation, as people read it out and type it: 60 random bits in 12 letters.
package struct InvitationCode: Hashable, Sendable, CustomStringConvertible {
  /// Digits and capitals without I, L, O and U, which are easily misread (Crockford's Base32).
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let length = 12

  /// The 12 letters, without anything between them.
  package let letters: String

  /// Reads a code. Letters may be small; spaces and hyphens are skipped; I, L and O are taken for the digits that they
  /// look like.
  package init?(_ text: String) {
    var letters: [UInt8] = []
    for letter in text.uppercased().utf8 where letter != UInt8(ascii: "-") && letter != UInt8(ascii: " ") {
      let meant = Self.meant(letter)
      guard letters.count < Self.length, Self.alphabet.contains(meant) else { return nil }
      letters.append(meant)
    }
    guard letters.count == Self.length else { return nil }
    self.letters = String(decoding: letters, as: UTF8.self)
  }

  /// A code that nobody has seen before.
  package init(using generator: inout some RandomNumberGenerator) {
    let letters = (0..<Self.length).map { _ in Self.alphabet[Int(generator.next() & 31)] }
    self.letters = String(decoding: letters, as: UTF8.self)
  }

  /// In groups of four, as it is shown.
  package var description: String {
    stride(from: 0, to: Self.length, by: 4)
      .map { letters.dropFirst($0).prefix(4) }
      .joined(separator: "-")
  }

  private static func meant(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
    case UInt8(ascii: "O"): UInt8(ascii: "0")
    default: letter
    }
  }
}

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

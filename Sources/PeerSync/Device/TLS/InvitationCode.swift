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

/// The seed of a recovery key as people keep it on paper: eight groups of seven characters, the last four of which
/// check the others. Whoever has it can remove the device it was made for, and all that came in below it.
package struct RecoveryCode: Hashable, Sendable {
  /// The 32 bytes from which the Ed25519 key is made (RFC 8032, section 5.1.5).
  package let seed: [UInt8]

  private static let form = CheckedText(byteCount: seedByteCount, checkCount: 4, modulus: 1_048_573)

  /// Bytes of a seed.
  package static var seedByteCount: Int { 32 }

  /// Takes exactly 32 bytes; nil for any other number.
  package init?(seed: [UInt8]) {
    guard seed.count == RecoveryCode.seedByteCount else { return nil }
    self.seed = seed
  }

  /// Reads a code in any case, with or without hyphens and spaces, I and L for 1 and O for 0; nil if it is too short or
  /// too long, or holds a mistake.
  package init?(_ text: String) {
    guard let seed = RecoveryCode.form.bytes(of: text) else { return nil }
    self.init(seed: seed)
  }

  /// The code. Not called a description, so that it never gets into a log by accident.
  package var text: String { RecoveryCode.form.text(of: seed) }
}

/// Base64 as RFC 4648 writes it, one text for each row of bytes: what a lax reader would pass over is refused.
package enum Base64 {
  /// The two alphabets.
  package enum Alphabet {
    /// Section 4, with padding.
    case standard
    /// Section 5, without padding: as JSON Web Signatures have it.
    case url
  }

  /// The bytes of a text; nil for any other character, wrong padding, a length that cannot be, or spare bits that are
  /// not zero.
  package static func decode(_ text: [UInt8], _ alphabet: Alphabet) -> [UInt8]? {
    decode(text[...], alphabet)
  }

  // Over the border of a module nothing generic is specialized: others call it with arrays.
  static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    guard let digits = withoutPadding(text, alphabet), digits.count % 4 != 1 else { return nil }
    let values = alphabet == .url ? urlValues : standardValues
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for digit in digits {
      let value = values[Int(digit)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    guard bits & ((1 << count) - 1) == 0 else { return nil }
    return bytes
  }

  /// The text of bytes.
  package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> [UInt8] {
    encode(bytes[...], alphabet)
  }

  static func encode(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8] {
    let digits = alphabet == .url ? urlDigits : standardDigits
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digits[Int(bits >> count & 63)])
      }
    }
    if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
    if alphabet == .standard { while text.count % 4 > 0 { text.append(UInt8(ascii: "=")) } }
    return text
  }

  private static func withoutPadding<Text: Collection<UInt8>>(_ text: Text, _ alphabet: Alphabet)
    -> Text.SubSequence?
  {
    guard alphabet == .standard else { return text[...] }
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    let digits = text.dropLast(padding)
    // A "=" that is left is not a digit and refused with the rest.
    return digits
  }

  private static let standardDigits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlDigits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let standardValues = values(of: standardDigits)
  private static let urlValues = values(of: urlDigits)

  private static func values(of digits: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(truncatingIfNeeded: value) }
    return values
  }
}

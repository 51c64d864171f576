/// Bytes as text that people read out, type and get wrong: Crockford's base32 (no I, L, O and U) with check characters
/// behind it, in groups of seven.
///
/// The bytes are one number, written in digits of five bits. The check is the number modulo a prime. 32 and the prime
/// are such that any one wrong character, and any two that changed places, give another check; of all other mistakes
/// one in so many as the prime says is overlooked.
struct CheckedText: Sendable {
  /// How many bytes the text stands for.
  let byteCount: Int
  /// How many check characters there are.
  let checkCount: Int
  /// The prime, below 32 to the number of check characters.
  let modulus: Int

  private static let groupLength = 7
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  private var digitCount: Int { (byteCount * 8 + 4) / 5 }

  /// The text of exactly ``byteCount`` bytes.
  func text(of bytes: [UInt8]) -> String {
    let digits = digits(of: bytes)
    let characters = (digits + check(of: digits)).map { Self.alphabet[$0] }
    let groups = stride(from: 0, to: characters.count, by: Self.groupLength).map { start in
      String(decoding: characters[start..<min(start + Self.groupLength, characters.count)], as: UTF8.self)
    }
    return groups.joined(separator: "-")
  }

  /// The bytes of a text: in any case, hyphens and spaces anywhere or nowhere, I and L for 1, O for 0. Nil if anything
  /// else differs, or the check does not hold.
  func bytes(of text: String) -> [UInt8]? {
    let count = digitCount + checkCount
    var digits: [Int] = []
    for character in text.utf8 where character != UInt8(ascii: "-") && character != UInt8(ascii: " ") {
      guard digits.count < count, let digit = Self.digit(of: character) else { return nil }
      digits.append(digit)
    }
    guard digits.count == count, check(of: digits.prefix(digitCount)) == Array(digits.suffix(checkCount))
    else {
      return nil
    }
    return bytes(of: digits.prefix(digitCount))
  }

  private static func digit(of character: UInt8) -> Int? {
    let upper = character >= UInt8(ascii: "a") && character <= UInt8(ascii: "z") ? character - 32 : character
    return switch upper {
    case UInt8(ascii: "I"), UInt8(ascii: "L"): 1
    case UInt8(ascii: "O"): 0
    default: alphabet.firstIndex(of: upper)
    }
  }

  private func check(of digits: some Sequence<Int>) -> [Int] {
    var rest = digits.reduce(0) { ($0 * 32 + $1) % modulus }
    var check: [Int] = []
    for _ in 0..<checkCount {
      check.insert(rest % 32, at: 0)
      rest /= 32
    }
    return check
  }

  private func digits(of bytes: [UInt8]) -> [Int] {
    var digits: [Int] = []
    var bits = 0
    // The first digit has fewer bits than five, so that the last one ends with the last byte.
    var width = digitCount * 5 - byteCount * 8
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      width += 8
      while width >= 5 {
        width -= 5
        digits.append(bits >> width & 31)
        bits &= (1 << width) - 1
      }
    }
    return digits
  }

  private func bytes(of digits: some Sequence<Int>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var width = byteCount * 8 - digitCount * 5
    for digit in digits {
      bits = bits << 5 | digit
      width += 5
      // Only the first digit can be too great: what comes before the first byte must be nothing.
      if bytes.isEmpty, width < 8, bits >> width != 0 { return nil }
      if width >= 8 {
        width -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> width))
        bits &= (1 << width) - 1
      }
    }
    return bytes
  }
}

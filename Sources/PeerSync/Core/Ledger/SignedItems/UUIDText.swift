/// A UUID as text (RFC 9562): 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
package enum UUIDText {
  private static let length = 36

  /// The text of 16 bytes, in one case.
  package static func text(_ bytes: some Sequence<UInt8>, isUpper: Bool) -> [UInt8] {
    let letters = UInt8(ascii: isUpper ? "A" : "a") - 10
    var text: [UInt8] = []
    text.reserveCapacity(length)
    for byte in bytes {
      if isHyphen(text.count) { text.append(UInt8(ascii: "-")) }
      text.append(character(of: byte >> 4, letters))
      text.append(character(of: byte & 15, letters))
    }
    return text
  }

  private static func character(of digit: UInt8, _ letters: UInt8) -> UInt8 {
    digit + (digit < 10 ? UInt8(ascii: "0") : letters)
  }

  /// The 16 bytes of a text of one case; nil for anything else.
  package static func bytes(_ text: ArraySlice<UInt8>, isUpper: Bool) -> [UInt8]? {
    guard text.count == length else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var half: UInt8?
    for (place, character) in text.enumerated() {
      if isHyphen(place) {
        guard character == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = digit(character, isUpper: isUpper) else { return nil }
      if let high = half { bytes.append(high << 4 | digit) }
      half = half == nil ? digit : nil
    }
    return bytes
  }

  /// Whether a hyphen stands at a place of the text.
  private static func isHyphen(_ place: Int) -> Bool {
    switch place {
    case 8, 13, 18, 23: true
    default: false
    }
  }

  private static func digit(_ character: UInt8, isUpper: Bool) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F") where isUpper: character - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f") where !isUpper: character - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

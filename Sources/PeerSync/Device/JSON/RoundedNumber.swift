/// Numbers of a JSON document that a reader would round to a whole one.
///
/// Foundation reads a number with a fraction or an exponent as a `Double`, also where a whole one is wanted: 2.9999999999999999999 would be 3, and
/// 9007199254740993.0 would be 9007199254740992. RFC 8259, section 6, leaves that to whoever reads; here an amount is what was written, or refused.
package struct RoundedNumber {
  /// Whether there is one in a document, which need not be JSON.
  package static func isIn(_ document: [UInt8]) -> Bool {
    var (index, isInString) = (0, false)
    while index < document.count {
      let byte = document[index]
      if isInString {
        if byte == UInt8(ascii: "\\") { index += 1 }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if isPart(byte) {
        let end = document[index...].firstIndex { !isPart($0) } ?? document.endIndex
        if isRounded(document[index..<end]) { return true }
        index = end
        continue
      }
      index += 1
    }
    return false
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private static func isRounded(_ number: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: number, as: UTF8.self)
    guard text.contains(where: { ".eE".contains($0) }), let value = Double(text), value.isFinite,
      value == value.rounded()
    else { return false }
    // From there on not every whole number is a `Double`.
    return value.magnitude >= 0x1p53 || !isWhole(text)
  }

  /// Whether a number is whole, by its digits.
  private static func isWhole(_ text: String) -> Bool {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    let digits = (mantissa[0] + fraction).filter { $0 != "-" && $0 != "+" }
    guard let last = digits.lastIndex(where: { $0 != "0" }) else { return true }
    let zeros = digits.distance(from: last, to: digits.endIndex) - 1
    // A finite `Double` with a greater exponent is one that was rounded to zero.
    guard let exponent = parts.count > 1 ? Int32(parts[1]) : 0 else { return false }
    return zeros >= fraction.count - Int(exponent)
  }
}

/// Devices are named by people, so their ids have a form that finds typing errors: see ``CheckedText``.
extension DeviceKind: IdentifierKind {
  private static let form = CheckedText(byteCount: 16, checkCount: 2, modulus: 1021)

  /// Four groups of seven characters.
  public static func text(high: UInt64, low: UInt64) -> String {
    let bytes = [high, low].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
    }
    return form.text(of: bytes)
  }

  /// Reads what ``text(high:low:)`` gives, however it was typed.
  public static func words(of text: String) -> (high: UInt64, low: UInt64)? {
    guard let bytes = form.bytes(of: text) else { return nil }
    let words = [bytes.prefix(8), bytes.suffix(8)].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    return (words[0], words[1])
  }
}

extension DeviceID {
  /// The first group of the id: enough to tell the devices of a group apart.
  public var shortForm: String { String(description.prefix { $0 != "-" }) }
}

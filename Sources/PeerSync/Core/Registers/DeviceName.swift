/// What people call a device: 1 to ``Limits/textBytes`` bytes of text without control or formatting characters. It is the value of a
/// register.
public struct DeviceName: Hashable, Sendable {
  /// The name.
  public let text: String

  /// Nil for what no device may be called.
  public init?(_ text: String) {
    guard (1...Limits.textBytes).contains(text.utf8.count),
      !text.unicodeScalars.contains(where: \.isUnfitForNames)
    else { return nil }
    self.text = text
  }

  /// Reads the value of a register; nil for one that is no name.
  init?(decoding bytes: some Collection<UInt8>) {
    guard bytes.count <= Limits.textBytes, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    self.init(text)
  }

  var encoded: [UInt8] { Array(text.utf8) }
}

extension Unicode.Scalar {
  /// Whether it is no sign of its own: it ends a line, turns around what follows, or does not show at all, so that one name looks like
  /// another. The two joiners are signs of names: emoji of several parts and words of Persian need them.
  package var isUnfitForNames: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: self != "\u{200c}" && self != "\u{200d}"
    default: false
    }
  }
}

/// What people call a device: 1 to ``Limits/textBytes`` bytes of text without control characters. It is the value of a register.
public struct DeviceName: Hashable, Sendable {
  /// The name.
  public let text: String

  /// Nil for what no device may be called.
  public init?(_ text: String) {
    guard (1...Limits.textBytes).contains(text.utf8.count),
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
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

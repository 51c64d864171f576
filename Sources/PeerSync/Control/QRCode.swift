import CQREncode

/// A text as a QR code that a terminal shows.
package struct QRCode: Hashable, Sendable {
  /// Modules on each side, without the quiet zone.
  package let width: Int
  /// Row by row; true is dark.
  private let modules: [Bool]

  /// Light modules all around, which readers need to find the code (ISO/IEC 18004).
  private static let quietZone = 4

  /// nil for a text that is empty, or too long for a QR code.
  package init?(_ text: String) {
    guard !text.isEmpty, let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    // The lowest bit of each module is its colour.
    modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
  }

  /// Whether a module is dark; those outside are light.
  package func isDark(row: Int, column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column]
  }

  /// Row by row, 1 is dark, with the quiet zone.
  var rows: [String] {
    let range = -Self.quietZone..<width + Self.quietZone
    return range.map { row in range.map { isDark(row: row, column: $0) ? "1" : "0" }.joined() }
  }

  /// Two rows of modules for each line of text, with half blocks. Light modules are drawn and dark ones left out, as
  /// most terminals are dark; readers take the reverse as well.
  package var text: String {
    let range = -Self.quietZone..<width + Self.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      range.map { block(row, $0, isLast: row + 1 == range.upperBound) }.joined() + "\n"
    }.joined()
  }

  private func block(_ row: Int, _ column: Int, isLast: Bool) -> String {
    switch (isDark(row: row, column: column), isLast || isDark(row: row + 1, column: column)) {
    case (false, false): "█"
    case (false, true): "▀"
    case (true, false): "▄"
    case (true, true): " "
    }
  }
}

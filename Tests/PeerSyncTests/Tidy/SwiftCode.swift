/// Swift source with the content of comments and string literals blanked out, line for line: what is left is code.
struct SwiftCode: Sendable {
  /// The code, as long and with as many lines as the source.
  private(set) var bytes: [UInt8]
  private(set) var lines: [Substring] = []
  private var position = 0

  /// - Parameter isSwift: false: nothing is blanked out
  init(_ source: String, isSwift: Bool = true) {
    bytes = Array(source.utf8)
    if isSwift { blank(until: nil) }
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  private func sees(_ text: String, at place: Int) -> Bool {
    place < bytes.count && bytes[place] == text.utf8.first && bytes[place...].starts(with: text.utf8)
  }

  /// Goes through code up to the parenthesis that closes an interpolation, or to the end.
  private mutating func blank(until end: UInt8?) {
    var depth = 0
    while position < bytes.count {
      // Told apart by their first byte: tests are compiled without optimization, and look at every byte of the repository.
      switch bytes[position] {
      case UInt8(ascii: "/") where sees("//", at: position): skipComment()
      case UInt8(ascii: "/") where sees("/*", at: position): skipBlockComment()
      case UInt8(ascii: "#"), UInt8(ascii: "\""):
        if let hashes = openingHashes() { skipString(hashes: hashes) } else { position += 1 }
      case UInt8(ascii: "("):
        depth += 1
        position += 1
      case UInt8(ascii: ")"):
        if end != nil, depth == 0 { return }
        depth -= 1
        position += 1
      default: position += 1
      }
    }
  }

  private mutating func skip(_ count: Int) {
    for place in position..<min(position + count, bytes.count) where bytes[place] != UInt8(ascii: "\n") {
      bytes[place] = UInt8(ascii: " ")
    }
    position += count
  }

  private mutating func skipComment() {
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { skip(1) }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if sees("/*", at: position) {
        depth += 1
        skip(2)
      } else if sees("*/", at: position) {
        depth -= 1
        skip(2)
      } else {
        skip(1)
      }
    } while depth > 0 && position < bytes.count
  }

  /// How many `#` stand before a quote that opens a string here; nil when none opens.
  private func openingHashes() -> Int? {
    var place = position
    while place < bytes.count, bytes[place] == UInt8(ascii: "#") { place += 1 }
    return place < bytes.count && bytes[place] == UInt8(ascii: "\"") ? place - position : nil
  }

  private mutating func skipString(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    let quote = sees("\"\"\"", at: position + hashes) ? "\"\"\"" : "\""
    skip(hashes + quote.utf8.count)
    while position < bytes.count, !sees(quote + fence, at: position) {
      if sees("\\" + fence + "(", at: position) {
        skip(hashes + 2)
        blank(until: UInt8(ascii: ")"))
        skip(1)
      } else {
        skip(sees("\\" + fence, at: position) ? hashes + 2 : 1)
      }
    }
    skip(quote.utf8.count + hashes)
  }
}

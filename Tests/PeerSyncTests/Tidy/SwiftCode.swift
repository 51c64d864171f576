/// Swift source with the content of comments and string literals blanked out, line for line: what is left is code.
struct SwiftCode {
  /// The code, as long and with as many lines as the source.
  private(set) var bytes: [UInt8]
  private var position = 0

  init(_ source: String) {
    bytes = Array(source.utf8)
    blank(until: nil)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  private func sees(_ text: String, at place: Int) -> Bool {
    let wanted = Array(text.utf8)
    return place + wanted.count <= bytes.count && bytes[place..<(place + wanted.count)].elementsEqual(wanted)
  }

  /// Goes through code up to the parenthesis that closes an interpolation, or to the end.
  private mutating func blank(until end: UInt8?) {
    var depth = 0
    while position < bytes.count {
      if sees("//", at: position) {
        skipComment()
      } else if sees("/*", at: position) {
        skipBlockComment()
      } else if let hashes = openingHashes() {
        skipString(hashes: hashes)
      } else {
        if bytes[position] == UInt8(ascii: "(") { depth += 1 }
        if bytes[position] == UInt8(ascii: ")"), end != nil {
          if depth == 0 { return }
          depth -= 1
        }
        position += 1
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

/// How many columns of a terminal a text takes, and texts made to fit.
package enum TextWidth {
  /// Columns that a terminal shows: colours take none, marks that go onto a letter neither, and what East Asia writes in full
  /// width takes two.
  package static func columns(_ text: String) -> Int {
    isPlain(text) ? text.utf8.count : pieces(of: text[...]).reduce(0) { $0 + $1.columns }
  }

  /// Whether each byte is a character of one column. What Unicode says of each is asked of the rest alone: that takes long for a table of
  /// thousands.
  static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7e ~= $0 } }

  /// A text cut to so many columns, with `…` where something is missing. Its colours stay whole.
  ///
  /// - Parameter inMiddle: whether its end is shown as well; where it has colours it is not
  package static func cut(_ text: String, to limit: Int, inMiddle: Bool = false) -> String {
    guard columns(text) > limit else { return text }
    let pieces = pieces(of: text[...])
    if inMiddle, limit > 4, !pieces.contains(where: \.isColour) { return elided(pieces, to: limit) }
    var result = ""
    var room = max(limit - 1, 0)
    var isFull = false
    for piece in pieces {
      if piece.isColour {
        result += piece.text
      } else if !isFull {
        isFull = piece.columns > room
        result += isFull ? limit > 0 ? "…" : "" : piece.text
        room -= piece.columns
      }
    }
    return result
  }

  /// A little more of the beginning than of the end.
  private static func elided(_ pieces: [Piece], to limit: Int) -> String {
    func fitting(_ pieces: some Sequence<Piece>, _ room: Int) -> [Piece] {
      var room = room
      return Array(
        pieces.prefix { piece in
          room -= piece.columns
          return room >= 0
        })
    }
    let head = fitting(pieces, limit / 2)
    let tail = fitting(pieces.reversed(), limit - 1 - head.reduce(0) { $0 + $1.columns })
    return (head.map(\.text) + ["…"] + tail.reversed().map(\.text)).joined()
  }

  /// A line broken between words, so that no part is wider; a word that alone is wider is broken as well, but for an address, which
  /// nobody could open then: the terminal goes on with it on the next line by itself. What follows begins below the first word,
  /// or below what stands behind a short label and a gap.
  ///
  /// - Parameter hanging: where what follows begins instead
  package static func wrap(_ line: String, to limit: Int, hanging: Int? = nil) -> String {
    guard columns(line) > limit, limit > 1 else { return line }
    let head = line.prefix { $0 == " " }
    let indent = String(
      repeating: " ", count: indent(line, to: limit, hanging ?? label(of: line), head.count))
    var lines: [String] = []
    var last = String(head.prefix(limit / 2))
    var used = last.count
    var isFirst = true
    for word in line.dropFirst(head.count).split(separator: " ", omittingEmptySubsequences: false) {
      let width = columns(String(word))
      // Blanks behind a colour that a line begins with belong to it.
      defer { if !word.isEmpty { isFirst = false } }
      if used + (isFirst ? 0 : 1) + width <= limit {
        last += (isFirst ? "" : " ") + word
        used += (isFirst ? 0 : 1) + width
        continue
      }
      if !isFirst {
        lines.append(last)
        (last, used) = (indent, indent.count)
        isFirst = true
      }
      let isAddress = word.contains("://")
      for piece in pieces(of: word) {
        if !isAddress, used + piece.columns > limit {
          lines.append(last)
          (last, used) = (indent, indent.count)
        }
        last += piece.text
        used += piece.columns
      }
    }
    return (lines + [last]).joined(separator: "\n")
  }

  private static func indent(_ line: String, to limit: Int, _ hanging: Int?, _ head: Int) -> Int {
    guard let hanging, hanging <= min(widestLabel, limit / 2) else { return min(head, limit / 2) }
    return hanging
  }

  /// Columns up to what stands behind a label and a gap of two or more, such as a time; its colours take none.
  private static func label(of line: String) -> Int? {
    let plain = line.replacing(#/\u{1b}\[\d+m/#, with: "")
    return plain.firstMatch(of: #/^ *[^ ]+(?: [^ ]+)*?  +/#).map { columns(String($0.output)) }
  }

  /// The widest label below which nothing stands: a short time with a word before it, as the history has it, and its gap.
  private static let widestLabel = 21

  /// A character, or a colour, which takes no room.
  private struct Piece {
    let text: Substring
    let columns: Int
    var isColour = false
  }

  private static func pieces(of text: Substring) -> [Piece] {
    var result: [Piece] = []
    var rest = text
    while let character = rest.first {
      if character == "\u{1b}", let colour = colour(in: rest) {
        result.append(Piece(text: colour, columns: 0, isColour: true))
        rest = rest[colour.endIndex...]
      } else {
        result.append(Piece(text: rest.prefix(1), columns: columns(of: character)))
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// The escape sequence of a colour that a text begins with.
  private static func colour(in text: Substring) -> Substring? {
    let body = text.dropFirst()
    guard body.first == "[", let end = body.dropFirst().firstIndex(where: { !$0.isNumber }), text[end] == "m"
    else { return nil }
    return text[...end]
  }

  private static func columns(of character: Character) -> Int {
    guard !character.isASCII else { return 1 }
    var widest = 0
    for scalar in character.unicodeScalars {
      // What makes a picture of the sign before it.
      if scalar.value == 0xfe0f { return 2 }
      widest = max(widest, columns(of: scalar))
    }
    return widest
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let value = scalar.value
    return value >= wide[0].lowerBound && wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// What Unicode calls wide or full width (UAX #11), in coarse blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x23e9...0x23ec, 0x25fd...0x25fe, 0x2614...0x2615, 0x2648...0x2653,
    0x26aa...0x26ab, 0x26bd...0x26be, 0x26c4...0x26c5, 0x2705...0x2705, 0x270a...0x270b, 0x2728...0x2728,
    0x274c...0x274c, 0x274e...0x274e, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797, 0x27b0...0x27b0,
    0x2b1b...0x2b1c, 0x2b50...0x2b50, 0x2b55...0x2b55, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf,
    0x4e00...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
    0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1b000...0x1b2ff, 0x1f004...0x1f004,
    0x1f0cf...0x1f0cf, 0x1f18e...0x1f18e, 0x1f191...0x1f19a, 0x1f1e6...0x1f320, 0x1f32d...0x1f64f,
    0x1f680...0x1f6ff, 0x1f7e0...0x1f7eb, 0x1f900...0x1faff, 0x20000...0x3fffd,
  ]
}

import PeerSync

/// Colours of a terminal, or none.
///
/// A text that is coloured also quotes what others wrote, so a colour is at first a mark that nobody else can make up: until all is cleaned
/// (``harmless(_:)``), and the marks become what a terminal understands (``shown(_:)``).
package struct Style: Sendable {
  private let isColoured: Bool
  /// What no text from elsewhere can know.
  private static let mark = UInt64.random(in: 1 << 62...UInt64.max)

  /// - Parameter isTerminal: whether a person's terminal shows the text
  package init(isTerminal: Bool, environment: [String: String]) {
    let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    isColoured = isTerminal && !isUnwanted && environment["TERM"] != "dumb"
  }

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func good(_ text: String) -> String { wrap(text, "32") }
  package func bad(_ text: String) -> String { wrap(text, "31") }
  package func warning(_ text: String) -> String { wrap(text, "33") }
  package func faint(_ text: String) -> String { wrap(text, "2") }

  /// Words for the state of a subscription, in the colour of what it means.
  func coloured(_ words: String, as state: SubscriptionState) -> String {
    switch state {
    case .subscribed: good(words)
    case .inGracePeriod, .inBillingRetry: warning(words)
    case .expired, .revoked: bad(words)
    }
  }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? Self.begin + code + "m" + text + Self.begin + "0m" : text
  }

  /// A mark has the form of the code that takes its place, so that whoever counts columns counts neither.
  private static let begin = "\u{1b}[\(mark)"

  // MARK: Cleaning

  /// A text that does not move the cursor, turn around what follows or colour it, whatever it quotes: this program's own colours alone
  /// stay, as marks.
  package static func harmless(_ text: String) -> String {
    guard !TextWidth.isPlain(text), text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = ""
    var rest = text[...]
    while let scalar = rest.unicodeScalars.first {
      if scalar == "\u{1b}", let colour = colour(in: rest) {
        result += colour
        rest = rest[colour.endIndex...]
      } else {
        result.unicodeScalars.append(isHarmful(scalar) ? "\u{fffd}" : scalar)
        rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
      }
    }
    return result
  }

  /// What a terminal is sent for a text that was cleaned.
  package static func shown(_ text: String) -> String { text.replacing(begin, with: "\u{1b}[") }

  /// The mark of a colour that a text begins with.
  private static func colour(in text: Substring) -> Substring? {
    // By scalars: a text that begins with an accent makes one character with the end of the mark.
    let scalars = text.unicodeScalars
    guard scalars.starts(with: begin.unicodeScalars) else { return nil }
    return scalars.firstIndex(of: "m").map { text[...$0] }
  }

  /// Controls, those that begin a line, and those that set the direction of what follows (Unicode Standard Annex 9).
  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      || scalar.properties.isBidiControl
  }
}

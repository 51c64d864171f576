import Foundation
import PeerSync

/// Where a command's result goes: text for people or one JSON document.
package struct Console: Sendable {
  let json: Bool
  /// Whether a person's terminal shows what is printed.
  let isTerminal: Bool
  let style: Style
  let date: DateText
  /// The reader's language, and their zone.
  let language: SentenceLanguage
  private let zone: TimeZone
  /// What fits side by side; nil where nobody looks at it on a terminal.
  private let columns: Int?

  /// - Parameter isFull: whether instants are shown whole, in UTC
  init(json: Bool, isFull: Bool = false, environment: [String: String]) {
    self.json = json
    isTerminal = isatty(STDOUT_FILENO) == 1
    style = Style(isTerminal: isTerminal, environment: environment)
    zone = isFull ? .gmt : .current
    language = SentenceLanguage(environment: environment)
    date = DateText(zone: zone, isFull: isFull, language: language)
    columns = Console.width(isTerminal: isTerminal, environment: environment)
  }

  /// Of `COLUMNS`, else of the terminal. A pipe has none: what reads it wants whole lines.
  private static func width(isTerminal: Bool, environment: [String: String]) -> Int? {
    if let given = environment["COLUMNS"].flatMap({ Int($0) }), given > 0 { return max(given, 20) }
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return max(Int(size.ws_col), 20)
  }

  /// Prints a result: as JSON, or as the text that is made of it.
  ///
  /// - Throws: see ``write(_:)``
  func print(_ result: some Encodable, text: () -> String) throws {
    try write(json ? JSON.encode(result) + [0x0a] : Array(fitting(Console.harmless(text())).utf8))
  }

  /// A text whose lines are no wider than the terminal.
  func fitting(_ text: String) -> String {
    guard let columns else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TextWidth.wrap(String($0), to: columns) }.joined(separator: "\n")
  }

  func print(line: String) throws { try write(Array(line.utf8) + [0x0a]) }

  /// Whatever a text quotes, and from wherever that came: a terminal does nothing for it but show it.
  package static func harmless(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Table.harmless(String($0)) }
      .joined(separator: "\n")
  }

  func table(_ header: Column...) -> Table { Table(header, style: style, limit: columns) }

  /// A heading with what stands under it; nothing when there is nothing.
  func section(_ title: String, _ table: Table, isEmpty: Bool) -> String {
    isEmpty ? "" : "\n" + style.bold(title) + "\n" + table.text
  }

  /// How subscriptions stand, in sentences.
  func sentences(_ subscriptions: [SubscriptionAnswer], names: ProductNames = ProductNames()) -> String {
    subscriptions.map { subscription in
      "\n"
        + subscription.sentences(in: language, zone: zone) { names[$0] }.map(Table.harmless)
        .joined(separator: "\n") + "\n"
    }.joined()
  }

  /// What happened, with its time, on one line.
  func line(_ event: EventAnswer) -> String {
    let time = event.time.map { date($0) } ?? "–" + String(repeating: " ", count: 15)
    return "\(style.faint(time))  \(Table.harmless(event.sentence(in: language, zone: zone)))\n"
  }

  /// Where the reader stands, on one line.
  func line(_ position: PositionAnswer) -> String { style.faint(position.sentence(in: language)) + "\n" }

  /// All at once and without a buffer, so that a reader of a pipe sees it at once.
  ///
  /// - Throws: ``ExitStatus/failed`` when the reader has gone, who needs no explanation; ``Failure`` when the output cannot
  ///   be written: nobody may take what is cut short for a success
  func write(_ bytes: [UInt8]) throws {
    switch Output.write(bytes, to: STDOUT_FILENO) {
    case 0: return
    case EPIPE: throw ExitStatus.failed
    case let number:
      throw Failure(
        "standard output cannot be written (\(systemMessage(number))): make room, or send it elsewhere")
    }
  }

  /// One line on standard error.
  static func complain(_ message: String) {
    let line = "peerd: " + Table.harmless(message.replacing("\n", with: " ")) + "\n"
    FileHandle.standardError.write(Data(line.utf8))
  }
}

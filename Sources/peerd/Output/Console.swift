import Foundation
import PeerSync

/// Where a command's result goes: text for people or one JSON document.
struct Console: Sendable {
  let json: Bool
  /// Whether a person's terminal shows what is printed.
  let isTerminal: Bool
  let style: Style
  let date: DateText
  /// The reader's language, and their zone.
  private let language: SentenceLanguage
  private let zone: TimeZone

  init(json: Bool, environment: [String: String]) {
    self.json = json
    isTerminal = isatty(STDOUT_FILENO) == 1
    style = Style(isTerminal: isTerminal, environment: environment)
    zone = .current
    date = DateText(zone: zone)
    language = SentenceLanguage(environment: environment)
  }

  /// Prints a result: as JSON, or as the text that is made of it.
  func print(_ result: some Encodable, text: () -> String) {
    write(json ? JSON.encode(result) + [0x0a] : Array(text().utf8))
  }

  func print(line: String) { write(Array(line.utf8) + [0x0a]) }

  func table(_ header: String...) -> Table { Table(header, style: style) }

  /// A heading with what stands under it; nothing when there is nothing.
  func section(_ title: String, _ table: Table, isEmpty: Bool) -> String {
    isEmpty ? "" : "\n" + style.bold(title) + "\n" + table.text
  }

  /// How subscriptions stand, in sentences.
  func sentences(_ subscriptions: [SubscriptionAnswer]) -> String {
    subscriptions.map { subscription in
      "\n" + subscription.sentences(in: language, zone: zone).map(Table.harmless).joined(separator: "\n")
        + "\n"
    }.joined()
  }

  /// All at once and without a buffer, so that a reader of a pipe sees it at once.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// One line on standard error.
  static func complain(_ message: String) {
    let line = "peerd: " + message.replacing("\n", with: " ") + "\n"
    FileHandle.standardError.write(Data(line.utf8))
  }
}

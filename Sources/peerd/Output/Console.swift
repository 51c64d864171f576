import Foundation
import PeerSync

/// Where a command's result goes: text for people or one JSON document.
package struct Console: Sendable {
  let json: Bool
  let style: Style
  let date: DateText
  /// The reader's language, and their zone.
  let language: SentenceLanguage
  private let zone: TimeZone
  private let output: Screen

  /// - Parameter isFull: whether instants are shown whole, in UTC
  init(json: Bool, isFull: Bool = false, environment: [String: String]) {
    self.json = json
    output = Screen.output(environment)
    style = Style(isTerminal: output.isTerminal, environment: environment)
    zone = isFull ? .gmt : .current
    language = SentenceLanguage(environment: environment)
    date = DateText(zone: zone, isFull: isFull, language: language)
  }

  /// Whether a person's terminal shows what is printed.
  var isTerminal: Bool { output.isTerminal }

  /// Prints a result: as JSON, or as the text that is made of it.
  ///
  /// - Throws: see ``write(_:)``
  func print(_ result: some Encodable, text: () -> String) throws {
    guard !json else { return try print(document: String(decoding: JSON.encode(result), as: UTF8.self)) }
    try print(text: text())
  }

  /// Prints what a person reads, in lines that fit the terminal.
  func print(text: String) throws {
    try write(Array(Style.shown(output.fitting(Console.harmless(text))).utf8))
  }

  /// The same with a line feed.
  func print(line: String) throws { try print(text: line + "\n") }

  /// Prints what a program reads, as it is, and a line feed.
  func print(document: String) throws { try write(Array(document.utf8) + [0x0a]) }

  /// Whatever a text quotes, and from wherever that came: a terminal does nothing for it but show it.
  package static func harmless(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Style.harmless(String($0)) }
      .joined(separator: "\n")
  }

  func table(_ header: Column...) -> Table {
    Table(header, style: style, limit: output.columns, language: language)
  }

  /// A phrase in the reader's language.
  func words(_ phrase: Phrase) -> String { phrase.text(in: language) }

  /// Whether something holds, in words and colour.
  func active(_ isActive: Bool) -> String {
    isActive ? style.good(words(.active(true))) : style.bad(words(.active(false)))
  }

  /// What is warned of, a line each.
  func warnings(_ warnings: [Phrase]) -> String {
    warnings.map { "\(words(.warning)) \(words($0))\n" }.joined()
  }

  /// Yes or no.
  func yes(_ isSo: Bool) -> String { words(isSo ? .yes : .no) }

  /// A heading with what stands under it; nothing when there is nothing.
  func section(_ title: Phrase, _ table: Table, isEmpty: Bool) -> String {
    isEmpty ? "" : "\n" + titled(title, table)
  }

  /// The same where nothing stands above it.
  func titled(_ title: Phrase, _ table: Table) -> String { style.bold(words(title)) + "\n" + table.text }

  /// How subscriptions stand, in sentences.
  func sentences(_ subscriptions: [SubscriptionAnswer], names: ProductNames = ProductNames()) -> String {
    subscriptions.map { subscription in
      "\n"
        + subscription.sentences(in: language, date: { date($0) }, name: { names[$0] }).map(Style.harmless)
        .joined(separator: "\n") + "\n"
    }.joined()
  }

  /// Why an entitlement holds or does not, with the names that people call products by.
  ///
  /// - Parameter isShort: whether of several reasons the first is said, and how many there are besides
  func because(_ entitlement: EntitlementAnswer, _ names: ProductNames, isShort: Bool = false) -> String {
    let reasons = entitlement.reasons.map { reason in
      Reason.Kind(rawValue: reason.kind).map { kind in
        words(.reason(kind, names[reason.id ?? ""], left: reason.left ?? 0))
      }
    }
    // A daemon of a later version has reasons that are not known here.
    guard reasons.allSatisfy({ $0 != nil }) else { return entitlement.because }
    let said = reasons.compactMap(\.self)
    if isShort, let first = said.first, said.count > 1 { return first + words(.andMore(said.count - 1)) }
    return said.joined(separator: "; ")
  }

  /// How a subscription stands and what comes next, in sentences.
  func outlook(_ subscription: SubscriptionAnswer, names: ProductNames) -> [String] {
    subscription.outlook(in: language, date: { date($0) }, name: { names[$0] })
  }

  /// What happened, with its time, on one line.
  ///
  /// - Parameter isListed: whether it stands below others, of which some may only say by when they had happened
  func line(_ event: EventAnswer, isListed: Bool = false, names: ProductNames = ProductNames()) -> String {
    let by = isListed ? (event.learned != true ? "   " : language == .korean ? " ~ " : "by ") : ""
    let time = by + (event.time.map { date($0) } ?? "–" + String(repeating: " ", count: 15))
    let sentence = event.sentence(in: language, zone: zone) { names[$0] }
    return "\(style.faint(time))  \(Style.harmless(sentence))\n"
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
        Phrase("standard output cannot be written (", "표준 출력에 쓸 수 없습니다(") + systemPhrase(number)
          + Phrase("): make room, or send it elsewhere", "). 공간을 확보하거나 다른 곳으로 보내세요"))
    }
  }

  /// One line on standard error, in as many as it takes on a terminal.
  static func complain(_ message: String) {
    let start = "peerd: "
    let line = start + Style.harmless(message.replacing("\n", with: " ")) + "\n"
    Screen.errors().show(line, hanging: start.count)
  }
}

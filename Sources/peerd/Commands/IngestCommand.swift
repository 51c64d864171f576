import Foundation
import PeerSync
import PeerSyncControl

/// `peerd ingest`: hands signed items of a real store to the daemon, one a line.
enum IngestCommand {
  /// Bytes of one request: below what the control API takes, with its quotes.
  private static let requestBytes = HTTPLimits.bodyBytes / 2

  static func run(_ file: String, _ client: ControlClient, _ console: Console) async throws {
    let content = try Input.read(file)
    var results: [IngestAnswer.Result] = []
    let pieces = pieces(of: content)
    for piece in pieces {
      let body = IngestBody(items: piece.map(\.text))
      let answer: IngestAnswer = try await client.send("POST", "/v1/transactions", body: body)
      results += zip(piece, answer.results).map { $1.at(line: $0.number) }
    }
    let isOther = isOtherFile(results)
    try console.print(IngestAnswer(results: results)) { isOther ? "" : text(results, console) }
    if isOther, let first = results.first, let line = pieces.first?.first {
      throw Failure(.noSignedItems(file, results.count, line.number, excerpt(of: line.text), first.told))
    }
    let refused = results.count { !$0.accepted }
    guard refused == 0 else { throw Failure(.itemsRefused(refused, of: results.count)) }
  }

  /// Whether it is a file of something else: of several lines none is what it should be, so that one tells of all.
  private static func isOtherFile(_ results: [IngestAnswer.Result]) -> Bool {
    results.count > 1 && results.allSatisfy { !$0.accepted && $0.kind == nil }
  }

  private static func excerpt(of line: String) -> String {
    let line = line.drop { $0 == " " || $0 == "\t" }
    return line.count > 40 ? line.prefix(40) + "…" : String(line)
  }

  private static func pieces(of content: Data) -> [[(number: Int, text: String)]] {
    var pieces: [[(number: Int, text: String)]] = []
    var bytes = requestBytes
    var (rest, number) = (content[...], 0)
    // One after another, for a long file may be of empty lines.
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
      let whole = rest[..<end]
      rest = rest[end...].dropFirst()
      number += 1
      let line = whole.last == 0x0d ? whole.dropLast() : whole
      // Longer ones are refused in any case; what is cut off would not change that.
      let text = String(decoding: line.prefix(Limits.notificationBytes + 1), as: UTF8.self)
      guard !text.isEmpty else { continue }
      if bytes + text.utf8.count > requestBytes {
        pieces.append([])
        bytes = 0
      }
      pieces[pieces.count - 1].append((number, text))
      // Every byte may need an escape.
      bytes += text.utf8.count * 2 + 8
    }
    return pieces
  }

  private static func text(_ results: [IngestAnswer.Result], _ console: Console) -> String {
    var table = console.table(.whole(.lineNumber), .text(.kind), .whole(.transaction), .text(.result))
    for result in results {
      table.add([
        "\(result.line)", kind(result, console), result.transactionId ?? "", outcome(result, console),
      ])
    }
    return results.isEmpty ? "" : console.titled(.signedItemsTitle, table)
  }

  private static func kind(_ result: IngestAnswer.Result, _ console: Console) -> String {
    guard let notification = result.notification else { return result.kind ?? console.words(.unknown) }
    return notification.notificationType + (notification.subtype.map { " " + $0 } ?? "")
  }

  private static func outcome(_ result: IngestAnswer.Result, _ console: Console) -> String {
    guard result.accepted else { return console.words(.refusedItem(result.told)) }
    return console.style.good(console.words(.accepted))
      + (result.repeated ? console.words(.knownAlready) : "")
  }
}

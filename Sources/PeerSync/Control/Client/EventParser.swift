/// Puts server-sent events together from bytes that come in any pieces.
package struct EventParser {
  private var rest: [UInt8] = []

  package init() {}

  /// The events that these bytes complete. Comments and fields unknown here are skipped.
  package mutating func take(_ bytes: [UInt8]) -> [ServerSentEvent] {
    rest += bytes
    var events: [ServerSentEvent] = []
    while let end = rest.indices.first(where: isEndOfEvent) {
      if let event = EventParser.event(String(decoding: rest[..<end], as: UTF8.self)) { events.append(event) }
      rest.removeFirst(end + 2)
    }
    return events
  }

  private func isEndOfEvent(_ index: Int) -> Bool {
    rest[index] == 10 && index + 1 < rest.count && rest[index + 1] == 10
  }

  private static func event(_ text: String) -> ServerSentEvent? {
    var fields: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...]
      fields[line[..<colon]] = String(value.hasPrefix(" ") ? value.dropFirst() : value)
    }
    guard let data = fields["data"] else { return nil }
    return ServerSentEvent(id: fields["id"] ?? "", name: fields["event"] ?? "message", data: data)
  }
}

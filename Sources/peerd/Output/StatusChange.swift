import PeerSync

/// What has become different between two answers, in sentences.
struct StatusChange {
  let before: StatusAnswer
  let after: StatusAnswer
  let console: Console

  /// One sentence a line; nothing where nothing that people own has changed.
  var text: String {
    (lines + entitlements + credits).map { Table.harmless($0) + "\n" }.joined()
  }

  private var lines: [String] {
    after.lines.compactMap { line in
      let earlier = before.lines.first { $0.id == line.id }
      let (end, was) = (last(line), earlier.flatMap(last))
      guard end != was else { return nil }
      guard let end else { return "\(line.id) has no cover any more" }
      let now = after.time.now
      let verb = end > now ? "now lasts until" : "ended"
      return "\(line.id) \(verb) \(console.date(end, from: now))"
        + (was.map { "; before: \(console.date($0))" } ?? "")
    }
  }

  /// The end of the last run, should it have begun or not.
  private func last(_ line: LineAnswer) -> Instant? { line.runs.last?.end ?? line.expires }

  private var entitlements: [String] {
    after.entitlements.compactMap { entitlement in
      let was = before.entitlements.first { $0.id == entitlement.id }?.active ?? false
      guard was != entitlement.active else { return nil }
      return "\(entitlement.id) is \(console.style.active(entitlement.active)) now"
    }
  }

  private var credits: [String] {
    after.credits.compactMap { credit in
      let was = before.credits.first { $0.id == credit.id }?.balance ?? 0
      return was == credit.balance ? nil : "\(credit.id): \(credit.balance) left, \(was) before"
    }
  }
}

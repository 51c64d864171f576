import Foundation
import PeerSync

/// Times for people: short and in the reader's zone; or, when they ask for it, the full instant.
package struct DateText: Sendable {
  private let zone: TimeZone
  private let isFull: Bool
  private let language: SentenceLanguage

  /// - Parameter isFull: whether instants are shown whole, in UTC
  package init(zone: TimeZone, isFull: Bool = false, language: SentenceLanguage = .english) {
    (self.zone, self.isFull, self.language) = (zone, isFull, language)
  }

  /// `2026-10-31 02:00`, or `2026-10-31T00:00:00Z`; a dash for no time.
  package func callAsFunction(_ instant: Instant?) -> String {
    guard let instant else { return "–" }
    guard !isFull else { return full(instant) }
    return String(instant.local(in: zone).description.prefix { $0 != "." }.dropLast(3)).replacing(
      "T", with: " ")
  }

  /// The same with how far away it is: `2026-10-31 02:00, in 92 days`.
  package func callAsFunction(_ instant: Instant?, from now: Instant) -> String {
    guard let instant else { return "–" }
    return "\(self(instant)), \(distance(to: instant, from: now))"
  }

  /// How far away it is, and nothing else, unless instants are to be whole.
  package func near(_ instant: Instant?, from now: Instant) -> String {
    guard let instant else { return "–" }
    return isFull ? full(instant) : distance(to: instant, from: now)
  }

  /// How long ago something happened. What a clock that was ahead has written is of now.
  func ago(_ instant: Instant?, from now: Instant) -> String { near(instant.map { min($0, now) }, from: now) }

  /// The day in words, for a sentence: `1 January 2030`.
  package func day(_ instant: Instant) -> String {
    isFull ? full(instant) : SentenceDates(language: language, zone: zone).day(instant)
  }

  /// `in 92 days`, `3 hours ago`. What is to come is counted as the days of a line are: a begun one counts.
  package func distance(to instant: Instant, from now: Instant) -> String {
    let isPast = instant < now
    let length = (isPast ? now.milliseconds - instant.milliseconds : instant.milliseconds - now.milliseconds)
    guard length >= 60_000 else { return language == .korean ? "지금" : "now" }
    let unit = Self.units.first { length >= $0.milliseconds } ?? Self.units[Self.units.count - 1]
    let count = length / unit.milliseconds + (isPast || length % unit.milliseconds == 0 ? 0 : 1)
    guard language == .english else { return "\(count)\(unit.korean) \(isPast ? "전" : "후")" }
    let words = "\(count) \(unit.english)\(count == 1 ? "" : "s")"
    return isPast ? "\(words) ago" : "in \(words)"
  }

  private static let units: [(milliseconds: Int64, english: String, korean: String)] = [
    (86_400_000, "day", "일"), (3_600_000, "hour", "시간"), (60_000, "minute", "분"),
  ]

  private func full(_ instant: Instant) -> String { instant.description.replacing(".000Z", with: "Z") }
}

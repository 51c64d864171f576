import Foundation

/// Dates for people, in their zone: the same text on every machine, whatever its own zone and locale are.
package struct SentenceDates: Sendable {
  let language: SentenceLanguage
  let zone: TimeZone

  package init(language: SentenceLanguage, zone: TimeZone) { (self.language, self.zone) = (language, zone) }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]

  /// `1 June 2026 at 09:00 (UTC+9)`, `2026년 6월 1일 09:00(UTC+9)`.
  func text(_ instant: Instant) -> String {
    let minutes = instant.local(in: zone).millisecondsOfDay / 60_000
    let time = "\(Self.two(Int(minutes / 60))):\(Self.two(Int(minutes % 60)))"
    let place = Self.place(instant.secondsAhead(in: zone))
    return switch language {
    case .english: "\(day(instant)) at \(time) (\(place))"
    case .korean: "\(day(instant)) \(time)(\(place))"
    }
  }

  /// `1 June 2026`, `2026년 6월 1일`.
  package func day(_ instant: Instant) -> String {
    let date = instant.local(in: zone).date
    return switch language {
    case .english: "\(date.day) \(Self.months[date.month - 1]) \(date.year)"
    case .korean: "\(date.year)년 \(date.month)월 \(date.day)일"
    }
  }

  /// `UTC`, `UTC+9`, `UTC-3:30`.
  private static func place(_ seconds: Int) -> String {
    guard seconds != 0 else { return "UTC" }
    let minutes = abs(seconds) / 60
    let rest = minutes % 60 == 0 ? "" : ":" + two(minutes % 60)
    return "UTC\(seconds < 0 ? "-" : "+")\(minutes / 60)\(rest)"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Instant {
  /// The instant whose UTC reads as clocks of a zone read at this one.
  package func local(in zone: TimeZone) -> Instant {
    advanced(byMilliseconds: Int64(secondsAhead(in: zone)) * 1000)
  }

  /// For sentences that a device says without knowing who reads them: `1 June 2026 at 09:00 (UTC)`.
  func inUTC(_ language: SentenceLanguage) -> String {
    SentenceDates(language: language, zone: .gmt).text(self)
  }

  fileprivate func secondsAhead(in zone: TimeZone) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
  }
}

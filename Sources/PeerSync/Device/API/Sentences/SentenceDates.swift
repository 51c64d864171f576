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
    let offset = offset(at: instant)
    let local = instant.advanced(byMilliseconds: Int64(offset) * 1000)
    let minutes = local.millisecondsOfDay / 60_000
    let time = "\(Self.two(Int(minutes / 60))):\(Self.two(Int(minutes % 60)))"
    let place = Self.place(offset)
    return switch language {
    case .english: "\(day(instant)) at \(time) (\(place))"
    case .korean: "\(day(instant)) \(time)(\(place))"
    }
  }

  /// `1 June 2026`, `2026년 6월 1일`.
  package func day(_ instant: Instant) -> String {
    let date = instant.advanced(byMilliseconds: Int64(offset(at: instant)) * 1000).date
    return switch language {
    case .english: "\(date.day) \(Self.months[date.month - 1]) \(date.year)"
    case .korean: "\(date.year)년 \(date.month)월 \(date.day)일"
    }
  }

  private func offset(at instant: Instant) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
  }

  private static func place(_ seconds: Int) -> String {
    guard seconds != 0 else { return "UTC" }
    let minutes = abs(seconds) / 60
    let rest = minutes % 60 == 0 ? "" : ":" + two(minutes % 60)
    return "UTC\(seconds < 0 ? "-" : "+")\(minutes / 60)\(rest)"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

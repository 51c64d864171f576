import Foundation

/// Dates for people, in their zone: the same text on every machine, whatever its own zone and locale are.
struct SentenceDates: Sendable {
  let language: SentenceLanguage
  let zone: TimeZone

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]

  /// `1 June 2026 at 09:00 (UTC+9)`, `2026년 6월 1일 09:00(UTC+9)`.
  func text(_ instant: Instant) -> String {
    let offset = zone.secondsFromGMT(
      for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
    let local = instant.advanced(byMilliseconds: Int64(offset) * 1000)
    let date = local.date
    let minutes = local.millisecondsOfDay / 60_000
    let time = "\(Self.two(Int(minutes / 60))):\(Self.two(Int(minutes % 60)))"
    let place = Self.place(offset)
    return switch language {
    case .english: "\(date.day) \(Self.months[date.month - 1]) \(date.year) at \(time) (\(place))"
    case .korean: "\(date.year)년 \(date.month)월 \(date.day)일 \(time)(\(place))"
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

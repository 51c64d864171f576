/// A stretch of time as people say it: in days, hours and minutes, of which the two greatest count.
package struct ClockSpan: Hashable, Sendable, CustomStringConvertible {
  /// Its length, at least 0.
  package let milliseconds: Int64

  /// - Parameter milliseconds: of a negative number the sign is left out
  package init(milliseconds: Int64) { self.milliseconds = Int64(clamping: milliseconds.magnitude) }

  private static let minute: Int64 = 60_000
  private static let units: [(minutes: Int64, name: String)] = [
    (24 * 60, "day"), (60, "hour"), (1, "minute"),
  ]

  /// `400 days`, `1 day 16 hours`, `7 minutes`; below a minute `12 seconds`. Rounded to the nearest of the least unit, so that
  /// what was measured with a little error reads as it was set.
  package var description: String {
    guard milliseconds >= Self.minute - 500 else {
      return Self.text((milliseconds + 500) / 1000, "second")
    }
    var minutes = Self.rounded(milliseconds, to: Self.minute)
    // With days the minutes are left out.
    if minutes >= 24 * 60 { minutes = Self.rounded(minutes, to: 60) * 60 }
    var words: [String] = []
    for unit in Self.units where minutes >= unit.minutes {
      words.append(Self.text(minutes / unit.minutes, unit.name))
      minutes %= unit.minutes
    }
    return words.joined(separator: " ")
  }

  private static func rounded(_ length: Int64, to unit: Int64) -> Int64 {
    length / unit + (length % unit >= unit / 2 ? 1 : 0)
  }

  private static func text(_ count: Int64, _ unit: String) -> String {
    "\(count) \(unit)\(count == 1 ? "" : "s")"
  }
}

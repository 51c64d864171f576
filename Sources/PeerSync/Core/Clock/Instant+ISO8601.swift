extension Instant: CustomStringConvertible {
  /// Reads a time of ISO 8601 (the profile of RFC 3339): `2026-01-31T00:00:00.000Z`, a fraction of 1 to 9 digits or none
  /// (cut to milliseconds), `Z` or an offset such as `+02:00`; or a bare day, `2026-01-31`, which is its midnight in UTC.
  ///
  /// Nil for anything else: days that do not exist, leap seconds, lower case, spaces, years outside 1 to 9999.
  public init?(_ text: String) {
    var scanner = ISO8601Scanner(text)
    guard let milliseconds = scanner.time(), scanner.isAtEnd else { return nil }
    self.init(milliseconds: milliseconds)
  }

  /// The time in ISO 8601, UTC with milliseconds: always `YYYY-MM-DDThh:mm:ss.sssZ`.
  public var description: String {
    let date = date
    let (seconds, fraction) = millisecondsOfDay.quotientAndRemainder(dividingBy: 1000)
    let day = "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
    let time = "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
    return "\(day)T\(time).\(digits(fraction, 3))Z"
  }
}

/// A number from zero, with leading zeros up to a width.
private func digits(_ number: some BinaryInteger, _ width: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}

extension Instant {
  /// As a scenario writes it: a midnight as its day alone.
  package var short: String { millisecondsOfDay == 0 ? String(description.prefix(10)) : description }
}

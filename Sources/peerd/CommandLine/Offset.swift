/// Reads how far a clock is set off: `-90d`, `+1h30m`, `45s`, or ISO 8601 such as `P1D`, `-PT1H30M`.
package enum Offset {
  /// Furthest a clock can be set off, in milliseconds (100 years).
  static let limit: Int64 = 36_525 * 86_400_000

  /// The offset in milliseconds; nil when the text is none or goes beyond the limit.
  package static func milliseconds(_ text: String) -> Int64? {
    var rest = Substring(text)
    let sign: Int64 = rest.first == "-" ? -1 : 1
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    guard let size = rest.first == "P" ? period(rest.dropFirst()) : sum(rest, of: short) else { return nil }
    return sign * size
  }

  private static let short: [(Character, Int64)] = [
    ("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
  ]

  /// What follows the P. Months and years are left out: without a date they have no length.
  private static func period(_ text: Substring) -> Int64? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let days = parts[0].isEmpty ? 0 : sum(parts[0], of: [("W", 7 * 86_400_000), ("D", 86_400_000)])
    guard parts.count > 1 else { return parts[0].isEmpty ? nil : days }
    let clock = sum(parts[1], of: [("H", 3_600_000), ("M", 60_000), ("S", 1000)])
    guard let days, let clock, days + clock <= limit else { return nil }
    return days + clock
  }

  /// A sum of counted units, each at most once and in the order of the table; at least one.
  private static func sum(_ text: Substring, of units: [(Character, Int64)]) -> Int64? {
    var rest = text
    var total: Int64 = 0
    for (unit, size) in units {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty, rest.dropFirst(digits.count).first == unit else { continue }
      guard digits.count <= 12, let count = Int64(digits), count <= (limit - total) / size else { return nil }
      total += count * size
      rest = rest.dropFirst(digits.count + 1)
    }
    return rest.isEmpty && !text.isEmpty ? total : nil
  }
}

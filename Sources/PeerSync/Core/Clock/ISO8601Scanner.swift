/// Reads the parts of a time from left to right. Nothing here looks at a locale or a zone.
struct ISO8601Scanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Milliseconds since 1970, perhaps outside the accepted range because of an offset.
  mutating func time() -> Int64? {
    guard let date = date() else { return nil }
    let midnight = Int64(date.daysSinceEpoch) * Instant.dayMilliseconds
    guard !isAtEnd else { return midnight }
    guard skip("T"), let clock = clock(), let offset = offset() else { return nil }
    return midnight + clock - offset
  }

  private mutating func date() -> CivilDate? {
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else {
      return nil
    }
    return CivilDate(year: year, month: month, day: day)
  }

  private mutating func clock() -> Int64? {
    guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
      hour < 24, minute < 60, second < 60, let fraction = fraction()
    else { return nil }
    return Int64((hour * 60 + minute) * 60 + second) * 1000 + fraction
  }

  /// Zero without a fraction.
  private mutating func fraction() -> Int64? {
    guard skip(".") else { return 0 }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...9).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    let kept = digits.prefix(3).reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return kept * [100, 10, 1][min(digits.count, 3) - 1]
  }

  /// How far the clock read is ahead of UTC, in milliseconds.
  private mutating func offset() -> Int64? {
    if skip("Z") { return 0 }
    let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
    guard skip("+") || skip("-"), let hour = number(2), skip(":"), let minute = number(2), hour < 24,
      minute < 60
    else { return nil }
    return sign * Int64(hour * 60 + minute) * 60_000
  }

  /// Exactly this many digits.
  private mutating func number(_ width: Int) -> Int? {
    let digits = rest.prefix(width)
    guard digits.count == width, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      return nil
    }
    rest = rest.dropFirst(width)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }
}

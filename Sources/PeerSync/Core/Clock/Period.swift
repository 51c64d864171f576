/// How long one unit of a product lasts: months, then days.
///
/// Written as an ISO 8601 period: `P3M`, `P1Y`, `P1W`, `P10D`, `P1Y2M3D`. A week is 7 days and a year 12 months, so that two
/// texts may mean one period.
public struct Period: Hashable, Sendable, CustomStringConvertible {
  /// 0 to ``Limits/periodMonths``.
  public let months: Int
  /// 0 to ``Limits/periodDays``.
  public let days: Int

  /// Makes a period; nil when it is empty or a part is outside its bounds.
  public init?(months: Int, days: Int) {
    guard (0...Limits.periodMonths).contains(months), (0...Limits.periodDays).contains(days),
      months + days > 0
    else { return nil }
    self.months = months
    self.days = days
  }

  /// Reads an ISO 8601 period in years, months, weeks and days, each at most once and in that order; nil for anything
  /// else, times of day and periods of no length included.
  public init?(_ text: String) {
    var rest = Substring(text).utf8
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    guard let years = Period.count(of: "Y", in: &rest), let months = Period.count(of: "M", in: &rest),
      let weeks = Period.count(of: "W", in: &rest), let days = Period.count(of: "D", in: &rest), rest.isEmpty
    else { return nil }
    self.init(months: years * 12 + months, days: weeks * 7 + days)
  }

  /// The period in its shortest usual form: whole years as years, and whole weeks as weeks where nothing else is said.
  public var description: String {
    if months == 0, days.isMultiple(of: 7) { return "P\(days / 7)W" }
    let (years, rest) = months.quotientAndRemainder(dividingBy: 12)
    return "P" + (years > 0 ? "\(years)Y" : "") + (rest > 0 ? "\(rest)M" : "") + (days > 0 ? "\(days)D" : "")
  }

  /// The number before a unit, 0 when the unit does not come next; nil when it has more than six digits.
  private static func count(of unit: Unicode.Scalar, in rest: inout Substring.UTF8View) -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let after = rest.dropFirst(digits.count)
    guard !digits.isEmpty, after.first == UInt8(ascii: unit) else { return 0 }
    guard digits.count <= 6 else { return nil }
    rest = after.dropFirst()
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}

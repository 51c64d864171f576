/// A day of the Gregorian calendar in UTC, the years 1 to 9999.
///
/// The calendar is proleptic: its rules hold before 1582 as well. Days are counted as in Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms" (2013): eras of 400 years whose year begins in March, so that the leap
/// day comes last.
public struct CivilDate: Hashable, Comparable, Sendable {
  /// 1 to 9999.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to the length of the month.
  public let day: Int

  /// Makes a date; nil when there is no such day or the year is outside 1 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilDate.daysInMonth(month, ofYear: year)).contains(day)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  /// Makes the date a number of days after 1970-01-01; nil outside the years 1 to 9999.
  public init?(daysSinceEpoch days: Int) {
    guard (CivilDate.firstDay...CivilDate.lastDay).contains(days) else { return nil }
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    self.init(
      uncheckedYear: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// 0001-01-01.
  public static let first = CivilDate(uncheckedYear: 1, month: 1, day: 1)
  /// 9999-12-31.
  public static let last = CivilDate(uncheckedYear: 9999, month: 12, day: 31)

  private static let firstDay = first.daysSinceEpoch
  private static let lastDay = last.daysSinceEpoch

  /// Days after 1970-01-01; negative before.
  public var daysSinceEpoch: Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.flooredQuotient(400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Whether a year has a February 29.
  public static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  /// The length of a month in days. Months outside 1 to 12 count as 31 days long.
  public static func daysInMonth(_ month: Int, ofYear year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeap(year) ? 29 : 28
    default: 31
    }
  }

  /// The same day some months later (earlier when negative), or the month's last day where it has no such day:
  /// January 31 and one month is February 28 or 29. Nil outside the years 1 to 9999.
  public func adding(months: Int) -> CivilDate? {
    let (index, overflow) = months.addingReportingOverflow(year * 12 + month - 1)
    guard !overflow else { return nil }
    let year = index.flooredQuotient(12)
    guard (1...9999).contains(year) else { return nil }
    let month = index - year * 12 + 1
    return CivilDate(
      uncheckedYear: year, month: month, day: min(day, CivilDate.daysInMonth(month, ofYear: year)))
  }

  /// The earlier day first.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension BinaryInteger {
  /// The quotient rounded towards negative infinity, for a positive divisor.
  func flooredQuotient(_ divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Instant {
  /// Milliseconds of one day. UTC has no daylight saving and POSIX time no leap seconds: every day is as long.
  package static let dayMilliseconds: Int64 = 86_400_000

  /// The day in UTC.
  public var date: CivilDate {
    // Every instant lies in the years 1 to 9999, so that the day exists.
    CivilDate(daysSinceEpoch: Int(milliseconds.flooredQuotient(Instant.dayMilliseconds))) ?? .last
  }

  /// Milliseconds since midnight UTC, 0 to 86,399,999.
  public var millisecondsOfDay: Int64 {
    milliseconds - milliseconds.flooredQuotient(Instant.dayMilliseconds) * Instant.dayMilliseconds
  }

  /// Midnight UTC of a day, or a later time of that day in milliseconds since midnight.
  public init(_ date: CivilDate, millisecondsOfDay: Int64 = 0) {
    self = Instant(clamping: Int64(date.daysSinceEpoch) * Instant.dayMilliseconds)
      .advanced(byMilliseconds: millisecondsOfDay)
  }

  /// This instant some months and then some days later (earlier when negative): rule 3.2.
  ///
  /// Months come first, the day held at the month's end; then whole days; the time of day stays. A result beyond the
  /// calendar is held at its first or last instant (9999-12-31T23:59:59.999Z), so that absurd sums stay comparable.
  public func adding(months: Int, days: Int) -> Instant {
    guard let date = date.adding(months: months) else { return Instant(clamping: months < 0 ? .min : .max) }
    let (milliseconds, overflow) = Int64(days).multipliedReportingOverflow(by: Instant.dayMilliseconds)
    guard !overflow else { return Instant(clamping: days < 0 ? .min : .max) }
    return Instant(date, millisecondsOfDay: millisecondsOfDay).advanced(byMilliseconds: milliseconds)
  }

  /// This instant one period later.
  public func adding(_ period: Period) -> Instant { adding(months: period.months, days: period.days) }
}

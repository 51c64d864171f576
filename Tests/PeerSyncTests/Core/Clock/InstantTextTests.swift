import PeerSyncCore
import Testing

@Suite struct InstantTextTests {
  @Test(arguments: [
    ("2026-01-31T00:00:00.000Z", "2026-01-31T00:00:00.000Z"),
    ("2026-01-31T23:59:59Z", "2026-01-31T23:59:59.000Z"),
    ("2026-01-31T00:00:00.5Z", "2026-01-31T00:00:00.500Z"),
    ("2026-01-31T00:00:00.05Z", "2026-01-31T00:00:00.050Z"),
    ("2026-01-31T00:00:00.123999999Z", "2026-01-31T00:00:00.123Z"),
    ("2026-01-31T00:00:00+02:00", "2026-01-30T22:00:00.000Z"),
    ("2026-01-31T00:00:00.250-09:30", "2026-01-31T09:30:00.250Z"),
    ("2026-01-31", "2026-01-31T00:00:00.000Z"),
    ("0001-01-01", "0001-01-01T00:00:00.000Z"),
    ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
  ])
  func timesAreReadAndPrinted(text: String, printed: String) {
    #expect(Instant(text)?.description == printed)
  }

  @Test(arguments: [
    "", "2026", "2026-01", "2026-1-31", "2026-02-29", "2026-01-31T", "2026-01-31T00:00Z",
    "2026-01-31T00:00:00",
    "2026-01-31T24:00:00Z", "2026-01-31T00:60:00Z", "2026-01-31T00:00:60Z", "2026-01-31T00:00:00.Z",
    "2026-01-31T00:00:00.1234567890Z", "2026-01-31T00:00:00+0200", "2026-01-31T00:00:00+24:00",
    "2026-01-31T00:00:00Z ", " 2026-01-31", "2026-01-31t00:00:00z", "2026-01-31 00:00:00Z", "+026-01-31",
    "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01", "2026-01-31T00:00:00,5Z", "２０２６-01-31",
    "2026-01-31T-1:00:00Z",
  ])
  func everythingElseIsRefused(text: String) {
    #expect(Instant(text) == nil)
  }

  @Test(arguments: Seeds.all) func whatIsPrintedIsReadBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let milliseconds = Int.random(
        in: Int(Limits.earliestMilliseconds)...Int(Limits.latestMilliseconds), using: &random)
      let time = Instant(clamping: Int64(milliseconds))
      #expect(Instant(time.description) == time)
    }
  }
}

@Suite struct PeriodTests {
  @Test(arguments: [
    ("P3M", 3, 0, "P3M"), ("P1Y", 12, 0, "P1Y"), ("P1W", 0, 7, "P1W"), ("P10D", 0, 10, "P10D"),
    ("P1Y2M3D", 14, 3, "P1Y2M3D"), ("P14M", 14, 0, "P1Y2M"), ("P2W1D", 0, 15, "P15D"), ("P14D", 0, 14, "P2W"),
    ("P100Y", 1200, 0, "P100Y"), ("P1M7D", 1, 7, "P1M7D"),
  ])
  func periodsAreReadAndPrinted(text: String, months: Int, days: Int, printed: String) {
    #expect(Period(text) == Period(months: months, days: days))
    #expect(Period(text)?.description == printed)
    #expect(Period(printed) == Period(text))
  }

  @Test(arguments: [
    "", "P", "3M", "P3", "PM", "P3m", "p3M", "P3M ", "P-3M", "P0D", "P0M", "P1D1M", "P1M1M", "PT1H", "P1DT1H",
    "P1.5M",
    "P101Y", "P99999999999999999999Y", "P1000000Y", "3 months", "P٣M", "P36526D",
  ])
  func everythingElseIsRefused(text: String) {
    #expect(Period(text) == nil)
  }

  @Test func periodsAreNoLongerThanALife() {
    #expect(Period(months: 0, days: Limits.periodDays)?.description == "P36525D")
    #expect(Period(months: 0, days: Limits.periodDays + 1) == nil)
    #expect(Period(months: Limits.periodMonths + 1, days: 0) == nil)
  }
}

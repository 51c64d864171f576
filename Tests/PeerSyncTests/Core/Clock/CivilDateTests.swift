import Foundation
import PeerSyncCore
import Testing

/// Foundation's Gregorian calendar in UTC, the twin of ours. It is Gregorian after 1582 alone.
let foundationCalendar: Calendar = {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
  return calendar
}()

@Suite struct CivilDateTests {
  @Test func everyDayOf400YearsAgreesWithFoundation() throws {
    let first = try #require(CivilDate(year: 1900, month: 1, day: 1)).daysSinceEpoch
    let last = try #require(CivilDate(year: 2300, month: 1, day: 1)).daysSinceEpoch
    for day in first..<last {
      let parts = foundationCalendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      let date = try #require(CivilDate(daysSinceEpoch: day))
      guard date.year == parts.year, date.month == parts.month, date.day == parts.day,
        date.daysSinceEpoch == day
      else {
        Issue.record("day \(day): \(date) and \(parts)")
        return
      }
    }
  }

  @Test func everyDayOfTheCalendarFollowsTheOneBefore() throws {
    var previous = CivilDate.first
    for day in (CivilDate.first.daysSinceEpoch + 1)...CivilDate.last.daysSinceEpoch {
      let date = try #require(CivilDate(daysSinceEpoch: day))
      let next =
        CivilDate(year: previous.year, month: previous.month, day: previous.day + 1)
        ?? CivilDate(year: previous.year, month: previous.month + 1, day: 1)
        ?? CivilDate(year: previous.year + 1, month: 1, day: 1)
      guard date == next, date.daysSinceEpoch == day else {
        Issue.record("\(date) after \(previous)")
        return
      }
      previous = date
    }
    #expect(previous == .last)
  }

  @Test(arguments: Seeds.all) func monthsAgreeWithFoundation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let milliseconds = Int64(random.pick(-2_208_988_800_000...10_413_792_000_000))
      let (months, days) = (random.pick(0...1200), random.pick(0...5000))
      let start = Instant(clamping: milliseconds)
      let twin = try #require(
        foundationCalendar.date(
          byAdding: .month, value: months,
          to: Date(timeIntervalSince1970: Double(milliseconds.flooredSeconds))))
      let expected =
        Int64(twin.timeIntervalSince1970) * 1000 + milliseconds - milliseconds.flooredSeconds * 1000
        + Int64(days) * 86_400_000
      #expect(
        start.adding(months: months, days: days).milliseconds == expected, "\(start) + \(months) months")
    }
  }

  @Test func daysThatDoNotExistAreRefused() {
    #expect(CivilDate(year: 2026, month: 2, day: 29) == nil)
    #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
    #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
    #expect(CivilDate(year: 0, month: 1, day: 1) == nil)
    #expect(CivilDate(year: 10_000, month: 1, day: 1) == nil)
    #expect(CivilDate(year: 2026, month: 13, day: 1) == nil)
    #expect(CivilDate(year: .max, month: .max, day: .max) == nil)
    #expect(CivilDate(daysSinceEpoch: .max) == nil)
    #expect(CivilDate(daysSinceEpoch: .min) == nil)
  }

  @Test func sumsBeyondTheCalendarAreHeldAtItsEnds() {
    let day = instant("2026-01-31")
    for months in [Int.max, 100_000] {
      #expect(day.adding(months: months, days: 0).milliseconds == Limits.latestMilliseconds)
      #expect(day.adding(months: -months, days: 0).milliseconds == Limits.earliestMilliseconds)
    }
    for days in [Int.max, 10_000_000] {
      #expect(day.adding(months: 0, days: days).milliseconds == Limits.latestMilliseconds)
      #expect(day.adding(months: 0, days: -days).milliseconds == Limits.earliestMilliseconds)
    }
    #expect(day.adding(months: .min, days: .max).milliseconds == Limits.earliestMilliseconds)
  }

  @Test func B13_B14_B15_B16_monthsEnd() {
    #expect(instant("2026-01-31").adding(months: 1, days: 0) == instant("2026-02-28"))
    #expect(instant("2028-01-31").adding(months: 1, days: 0) == instant("2028-02-29"))
    #expect(instant("2026-01-31").adding(months: 2, days: 0) == instant("2026-03-31"))
    #expect(instant("2025-08-31").adding(months: 9, days: 0) == instant("2026-05-31"))
    #expect(instant("2024-02-29").adding(months: 12, days: 0) == instant("2025-02-28"))
    #expect(instant("2024-02-29").adding(months: 48, days: 0) == instant("2028-02-29"))
    #expect(instant("2026-01-31").adding(months: 1, days: 1) == instant("2026-03-01"))
  }
}

extension Int64 {
  /// Whole seconds of a count of milliseconds, rounded down.
  fileprivate var flooredSeconds: Int64 { self >= 0 ? self / 1000 : -((999 - self) / 1000) }
}

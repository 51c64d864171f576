import PeerSyncCore

/// How much faster the sandbox store's periods pass than those of the real one. The clock itself is never faster: what is
/// shortened is how long a subscription lasts, as in Apple's sandbox.
package enum SandboxScale: Codable, Hashable, Sendable {
  /// A month is a month.
  case real
  /// A month and a week take so many milliseconds, and every other period its part of the month.
  case monthly(month: Int64, week: Int64)
  /// Everything takes the given part of its time; 1 to ``Limits/sandboxSpeed``.
  case faster(Int64)

  /// The table of Apple's sandbox: a week takes 3 minutes, a month 5, a year an hour.
  package static let sandbox = SandboxScale.monthly(month: 5 * 60_000, week: 3 * 60_000)

  /// Milliseconds of the month that parts of a table are of.
  private static let month = 30 * Instant.dayMilliseconds

  /// The `_timeRate` of a `.storekit` file, after the header of StoreKitTest; nil for a number that is not known.
  package init?(timeRate: Int) {
    let minute: Int64 = 60_000
    switch timeRate {
    case 0: self = .real
    case 1: self = .faster(24)
    case 2: self = .faster(48)
    case 3: self = .faster(288)
    case 4: self = .faster(1440)
    case 5: self = .faster(2880)
    case 6: self = .faster(86_400)
    case 10: self = .monthly(month: 60 * minute, week: 15 * minute)
    case 11: self = .monthly(month: 30 * minute, week: 10 * minute)
    case 12: self = .monthly(month: 15 * minute, week: 5 * minute)
    case 13: self = .sandbox
    case 15: self = .monthly(month: minute / 2, week: minute / 6)
    default: return nil
    }
  }

  /// Whether subscriptions renew twelve times only, as in Apple's sandbox.
  package var endsRenewals: Bool { if case .monthly = self { true } else { false } }

  /// The end of a number of periods in a row.
  package func end(of period: Period, times count: Int, from start: Instant) -> Instant {
    let count = max(count, 0)
    switch self {
    case .real:
      let (months, days) = (
        period.months.multipliedReportingOverflow(by: count),
        period.days.multipliedReportingOverflow(by: count)
      )
      guard !months.overflow, !days.overflow else { return Instant(clamping: .max) }
      return start.adding(months: months.partialValue, days: days.partialValue)
    case .monthly, .faster:
      let (length, overflow) = length(of: period).multipliedReportingOverflow(by: Int64(count))
      return start.advanced(byMilliseconds: overflow ? .max : length)
    }
  }

  /// How long a time of the real store takes here, at least a millisecond. A span is at most 100 years long.
  package func span(_ milliseconds: Int64) -> Int64 {
    switch self {
    case .real: milliseconds
    case .monthly(let month, _): max(1, milliseconds / 1000 * month / (SandboxScale.month / 1000))
    case .faster(let times): max(1, milliseconds / max(times, 1))
    }
  }

  /// How long days of the real store take here.
  package func span(days: Int64) -> Int64 { span(days * Instant.dayMilliseconds) }

  /// At least a second, so that no scale makes a subscription renew without pause.
  private func length(of period: Period) -> Int64 {
    let real = Int64(period.months * 30 + period.days) * Instant.dayMilliseconds
    guard case .monthly(let month, let week) = self else { return max(1000, span(real)) }
    guard period.months == 0 else {
      let days = period.days > 0 ? span(days: Int64(period.days)) : 0
      return max(1000, Int64(period.months) * month + days)
    }
    switch period.days {
    case ...3: return max(1000, week * 2 / 3)
    case ...7: return max(1000, week)
    default: return max(1000, week, span(real))
    }
  }
}

/// When the store signed the facts of a ledger: the newest date of each day, as much as evidence of the time needs.
struct SignedDates: Sendable {
  private var newest: Instant?
  private var newestOfDay: [Int64: Instant] = [:]

  mutating func note(_ date: Instant) {
    newest = max(newest ?? date, date)
    let day = date.milliseconds.flooredQuotient(Instant.dayMilliseconds)
    newestOfDay[day] = max(newestOfDay[day] ?? date, date)
  }

  /// The newest date up to a limit. Of the limit's own day there may be an earlier one that is forgotten: then the newest
  /// of an earlier day.
  func newest(upTo limit: Instant) -> Instant? {
    guard let newest, newest > limit else { return newest }
    return newestOfDay.values.filter { $0 <= limit }.max()
  }
}

extension Ledger {
  /// The newest date, up to a limit, at which the store signed a fact that counts in this ledger.
  package func newestSignedDate(upTo limit: Instant) -> Instant? { signed.newest(upTo: limit) }
}

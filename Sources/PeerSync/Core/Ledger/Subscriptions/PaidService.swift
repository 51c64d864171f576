/// The time that was paid for: stretches that do not overlap, in order.
///
/// Free trials, what the family shares and what was taken back do not count, and of what an upgrade replaced only the time
/// until then. A gap of more than ``longestGap`` begins the count anew.
struct PaidService: Sendable {
  /// The longest gap that keeps the count, in milliseconds (60 days).
  static let longestGap = 60 * Instant.dayMilliseconds

  private struct Stretch {
    let start: Instant
    var end: Instant
    /// Milliseconds counted before it.
    let before: Int64

    var length: Int64 { end.milliseconds - start.milliseconds }
  }

  private var stretches: [Stretch] = []

  /// - Parameter periods: of one subscription, by their starts
  init(_ periods: [SubscriptionPeriod]) {
    for index in periods.indices where periods[index].isPaid {
      if let end = PaidService.end(of: index, periods) { add(periods[index].start, end) }
    }
  }

  /// When the paid service of a period ends; nil when none of it counts.
  private static func end(of index: Int, _ periods: [SubscriptionPeriod]) -> Instant? {
    let period = periods[index]
    guard let end = period.end, period.revocation == nil else { return nil }
    guard period.isUpgraded else { return end }
    let next = periods[(index + 1)...].first { $0.start > period.start }?.start
    return min(end, period.signed, next ?? end)
  }

  private mutating func add(_ start: Instant, _ end: Instant) {
    guard start < end else { return }
    guard let last = stretches.last else {
      return stretches.append(Stretch(start: start, end: end, before: 0))
    }
    if start <= last.end {
      stretches[stretches.count - 1].end = max(last.end, end)
    } else {
      let keeps = start.milliseconds - last.end.milliseconds <= PaidService.longestGap
      stretches.append(Stretch(start: start, end: end, before: keeps ? last.before + last.length : 0))
    }
  }

  /// Whole days paid for by now.
  func days(_ horizon: inout Horizon) -> Int {
    let now = horizon.now
    let next = stretches.partitionPoint { $0.start > now }
    if next < stretches.count { horizon.changes(at: stretches[next].start) }
    guard next > 0 else { return 0 }
    let stretch = stretches[next - 1]
    guard now < stretch.end else { return kept(behind: stretch, &horizon) }
    let (days, rest) = (stretch.before + now.milliseconds - stretch.start.milliseconds)
      .quotientAndRemainder(dividingBy: Instant.dayMilliseconds)
    horizon.changes(at: now.advanced(byMilliseconds: Instant.dayMilliseconds - rest))
    horizon.changes(at: stretch.end)
    return Int(days)
  }

  private func kept(behind stretch: Stretch, _ horizon: inout Horizon) -> Int {
    let over = stretch.end.advanced(byMilliseconds: PaidService.longestGap + 1)
    guard horizon.now < over else { return 0 }
    horizon.changes(at: over)
    return Int((stretch.before + stretch.length) / Instant.dayMilliseconds)
  }
}

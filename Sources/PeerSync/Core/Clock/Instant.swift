/// A point in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds (POSIX time).
///
/// Always within ``Limits/earliestMilliseconds`` and ``Limits/latestMilliseconds``, so that calendar arithmetic on
/// any instant stays far from overflow.
public struct Instant: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// Makes an instant; nil outside the years 1 to 9999.
  public init?(milliseconds: Int64) {
    guard (Limits.earliestMilliseconds...Limits.latestMilliseconds).contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Makes the accepted instant nearest to a count of milliseconds.
  public init(clamping milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Limits.earliestMilliseconds), Limits.latestMilliseconds)
  }

  /// 1970-01-01T00:00:00Z.
  public static let epoch = Instant(clamping: 0)

  /// The instant this many milliseconds later (earlier when negative), held at the bounds of the calendar.
  public func advanced(byMilliseconds delta: Int64) -> Instant {
    let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
    guard !overflow else { return Instant(clamping: delta < 0 ? .min : .max) }
    return Instant(clamping: sum)
  }

  /// The earlier instant first.
  public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}

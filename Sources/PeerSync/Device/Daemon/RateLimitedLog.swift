/// Lines of the log that others can cause. They are counted, so that nobody fills the disk with them: a hundred at
/// once, then one a second; the next one written says how many were left out.
final class RateLimitedLog {
  private let log: Log
  private let clock: () -> UInt64
  private var bucket: TokenBucket
  private var leftOut = 0

  /// - Parameter clock: milliseconds that only move forward
  init(_ log: Log, clock: @escaping () -> UInt64 = { SystemClock().now().monotonic }) {
    self.log = log
    self.clock = clock
    bucket = TokenBucket(capacity: 100_000, perMillisecond: 1)
  }

  func callAsFunction(
    _ level: Log.Level, _ message: String, _ fields: KeyValuePairs<String, String> = [:]
  ) {
    guard bucket.take(1000, now: clock()) else {
      leftOut += 1
      return
    }
    if leftOut > 0 { log(.warning, "similar messages suppressed", ["count": "\(leftOut)"]) }
    leftOut = 0
    log(level, message, fields)
  }
}

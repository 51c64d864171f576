/// Turns that come so often and no more: some at once, and then one after each interval. What finds none waits for the next.
struct Turns: Sendable {
  private let interval: UInt64
  private var bucket: TokenBucket
  /// When what waits has its turn, on the monotonic clock; nil: nothing waits.
  private(set) var next: UInt64?

  /// - Parameters:
  ///   - atOnce: most turns that are taken one right after the other
  ///   - interval: time after which there is one more, in milliseconds
  init(atOnce: UInt64, every interval: UInt64) {
    self.interval = interval
    bucket = TokenBucket(capacity: atOnce * interval, perMillisecond: 1)
  }

  /// Takes a turn.
  ///
  /// - Parameter hasRoom: whether there is room for what has its turn; something else happens before there is
  /// - Returns: whether there is one; if not, ``next`` says when
  mutating func take(at now: UInt64, hasRoom: Bool = true) -> Bool {
    next = nil
    guard hasRoom else { return false }
    guard !bucket.take(interval, now: now) else { return true }
    next = bucket.time(of: interval)
    return false
  }

  /// Notes that nothing waits any more.
  mutating func forgo() { next = nil }
}

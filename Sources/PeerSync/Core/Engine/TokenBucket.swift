/// How much of something a peer may ask for: a store of tokens that fills up with time, and that what it asks for
/// empties.
package struct TokenBucket: Hashable, Sendable {
  /// Most tokens it holds, and what it holds at first.
  package let capacity: UInt64
  /// Tokens that come in a millisecond.
  package let perMillisecond: UInt64

  private var level: UInt64
  /// When ``level`` was right, on the monotonic clock.
  private var time: UInt64 = 0

  /// A full bucket.
  package init(capacity: UInt64, perMillisecond: UInt64) {
    self.capacity = capacity
    self.perMillisecond = perMillisecond
    level = capacity
  }

  /// Takes so many tokens out: all of them, or none when there are fewer.
  ///
  /// - Returns: whether there were enough.
  package mutating func take(_ tokens: UInt64, now: UInt64) -> Bool {
    fill(now)
    guard tokens <= level else { return false }
    level -= tokens
    return true
  }

  /// When so many will be there, on the monotonic clock, if none are taken; the past, if they are.
  package func time(of tokens: UInt64) -> UInt64 {
    guard tokens > level else { return time }
    return time + (tokens - level + perMillisecond - 1) / perMillisecond
  }

  private mutating func fill(_ now: UInt64) {
    guard now > time else { return }
    let (gain, isBeyond) = (now - time).multipliedReportingOverflow(by: perMillisecond)
    time = now
    level = isBeyond || gain > capacity - level ? capacity : level + gain
  }
}

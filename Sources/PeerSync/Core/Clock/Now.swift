/// What time it is, as an argument: the core never reads a clock.
public struct Now: Hashable, Sendable {
  /// The wall clock. It may be wrong and may jump.
  public let wall: Instant
  /// Milliseconds of a clock that only moves forward, from an arbitrary start. Timers use this one.
  public let monotonic: UInt64

  /// Makes a reading of both clocks.
  public init(wall: Instant, monotonic: UInt64) {
    self.wall = wall
    self.monotonic = monotonic
  }
}

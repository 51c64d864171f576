#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's clocks.
package struct SystemClock: Sendable {
  /// Milliseconds added to the wall clock, for simulations on one machine.
  private let offset: Guarded<Int64>

  package init(offset: Int64 = 0) { self.offset = Guarded(offset) }

  /// By how many milliseconds the wall clock is ahead of the system's (negative: behind).
  var lead: Int64 { offset.withLock(\.self) }

  /// Sets the clock on, never back.
  ///
  /// - Returns: whether it was behind by more than a second
  func setOn(to time: Instant) -> Bool {
    let behind = time.milliseconds - now().wall.milliseconds
    guard behind > 1000 else { return false }
    offset.withLock { $0 += behind }
    return true
  }

  /// Reads both clocks. The monotonic one goes on while the machine sleeps, so that a session that died meanwhile is
  /// noticed at once.
  package func now() -> Now {
    let wall = Instant(clamping: Self.milliseconds(CLOCK_REALTIME)).advanced(
      byMilliseconds: offset.withLock(\.self))
    return Now(wall: wall, monotonic: UInt64(clamping: Self.milliseconds(Self.steady)))
  }

  /// For how many milliseconds the machine has slept since it was started.
  static var sleptMilliseconds: Int64 {
    #if canImport(Glibc)
      milliseconds(CLOCK_BOOTTIME) - milliseconds(CLOCK_MONOTONIC)
    #else
      0
    #endif
  }

  #if canImport(Glibc)
    private static let steady = CLOCK_BOOTTIME
  #else
    private static let steady = CLOCK_MONOTONIC
  #endif

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

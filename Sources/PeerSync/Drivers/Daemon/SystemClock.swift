#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's clocks.
package struct SystemClock: Sendable {
  /// Milliseconds added to the wall clock, for simulations on one machine.
  package let offset: Int64

  package init(offset: Int64 = 0) { self.offset = offset }

  /// Reads both clocks. The monotonic one goes on while the machine sleeps, so that a session that died meanwhile is
  /// noticed at once.
  package func now() -> Now {
    let wall = Instant(clamping: Self.milliseconds(CLOCK_REALTIME)).advanced(byMilliseconds: offset)
    return Now(wall: wall, monotonic: UInt64(clamping: Self.milliseconds(Self.steady)))
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

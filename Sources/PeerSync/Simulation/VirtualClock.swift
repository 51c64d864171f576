import PeerSyncCore

/// The time of a simulation: virtual time, which passes as things happen, and the calendar, which may be set on besides.
struct VirtualClock {
  /// Milliseconds since the simulation began.
  private(set) var time: UInt64 = 0
  /// By how many milliseconds a scenario has set all clocks on, but for the monotonic ones.
  private var lead: Int64 = 0

  /// Lets time pass up to a moment, if that is still to come.
  mutating func advance(to moment: UInt64) { time = max(time, moment) }

  /// Sets the calendar on: all wall clocks go with it, monotonic ones do not. Never back.
  mutating func setOn(to later: Instant) { lead += max(0, later.milliseconds - trueTime.milliseconds) }

  /// The time that a right clock shows.
  var trueTime: Instant { wall(offset: 0) }

  /// What a device reads whose wall clock is off, in milliseconds, and that has run since a moment.
  func reading(offset: Int64, since boot: UInt64) -> Now {
    Now(wall: wall(offset: offset), monotonic: time - boot)
  }

  private func wall(offset: Int64) -> Instant {
    Instant(clamping: World.wallStart + Int64(time) + lead + offset)
  }
}

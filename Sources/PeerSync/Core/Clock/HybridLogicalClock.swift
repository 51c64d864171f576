/// Stamps for what this device decides: close to its wall clock, and greater than every stamp it has made or accepted
/// (Kulkarni, Demirbas, Madappa, Avva and Leone, *Logical Physical Clocks*, 2014).
///
/// So a write that follows another, on this device or after hearing of it, wins its register, even where the wall clock
/// stands still, runs behind or is turned back. Unlike in the paper, hearing of a stamp does not advance the clock
/// past it: merging state must not change anything that merging it again would change once more. The next tick does.
///
/// A ``Stamp`` is one number with the counter in its low bits, so a counter that overflows carries into the milliseconds.
package struct HybridLogicalClock: Hashable, Sendable {
  /// The greatest stamp made or accepted so far: all there is to keep.
  package private(set) var last: Stamp

  /// Makes a clock that goes on from a stamp; by default, from none.
  package init(last: Stamp = Stamp(rawValue: 0)) { self.last = last }

  /// A stamp greater than all before.
  ///
  /// - Throws: ``ClockError/exhausted`` when there is no greater stamp, in the year 10889.
  package mutating func tick(now: Instant) throws(ClockError) -> Stamp {
    guard last.rawValue < .max else { throw .exhausted }
    last = max(Stamp(now), Stamp(rawValue: last.rawValue + 1))
    return last
  }

  /// Takes note of another device's stamp, so that later ticks are greater. Noting it again changes nothing.
  ///
  /// - Throws: ``ClockError/tooFarAhead(milliseconds:)`` for a stamp that lies more than
  ///   ``Limits/clockDriftMilliseconds`` ahead of this device's own wall clock: one wrong clock would carry all others
  ///   away with it. Nothing has changed then.
  package mutating func observe(_ stamp: Stamp, now: Instant) throws(ClockError) {
    let lead = stamp.lead(over: now)
    guard lead <= Limits.clockDriftMilliseconds else { throw .tooFarAhead(milliseconds: lead) }
    last = max(last, stamp)
  }
}

extension Stamp {
  /// By how many milliseconds the stamp is ahead of a wall clock; negative when it is behind.
  package func lead(over now: Instant) -> Int64 {
    // 48 bits, less a date between the years 1 and 9999: far from the ends of 64.
    Int64(milliseconds) - max(now.milliseconds, 0)
  }
}

/// Why a clock did not take or make a stamp.
package enum ClockError: Error, Hashable, Sendable {
  /// The stamp lies so far ahead of the wall clock, more than the drift that is allowed.
  case tooFarAhead(milliseconds: Int64)
  /// There is no greater stamp.
  case exhausted
}

/// The present as far as somebody vouches for it: the later of the wall clock and a floor that no clock can turn back
/// [B24].
///
/// The floor is the newest evidence, moved on by monotonic time. A wall clock alone is not evidence, neither this device's nor
/// a peer's, so that a clock that jumps ahead and is corrected leaves nothing behind [B25]. Evidence is:
///
/// - **the store**: the newest `signedDate` of a fact that counts here. In production Apple alone can sign one, and any is
///   believed. Elsewhere a simulated store signs, with the clock of some device: its date counts only as far as it leads
///   the time that this device has run since it was made by no more than ``Limits/simulatedLeadMilliseconds``. No such date
///   moves what the next one is measured against [F70].
/// - **a peer**: two clocks that agree. While the wall clocks of this device and a paired one differ by no more than
///   ``Limits/clockDriftMilliseconds``, the earlier of the two is evidence. Where they differ by more nobody can tell
///   which one is wrong, and neither counts. So a peer never carries the floor beyond this device's own clock.
///
/// The floor outlives a restart as the instant that was kept; monotonic time does not run while a machine is off.
package struct TrustedTime: Hashable, Sendable {
  /// Who vouches for a time.
  package enum Voucher: Hashable, Sendable {
    /// The store, by a fact that it signed then.
    case store(signed: Instant)
    /// A paired device, whose clock agreed with this one's.
    case peer(DeviceID)

    /// What answers call it.
    package var source: String {
      switch self {
      case .store: "store"
      case .peer: "peer"
      }
    }
  }

  /// A time that has been reached, and who says so.
  package struct Evidence: Hashable, Sendable {
    package let instant: Instant
    package let voucher: Voucher

    package init(instant: Instant, voucher: Voucher) {
      self.instant = instant
      self.voucher = voucher
    }
  }

  /// What outlives a restart.
  package struct Persisted: Hashable, Sendable {
    /// The wall clock when the device was made. No evidence: only what dates of a simulated store are measured against.
    package var made: Instant?
    /// The floor, as it was last kept.
    package var evidence: Evidence?

    package init(made: Instant? = nil, evidence: Evidence? = nil) {
      self.made = made
      self.evidence = evidence
    }
  }

  private var made: Instant?
  private var floor: Evidence?
  /// Monotonic time at which the floor was right; nil until the first reading after a start.
  private var floorSet: UInt64?
  /// Monotonic time of the first reading.
  private var began: UInt64?

  package init(_ kept: Persisted = Persisted()) {
    made = kept.made
    floor = kept.evidence
  }

  /// Notes the first reading of the clocks after a start, from which monotonic time counts. Later ones change nothing.
  package mutating func begin(_ now: Now) {
    guard began == nil else { return }
    began = now.monotonic
    floorSet = now.monotonic
    made = made ?? now.wall
  }

  /// The floor now; nil while nobody has vouched for any time.
  package func evidence(at now: Now) -> Evidence? {
    floor.map { Evidence(instant: $0.instant.advanced(by: now, since: floorSet), voucher: $0.voucher) }
  }

  /// What time it is, and who says so.
  package func reading(at now: Now) -> TimeReading {
    TimeReading(wall: now.wall, evidence: evidence(at: now))
  }

  /// The last date of a store's fact that counts as evidence. No evidence moves it.
  package func storeLimit(in environment: Environment, at now: Now) -> Instant {
    guard !environment.requiresVerification else { return Instant(clamping: .max) }
    return (made ?? now.wall).advanced(by: now, since: began)
      .advanced(byMilliseconds: Limits.simulatedLeadMilliseconds)
  }

  /// Takes a date that the store has signed, one within ``storeLimit(in:at:)``.
  package mutating func note(signed date: Instant, at now: Now) {
    raise(to: date, .store(signed: date), at: now)
  }

  /// Takes note of a paired device's wall clock.
  ///
  /// - Returns: whether it agrees with this device's.
  @discardableResult package mutating func note(_ clock: Instant, of peer: DeviceID, at now: Now) -> Bool {
    guard abs(clock.milliseconds - now.wall.milliseconds) <= Limits.clockDriftMilliseconds else {
      return false
    }
    raise(to: min(clock, now.wall), .peer(peer), at: now)
    return true
  }

  private mutating func raise(to instant: Instant, _ voucher: Voucher, at now: Now) {
    if let known = evidence(at: now)?.instant, known >= instant { return }
    floor = Evidence(instant: instant, voucher: voucher)
    floorSet = now.monotonic
  }
}

/// What time it is, and who says so.
package struct TimeReading: Hashable, Sendable {
  /// The device's own clock.
  package let wall: Instant
  /// The floor; nil while nobody has vouched for any time.
  package let evidence: TrustedTime.Evidence?

  package init(wall: Instant, evidence: TrustedTime.Evidence?) {
    self.wall = wall
    self.evidence = evidence
  }

  /// Trusted now: the later of both.
  package var now: Instant { max(wall, evidence?.instant ?? wall) }

  /// Who vouches for ``now``; nil when the clock has reached what is vouched for, as it should have. A second is no
  /// difference: the clock and monotonic time are read, and corrected, apart.
  package var voucher: TrustedTime.Voucher? {
    guard let evidence, evidence.instant.milliseconds - wall.milliseconds > 1000 else { return nil }
    return evidence.voucher
  }

  /// By how many milliseconds the clock is behind what is vouched for, if that is more than the drift that is allowed.
  package var rollback: Int64? {
    let behind = now.milliseconds - wall.milliseconds
    return behind > Limits.clockDriftMilliseconds ? behind : nil
  }
}

extension Instant {
  /// This instant moved on by the monotonic time since then.
  package func advanced(by now: Now, since monotonic: UInt64?) -> Instant {
    guard let monotonic, now.monotonic > monotonic else { return self }
    return advanced(byMilliseconds: Int64(clamping: now.monotonic - monotonic))
  }
}

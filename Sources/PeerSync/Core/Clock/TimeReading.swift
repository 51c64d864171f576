/// What time it is, and who says so.
package struct TimeReading: Hashable, Sendable {
  /// The device's own clock.
  package let wall: Instant
  /// The floor; nil while nobody has vouched for any time.
  package let evidence: TrustedTime.Evidence?
  /// When a person last said that this device's clock is right, by that clock; nil: nobody ever did.
  package let accepted: Instant?

  package init(wall: Instant, evidence: TrustedTime.Evidence?, accepted: Instant? = nil) {
    self.wall = wall
    self.evidence = evidence
    self.accepted = accepted
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

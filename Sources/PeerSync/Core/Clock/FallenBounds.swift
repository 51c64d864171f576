/// Bounds that clocks which were ahead alike had supplied, and that have fallen.
package struct FallenBounds: Hashable, Sendable {
  /// By how many milliseconds they were ahead.
  package let lead: Int64
  /// This device's last write by then. What it decides later its clock has stamped as it stands since.
  package let last: Dot
  /// When they fell, by this device's clock. Of what anybody decides later they tell nothing.
  package let fell: Instant

  package init(lead: Int64, last: Dot, fell: Instant) {
    self.lead = lead
    self.last = last
    self.fell = fell
  }

  /// When a write was made; nil where that is not known. A stamp with a counter only follows another one, as do all that are made once
  /// the clock is right again and before the bounds fall.
  func time(of write: Write) -> Instant? {
    guard write.stamp == Stamp(rawValue: write.stamp.milliseconds << 16),
      write.dot.replica != last.replica || write.dot.sequence <= last.sequence
    else { return nil }
    return time(of: write.stamp)
  }

  /// When something was stamped; nil where it was after the bounds fell, so that its clock was ahead by something else.
  func time(of stamp: Stamp) -> Instant? {
    let time = Instant(clamping: stamp.time.milliseconds.subtractingClamped(lead))
    return time.milliseconds <= fell.milliseconds.addingClamped(Limits.clockDriftMilliseconds) ? time : nil
  }
}

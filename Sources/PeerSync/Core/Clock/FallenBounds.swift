/// Bounds that clocks which were ahead alike had supplied, and that have fallen.
package struct FallenBounds: Hashable, Sendable {
  /// By how many milliseconds they were ahead.
  package let lead: Int64
  /// This device's last write by then. What it decides later its clock has stamped as it stands since.
  package let last: Dot

  package init(lead: Int64, last: Dot) {
    self.lead = lead
    self.last = last
  }

  /// When a write was made; nil where that is not known. A stamp with a counter only follows another one, as do all that are made once
  /// the clock is right again and before the bounds fall.
  func time(of write: Write) -> Instant? {
    guard write.stamp == Stamp(rawValue: write.stamp.milliseconds << 16),
      write.dot.replica != last.replica || write.dot.sequence <= last.sequence
    else { return nil }
    return Instant(clamping: write.stamp.time.milliseconds.subtractingClamped(lead))
  }
}

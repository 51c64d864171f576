/// A moment at which something is done: the clocks as they were read, and what time it is by all that vouches for it.
package struct Moment: Hashable, Sendable {
  package let now: Now
  /// Trusted now.
  package let present: Instant

  package init(_ now: Now, present: Instant) {
    self.now = now
    self.present = present
  }

  /// What the wall clock says.
  package var wall: Instant { now.wall }

  /// The greatest stamp that a clock may have given by now.
  package var ceiling: Stamp { Stamp.ceiling(at: present) }
}

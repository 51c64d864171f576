/// What happens to the link between two devices.
package enum LinkChange: Hashable, Sendable {
  /// Nothing goes over it any more, and its connections end.
  case cut
  /// It works as links do.
  case mended
  /// Its connections stand, and nothing gets through: what was sent arrives once it is mended.
  case stalled
  /// What is sent over it arrives so many milliseconds later.
  case delayed(UInt64)
  /// Its connections end; new ones may come at once.
  case reset
}

import PeerSync

extension Instant {
  /// What this machine's clock shows.
  static var present: Instant { SystemClock().now().wall }
}

/// What there is between two devices over whose session data flows: how far they have compared what they hold, what is on its way,
/// and what each knows of the other's clock.
package struct DataFlow: Sendable {
  package let peer: Peer
  /// The membership records as this side's welcome told of them.
  package let toldFingerprint: ContentHash
  /// Records of the peer on their way, in several messages.
  package var incomingRecords = IncomingRecords()
  /// Whether the peer has told records for which there was no room here, since the group last changed.
  var lacksRecords = false
  /// How far the two sides have compared what they hold.
  package var comparison = SessionComparison()
  /// Hash of the vector at which rights were last rebalanced with the peer.
  var rebalancedAt: UInt64?
  /// The deltas being sent.
  package var outgoing = OutgoingDeltas()
  /// The delta being received.
  package var incoming: IncomingDelta?
  /// What is known of the peer's clock.
  var clock = PeerClock()
}

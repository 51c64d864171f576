/// Which versions of the protocol this program speaks, and which one a session uses.
package enum ProtocolVersion {
  /// The versions this program speaks.
  package static let supported: ClosedRange<UInt16> = 1...1

  /// The highest version that both sides speak; nil: there is none, and the session closes with
  /// ``CloseReason/version``. Both sides come to the same answer from the two hellos, without another message.
  package static func common(
    with peer: ClosedRange<UInt16>, own: ClosedRange<UInt16> = supported
  ) -> UInt16? {
    let highest = min(peer.upperBound, own.upperBound)
    return highest >= max(peer.lowerBound, own.lowerBound) ? highest : nil
  }
}

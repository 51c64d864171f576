/// The name of one write: the replica that made it and the place in that replica's order, from 1.
///
/// No two writes ever share a dot (I9).
public struct Dot: Hashable, Comparable, Sendable {
  /// The replica that made the write.
  public let replica: ReplicaID
  /// Its number among that replica's writes, from 1.
  public let sequence: UInt64

  /// Names a write.
  public init(replica: ReplicaID, sequence: UInt64) {
    self.replica = replica
    self.sequence = sequence
  }

  /// Whether it is of the same replica as a cut, and void by it.
  package func isBeyond(_ cut: Dot) -> Bool { replica == cut.replica && sequence > cut.sequence }

  /// By replica, then by sequence.
  public static func < (left: Dot, right: Dot) -> Bool {
    (left.replica, left.sequence) < (right.replica, right.sequence)
  }
}

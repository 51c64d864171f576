/// The writes of one replica that one transaction made durable: consecutive sequences, none missing.
///
/// A commit is what is pushed to connected peers. Because it is whole, a receiver whose version vector stands right
/// before it may advance past it.
package struct Commit: Equatable, Sendable {
  /// The author.
  package let replica: ReplicaID
  /// Sequence of the first write.
  package let first: UInt64
  /// Sequence of the last write.
  package let last: UInt64
  /// Every write from `first` to `last`.
  package let writes: WriteBatch

  /// Checks that the batch is consecutive writes of one replica, and takes the rest from it.
  package init(_ writes: WriteBatch) throws(WireError) {
    guard writes.replicas.count == 1, let replica = writes.replicas.first else { throw .malformed }
    var first: UInt64 = 0
    var last: UInt64 = 0
    try writes.forEach { (write: borrowing WriteView) throws(WireError) in
      if first == 0 {
        first = write.sequence
      } else {
        // Sequences in a batch are above 0: the greatest one has no successor to wrap around to.
        guard write.sequence == last &+ 1 else { throw .malformed }
      }
      last = write.sequence
    }
    self.replica = replica
    self.first = first
    self.last = last
    self.writes = writes
  }

  /// Checks that the batch is just the writes from `first` on of `replica`, in order.
  package init(replica: ReplicaID, first: UInt64, writes: WriteBatch) throws(WireError) {
    try self.init(writes)
    guard self.replica == replica, self.first == first else { throw .malformed }
  }
}

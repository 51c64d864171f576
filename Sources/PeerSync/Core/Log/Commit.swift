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

  /// Checks that the batch is just the writes `first` to `last` of `replica`, in order.
  package init(replica: ReplicaID, first: UInt64, writes: WriteBatch) throws(WireError) {
    var next = first
    guard first > 0, !writes.isEmpty, first <= UInt64.max - UInt64(writes.count) else { throw .malformed }
    try writes.forEach { (write: borrowing WriteView) throws(WireError) in
      guard write.replica == replica, write.sequence == next else { throw .malformed }
      next += 1
    }
    self.replica = replica
    self.first = first
    self.last = next - 1
    self.writes = writes
  }
}

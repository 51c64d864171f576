/// A change of what a replica keeps to prove whose writes it holds. On a disk they apply in order.
package enum ProofChange: Hashable, Sendable {
  /// An incarnation was met; `replica` is the id that follows from it.
  case incarnation(Incarnation, replica: ReplicaID)
  /// A commit is kept, in place of one with the same first sequence.
  case commit(PersistedCommit)
  /// A commit is no longer needed, nor are the hashes of its writes.
  case dropped(ReplicaID, ClosedRange<UInt64>)
  /// The commits that begin in a span lie beyond a cut: none of them is needed, nor are the hashes of their writes.
  case voided(ReplicaID, ClosedRange<UInt64>)
  /// A write was replaced, and others of its commit are alive.
  case replaced(Dot, ContentHash)
  /// A write is in its register again.
  case alive(Dot)
  /// A replica was forked.
  case forked(Fork, replica: ReplicaID)
  /// Nothing of a replica counts, and nothing is kept of it any more.
  case forgotten(ReplicaID)
}

/// A commit as it is kept: its signature, and its root once none of its writes is alive.
package struct PersistedCommit: Hashable, Sendable {
  package let replica: ReplicaID
  /// Sequence of the first write.
  package let first: UInt64
  /// Number of writes.
  package let count: Int
  package let signature: FlatSignature
  /// Nil as long as a write is alive: then the hashes of its writes and of the replaced ones give it.
  package let root: ContentHash?

  package init(
    replica: ReplicaID, first: UInt64, count: Int, signature: FlatSignature, root: ContentHash?
  ) {
    self.replica = replica
    self.first = first
    self.count = count
    self.signature = signature
    self.root = root
  }

  /// Sequence of the last write.
  package var last: UInt64 { first + UInt64(count) - 1 }
}

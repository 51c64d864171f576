/// The writes of one replica that one transaction made durable: consecutive sequences, none missing, all in full.
///
/// A commit is what is pushed to connected peers. Because it is whole, a receiver whose version vector stands right
/// before it may advance past it.
public struct Commit: Equatable, Sendable {
  /// Who made the writes.
  package let author: Incarnation
  /// Sequence of the first write.
  package let first: UInt64
  /// Sequence of the last write.
  package let last: UInt64
  /// Just this commit, with its signature.
  package let batch: SignedBatch

  /// Checks that the batch is one commit with every write in full, and takes the rest from it.
  package init(_ batch: SignedBatch) throws(WireError) {
    guard batch.count == 1, let author = batch.authors.first else { throw .malformed }
    var span: (UInt64, UInt64)?
    batch.forEach { commit in
      if commit.isWhole { span = (commit.first, commit.last) }
    }
    guard let span else { throw .malformed }
    self.author = author
    (first, last) = span
    self.batch = batch
  }
}

extension CommitView {
  /// Whether every write is here in full.
  fileprivate var isWhole: Bool {
    var replaced = 0
    forEachWrite(by: ReplicaID(high: 0, low: 0), full: { _, _ in }, replaced: { _, _ in replaced += 1 })
    return root == nil && replaced == 0
  }
}

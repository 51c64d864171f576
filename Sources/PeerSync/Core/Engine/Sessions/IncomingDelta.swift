/// A delta on its way in: it counts as long as its pieces come in order and are taken whole.
package struct IncomingDelta: Sendable {
  private var number: UInt64
  private var nextChunk: UInt64 = 0
  private var isWhole = true
  /// The authors of what was left out, because they are no members.
  private(set) var strangers: Set<ReplicaID> = []

  init(number: UInt64) { self.number = number }

  /// Notes a piece; the first one of another delta begins that.
  mutating func note(_ chunk: DeltaChunk, _ outcome: MergeOutcome) {
    if number != chunk.delta { self = IncomingDelta(number: chunk.delta) }
    strangers.formUnion(outcome.strangers)
    isWhole = isWhole && outcome.isWholeOfMembers && chunk.index == nextChunk
    // No vector names as many.
    if strangers.count > Limits.replicas { (strangers, isWhole) = ([], false) }
    nextChunk = chunk.index < .max ? chunk.index + 1 : .max
  }

  /// Notes that what has come of it may not be here any more.
  mutating func spoil() { isWhole = false }

  /// Whether every piece is here.
  func isComplete(at end: DeltaEnd) -> Bool { number == end.delta && isWhole && nextChunk == end.chunks }
}

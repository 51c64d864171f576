/// A delta on its way in: it counts as long as its pieces come in order and are taken whole.
package struct IncomingDelta: Sendable {
  private var number: UInt64
  private var nextChunk: UInt64 = 0
  private var isWhole = true

  init(number: UInt64) { self.number = number }

  /// Notes a piece; the first one of another delta begins that.
  mutating func note(_ chunk: DeltaChunk, isWhole: Bool) {
    if number != chunk.delta { self = IncomingDelta(number: chunk.delta) }
    self.isWhole = self.isWhole && isWhole && chunk.index == nextChunk
    nextChunk = chunk.index < .max ? chunk.index + 1 : .max
  }

  /// Whether every piece is here.
  func isComplete(at end: DeltaEnd) -> Bool { number == end.delta && isWhole && nextChunk == end.chunks }
}

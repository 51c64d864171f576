/// What one side of a session sends as deltas: one at a time.
package struct OutgoingDeltas: Sendable {
  /// The delta being sent.
  private(set) var current: OutgoingDelta?
  /// A vector that came while a delta was being sent; its delta is next.
  private var nextBase: VersionVector?
  /// Deltas begun on this session.
  private var count: UInt64 = 0

  /// Notes that the peer stands at a vector while a delta is being sent.
  ///
  /// - Returns: false when none is being sent: then one may begin
  mutating func postpone(_ base: VersionVector) -> Bool {
    guard current != nil else { return false }
    nextBase = base
    return true
  }

  mutating func begin(
    _ names: [UInt32], heads: [Dot], claims: [Dot], base: VersionVector, revivals: UInt64
  ) {
    count += 1
    current = OutgoingDelta(
      number: count, base: base, claims: claims, names: names, revivals: revivals,
      progress: DeltaProgress(heads: heads))
  }

  mutating func advance(to progress: DeltaProgress) { current?.progress = progress }

  mutating func noteChunk() { current?.chunks += 1 }

  /// Notes that the delta has come to its end, or is given up.
  ///
  /// - Returns: the base of the next one
  @discardableResult mutating func end() -> VersionVector? {
    defer { nextBase = nil }
    current = nil
    return nextBase
  }
}

/// A delta on its way out: the registers it takes, by name, and how far it has come.
///
/// The registers are named when the delta begins and read when a piece is filled. A register that a newer write has
/// won in between carries that write instead, in its own commit: what `claims` promises stays true.
package struct OutgoingDelta: Sendable {
  let number: UInt64
  /// The vector that the names were computed against.
  let base: VersionVector
  /// What the receiver of every piece may claim.
  let claims: [Dot]
  let names: [UInt32]
  /// How often a replaced write had come back when the delta began. One that comes back while the delta is under way may
  /// have been sent as a hash before: then the delta begins again.
  let revivals: UInt64
  var progress: DeltaProgress
  var chunks: UInt64 = 0
}

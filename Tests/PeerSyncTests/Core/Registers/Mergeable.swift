import PeerSyncCore

/// A state that two replicas bring together by merging.
///
/// Laws, checked over generated values by `checkMergeLaws` in the tests: merging is commutative, associative and
/// idempotent, and a merged state is at least as great as each of its parts (a join semilattice; Shapiro, Preguiça,
/// Baquero and Zawirski, *Conflict-free Replicated Data Types*, 2011).
protocol Mergeable: Equatable, Sendable {
  /// Takes in everything that `other` knows.
  mutating func merge(_ other: Self)
}

extension VersionVector: Mergeable {}

extension Mergeable {
  /// This state with everything that `other` knows.
  func merging(_ other: Self) -> Self {
    var result = self
    result.merge(other)
    return result
  }
}

/// The keys of the members, as far as a handshake asks: shared by whoever keeps the member list and the connections.
package final class MemberKeys: Sendable {
  private let keys: Guarded<Set<PublicKey>>

  /// Only these keys are members'.
  package init(_ keys: Set<PublicKey>) { self.keys = Guarded(keys) }

  /// Whether a key is a member's.
  package func contains(_ key: PublicKey) -> Bool { keys.withLock { $0.contains(key) } }

  /// From now on only these keys are members'. Connections that stand are not ended by this.
  package func replace(with keys: Set<PublicKey>) { self.keys.withLock { $0 = keys } }
}

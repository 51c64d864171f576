/// The keys of the members, and of those who were, as far as a handshake asks: shared by whoever keeps the member list and the
/// connections.
package final class MemberKeys: Sendable {
  private let keys: Guarded<(members: Set<PublicKey>, removed: Set<PublicKey>)>

  /// Only these keys are members'.
  package init(_ members: Set<PublicKey>, removed: Set<PublicKey> = []) {
    keys = Guarded((members, removed))
  }

  /// Whether a key is a member's.
  package func contains(_ key: PublicKey) -> Bool { keys.withLock { $0.members.contains(key) } }

  /// Whether a key is a member's, or that of a device that was removed.
  package func hasBelonged(_ key: PublicKey) -> Bool {
    keys.withLock { $0.members.contains(key) || $0.removed.contains(key) }
  }

  /// From now on only these keys are members', and these those of removed devices. Connections that stand are not ended by this.
  package func replace(with members: Set<PublicKey>, removed: Set<PublicKey> = []) {
    keys.withLock { $0 = (members, removed) }
  }
}

/// The keys of the members, as far as a handshake asks: shared by whoever keeps the member list and the connections.
package final class MemberKeys: Sendable {
  /// nil: every key is good.
  private let keys: Guarded<Set<PublicKey>?>

  /// Only these keys are members'.
  package init(_ keys: Set<PublicKey>) { self.keys = Guarded(keys) }

  private init(keys: Set<PublicKey>?) { self.keys = Guarded(keys) }

  /// Whoever has a key is taken for a member.
  package static var everyone: MemberKeys { MemberKeys(keys: nil) }

  /// Whether a key is a member's.
  package func contains(_ key: PublicKey) -> Bool { keys.withLock { $0?.contains(key) ?? true } }

  /// From now on only these keys are members'. Connections that stand are not ended by this.
  package func replace(with keys: Set<PublicKey>) { self.keys.withLock { $0 = keys } }
}

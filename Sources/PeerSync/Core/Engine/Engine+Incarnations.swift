// Incarnations: the lives of this device's store. A device continues as a new one when it finds that it was set back, or
// that others know its old one as forked: so no two writes ever share a dot (I9).
extension Engine {
  /// Continues as a new incarnation if the old one must not write any more.
  mutating func renewIncarnation(now: Now, _ effects: inout Effects) {
    guard needsIncarnation, !isRemoved else { return }
    let nonce = Nonce(high: random.next(), low: random.next())
    begin(Incarnation(key: identity.key, nonce: nonce), now: now, &effects)
    effects.notices.append(.reincarnated(replica.id))
  }

  /// The last sequence of each of a member's replicas that this device knows, or knew before its disk was damaged: what
  /// counts if it is removed now.
  func cuts(of key: PublicKey) -> [Dot] {
    replica.replicas(of: key).map {
      let known = max(replica.vector[$0], damage?.lost[$0] ?? 0)
      return Dot(replica: $0, sequence: min(known, replica.cuts[$0] ?? .max))
    }
  }

  /// Members that can still tell what this device has forgotten of one that is to be removed: without them, all that it
  /// does not know would be void for everybody.
  package func members(toAskBeforeRemoving device: DeviceID) -> [DeviceID] {
    // How far a database had come that was set back, or that is gone whole, nobody noted.
    let isUnknown = setBack != nil || damage.map { !$0.isFinal && $0.lost.entries.isEmpty } ?? false
    guard isUnknown else { return [] }
    return group.members.map(\.id).filter { $0 != device && $0 != identity.device }
  }

  /// Cuts the replicas of removed devices, and of those that do not belong to the group: whom a removed device took in before
  /// it heard is on its own again [E50], and no member takes anything of it any more. It goes on with what it has decided
  /// itself, and with the items of the store.
  mutating func applyCuts(now: Now, _ effects: inout Effects) {
    let cuts = replica.removalCuts
    replica.liftCuts()
    if !cuts.isEmpty { apply(cuts, now: now, &effects) }
  }

  /// A peer holds the same: what this device had forgotten is here again, as far as that peer knows of it.
  mutating func endSetBack(_ effects: inout Effects) {
    guard setBack != nil else { return }
    setBack = nil
    effects.durable.append(.caughtUp)
    effects.notices.append(.caughtUp)
    effects.changed = true
  }
}

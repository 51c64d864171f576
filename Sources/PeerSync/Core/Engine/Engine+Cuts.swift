// Cuts: of whose writes how many count.
extension Engine {
  /// The last sequence of each of a member's replicas that this device knows, or knew before its disk was damaged: what
  /// counts if it is removed now.
  func cuts(of key: PublicKey) -> [Dot] {
    holdings.replica.replicas(of: key).map {
      let known = max(holdings.replica.vector[$0], damage?.lost[$0] ?? 0)
      return Dot(replica: $0, sequence: min(known, holdings.replica.cuts[$0] ?? .max))
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
    let cuts = holdings.replica.removalCuts
    holdings.replica.liftCuts()
    if !cuts.isEmpty { apply(cuts, now: now, &effects) }
  }

  /// Cuts replicas, as the members' records say: of each the last sequence that counts. Of several cuts of one replica the
  /// lowest holds; saying one again changes nothing.
  ///
  /// When something was voided every session between members ends, for much has to be compared anew.
  package mutating func apply(_ cuts: [ReplicaID: UInt64], now: Now, _ effects: inout Effects) {
    holdings.seal()
    let outcome = holdings.replica.apply(cuts, own: holdings.outbox.signer.publicKey)
    guard !outcome.isEmpty else { return }
    holdings.drop(outcome.removed, &effects)
    effects.notices.append(.voided(registers: outcome.removed.count, kept: outcome.kept.count))
    if !outcome.removed.isEmpty { holdings.voidings += 1 }
    holdings.writeAgain(outcome.kept, &effects)
    if !isRemoved {
      holdings.carry(outcome.numbers, &effects)
      holdings.name(outcome.seen, &effects)
    }
    compareAnew(&effects)
  }
}

// Cuts: of whose writes how many count.
extension Engine {
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

  /// Cuts replicas, as the members' records say: of each the last sequence that counts. Of several cuts of one replica the
  /// lowest holds; saying one again changes nothing.
  ///
  /// When something was voided every session between members ends, for much has to be compared anew.
  package mutating func apply(_ cuts: [ReplicaID: UInt64], now: Now, _ effects: inout Effects) {
    seal()
    let outcome = replica.apply(cuts, own: signer.publicKey)
    guard !outcome.isEmpty else { return }
    flush(&effects)
    effects.durable.append(.removed(outcome.removed))
    effects.durable.append(.vector(replica.vector))
    effects.notices.append(.voided(registers: outcome.removed.count, kept: outcome.kept.count))
    effects.changed = true
    ledgerCache.invalidate()
    if !outcome.removed.isEmpty { voidings += 1 }
    writeAgain(outcome.kept, &effects)
    carry(outcome.numbers, &effects)
    name(outcome.seen, &effects)
    for device in knownPeers.keys { knownPeers[device]?.common = nil }
    endMeetings(&effects)
  }

  /// Makes writes again under this device's own dots, with the stamps and values that they had: of decisions those that it has
  /// not decided otherwise since.
  ///
  /// - Returns: how many won their registers
  @discardableResult mutating func writeAgain(_ writes: [Write], _ effects: inout Effects) -> Int {
    var won = WriteBatch()
    for write in writes.sorted(by: { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }) {
      let own = replica.registers[RegisterID(key: write.key, author: replica.id)]
      if let own, RegisterKind.isDecision(write.key), !own.withView({ write.outranks($0) }) { continue }
      guard let made = replica.write(key: write.key, stamp: write.stamp, value: write.value) else { continue }
      won.append(made)
      // Should the stamp be wrong, it is this life's to correct.
      if RegisterKind.isDecision(write.key) { clock = HybridLogicalClock(last: max(clock.last, write.stamp)) }
    }
    publish(won, &effects)
    return won.count
  }
}

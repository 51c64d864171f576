// Damage of this device's disk. What did not fit was left out when it was loaded, and nothing is claimed since, so that every
// peer sends all that it has. Once this device knows as much as before and holds the same as a peer, it is whole again.
extension Engine {
  /// Notes that a peer holds the same registers, and knows the same writes: if these are all that were ever known here,
  /// nothing is missing any more. Own writes that nobody has brought back are nobody's: they stay lost, and claiming those
  /// behind them hides nothing.
  mutating func noteRepair(_ effects: inout Effects) {
    guard let damage else { return }
    let isWhole =
      !holdings.replica.vector.entries.isEmpty && holdings.replica.knows(damage.lost, exceptOf: identity.key)
    // Of several damaged devices each waits for what another could claim.
    guard isWhole || isInSyncWithAll else { return }
    let moved = holdings.replica.regain(own: identity.key, upTo: damage.lost)
    effects.durable.append(.claimed(moved))
    if !moved.isEmpty { for id in sessions.ready { probe(id, &effects) } }
    guard isWhole else { return }
    effects.durable.append(.repaired)
    effects.notices.append(.repaired(damage.what))
    effects.changed = true
    self.damage = nil
    // Own writes behind a gap would never be claimed.
    if holdings.replica.hasLostHead { holdings.hasOwnNews = true }
  }

  /// A peer knows the same writes and holds other registers. Where all members do, nobody has the rest of the commits of which the
  /// disk has lost a part: what is left of them would stay here alone, and be missed for ever.
  mutating func noteDivergence(_ effects: inout Effects) {
    guard damage != nil, isLevelWithAll({ _ in true }) else { return }
    proveUnproven(&effects)
  }

  /// Whether every other member is here and holds the same: then nobody could bring anything more.
  private var isInSyncWithAll: Bool { isLevelWithAll { !$0.isMismatched } }

  private func isLevelWithAll(_ isSame: (SessionComparison) -> Bool) -> Bool {
    let level = sessions.flows.filter {
      $0.comparison.peerVector == holdings.replica.vector && isSame($0.comparison)
    }.map(\.peer.device)
    return group.members.allSatisfy { $0.id == identity.device || level.contains($0.id) }
  }

  /// Writes again, under its own name, what the device holds and cannot prove any more because the other part of its commit
  /// is lost. Only where nobody can bring that part back; otherwise it would be sent to nobody.
  mutating func proveAnew(_ effects: inout Effects) {
    guard damage?.isFinal == true else { return }
    proveUnproven(&effects)
  }

  private mutating func proveUnproven(_ effects: inout Effects) {
    // The numbers of a credit are those of one incarnation, and of no other.
    let unproven = holdings.replica.unproven.filter { $0.key.first != RegisterKind.credit.rawValue }
    guard !unproven.isEmpty else { return }
    for write in unproven { holdings.replica.remove(write.register) }
    effects.durable.append(.removed(unproven.map(\.register)))
    holdings.ledgerCache.invalidate()
    holdings.writeAgain(unproven, &effects)
  }
}

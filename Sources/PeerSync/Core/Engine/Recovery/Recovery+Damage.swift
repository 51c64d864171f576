// Damage of this device's disk. What did not fit was left out when it was loaded, and nothing is claimed since, so that every
// peer sends all that it has. Once this device knows as much as before and holds the same as a peer, it is whole again.
extension Recovery {
  /// Notes that a peer holds the same registers, and knows the same writes: if these are all that were ever known here,
  /// nothing is missing any more. Own writes that nobody has brought back are nobody's: they stay lost, and claiming those
  /// behind them hides nothing.
  ///
  /// - Returns: whether nothing is missing any more, and something was
  package mutating func noteRepair(
    by device: DeviceID, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    now: Now, _ effects: inout Effects
  ) -> Bool {
    guard let damage else { return false }
    let isWhole =
      !holdings.replica.vector.entries.isEmpty && holdings.replica.knows(damage.lost, exceptOf: holdings.key)
    // Of several damaged devices each waits for what another could claim.
    guard isWhole || isInSyncWithAll(roster, holdings, network) else { return false }
    let moved = holdings.replica.regain(own: holdings.key, upTo: damage.lost)
    effects.durable.append(.claimed(moved))
    if !moved.isEmpty { for id in network.sessions.ready { network.oweProbe(id) } }
    // Nobody can claim what all hold of commits of which each has lost a part. Where nothing is left to claim, all hold all that is.
    if !isWhole {
      guard moved.isEmpty, network.hasScanBudget(for: device, now: now),
        !proveUnproven(&holdings, &effects)
      else { return false }
    }
    effects.durable.append(.repaired)
    effects.notices.append(.repaired(damage.what))
    effects.changed = true
    self.damage = nil
    // Own writes behind a gap would never be claimed.
    if holdings.replica.hasLostHead { holdings.hasOwnNews = true }
    return true
  }

  /// A peer holds other registers, and claims no write that is not claimed here. Where that is so of all members, nobody has the
  /// rest of the commits of which the disk has lost a part: what is left of them would stay here alone, and be missed for ever. Two
  /// devices that were damaged would even wait for each other: of what is not whole nobody can claim anything.
  package mutating func noteDivergence(
    from device: DeviceID, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    now: Now,
    _ effects: inout Effects
  ) {
    guard damage != nil, isAheadOfAll(roster, holdings, network), network.hasScanBudget(for: device, now: now)
    else { return }
    proveUnproven(&holdings, &effects)
  }

  /// Whether every other member is here and claims nothing beyond what is claimed here, or nothing that it can prove.
  private func isAheadOfAll(_ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork) -> Bool {
    isTrueOfAll(roster, network) { flow in
      guard flow.incoming == nil, let claimed = flow.comparison.peerVector else { return false }
      return holdings.replica.vector.covers(claimed)
        || flow.comparison.exhaustedHash == holdings.replica.vectorHash
    }
  }

  /// Whether every other member is here and holds the same: then nobody could bring anything more.
  private func isInSyncWithAll(_ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork) -> Bool {
    isTrueOfAll(roster, network) { flow in
      flow.comparison.peerVector == holdings.replica.vector && !flow.comparison.isMismatched
    }
  }

  private func isTrueOfAll(
    _ roster: Roster, _ network: PeerNetwork, _ isTrue: (DataFlow) -> Bool
  ) -> Bool {
    let devices = network.sessions.flows.filter(isTrue).map(\.peer.device)
    return roster.group.members.allSatisfy { $0.id == network.device || devices.contains($0.id) }
  }

  /// Writes again, under its own name, what the device holds and cannot prove any more because the other part of its commit
  /// is lost. Only where nobody can bring that part back; otherwise it would be sent to nobody.
  package mutating func proveAnew(_ holdings: inout Holdings, _ effects: inout Effects) {
    guard damage?.isFinal == true else { return }
    proveUnproven(&holdings, &effects)
  }

  /// Writes again what cannot be proven any more.
  ///
  /// - Returns: whether there was any
  @discardableResult package func proveUnproven(_ holdings: inout Holdings, _ effects: inout Effects) -> Bool
  {
    // The numbers of a credit are those of one incarnation, and of no other.
    let unproven = holdings.replica.unproven.filter { $0.key.first != RegisterKind.credit.rawValue }
    guard !unproven.isEmpty else { return false }
    for write in unproven { holdings.replica.remove(write.register) }
    effects.durable.append(.removed(unproven.map(\.register)))
    holdings.ledgerCache.invalidate()
    holdings.writeAgain(unproven, &effects)
    return true
  }
}

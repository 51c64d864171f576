/// What a device has lost, and brings back: what its disk has spoilt, what a database that was put back has forgotten, and what it keeps
/// for members that may have forgotten it.
///
/// Cuts and evidence of forks are applied here as well: what becomes void is taken out of what the device holds, and what must not be
/// lost of it is written again or set aside.
package struct Recovery: Sendable {
  /// What the disk has spoilt and nobody has brought back yet.
  package internal(set) var damage: Damage?
  /// Since when the disk is known to have been set back behind what this device had acknowledged, or copied, by its wall clock. Nil
  /// once a peer has brought back what the group knows.
  package private(set) var setBack: Instant?
  /// Void writes of other members that wait for their authors.
  package internal(set) var setAside: SetAside
  /// What it was last compared with. Whoever says again and again that it holds the same would otherwise have all of it read each time.
  var settled: Settling?
  /// Own writes of a forgotten life that peers have brought back and that are not written again yet.
  package var forgotten: [Write] = []

  package init(damage: Damage? = nil, setBack: Instant? = nil, setAside: SetAside = SetAside()) {
    self.damage = damage
    self.setBack = setBack
    self.setAside = setAside
  }

  /// Notes what a merge has brought back, or found void.
  package mutating func note(
    _ outcome: MergeOutcome, _ roster: Roster, _ holdings: Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    forgotten += outcome.forgotten
    giveBack(setAside(outcome.outbid, roster, holdings, &effects), holdings, &network, &effects)
  }

  /// A peer holds the same: what this device had forgotten is here again, as far as that peer knows of it.
  package mutating func endSetBack(_ effects: inout Effects) {
    guard setBack != nil else { return }
    setBack = nil
    effects.durable.append(.caughtUp)
    effects.notices.append(.caughtUp)
    effects.changed = true
  }
}

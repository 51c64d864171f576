// Rights that nobody can use: those of purchases that do not say where they were made, those of devices that were
// removed [D44], and those of a device's own earlier incarnations [D45]. Somebody takes them over, and nobody else does, or
// they would be spent twice.
//
// The most senior member is the custodian. It takes them once every member is here, has the very same membership records
// and is in sync: then each knows who the custodian is and what counts no more, and the custodian knows whatever any of
// them has taken before. A device in a group of its own is always complete.
//
// A device that was set back has forgotten what it took and spent, and others may not have heard of it. And one that was
// removed by juniors alone may have removed them before it heard: then it goes on spending what is its own. So nothing is
// taken without being asked for while any device in question has lived more than once, or may overrule its removal.
extension Escrow {
  /// As the custodian, takes over what is certain not to have been taken or spent.
  ///
  /// - Parameter beginsAnew: See ``isComplete``.
  package static func takeIntoCustody(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    beginsAnew: Bool, _ effects: inout Effects
  ) {
    guard let sources = custody(roster, holdings, network) else { return }
    take(credit, from: sources, roster, &holdings, &network, beginsAnew: beginsAnew, &effects)
  }

  /// Whose rights this device takes over unasked, of whatever credit: it is worked out from all lives of all devices. Nil: nobody's.
  static func custody(
    _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> [ReplicaID]? {
    guard isCustodian(roster, holdings) else { return nil }
    let lives = manyLives(holdings, network)
    guard takesUnasked(roster, holdings, lives) else { return nil }
    return unclaimed(
      by: roster.group.removed.map(\.device.key).filter { !lives.contains($0) }, roster, holdings)
  }

  /// Takes over what a person asks for. Where that ends sessions that began with other records it waits a moment for them to be there
  /// again.
  package mutating func reclaim(
    _ credit: String, isLost: Bool, as id: RequestID, _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork, now: Now, _ effects: inout Effects
  ) {
    let reclaim = PendingReclaim(
      request: id, credit: credit, isLost: isLost, deadline: now.monotonic + Limits.spendWaitMilliseconds)
    let areHere = Self.absent(roster, holdings, network).isEmpty
    let answer = Self.attempt(reclaim, roster, &holdings, &network, &effects)
    if case .refused(.notComplete) = answer, areHere, reclaiming.count < Limits.pendingSpends {
      reclaiming.append(reclaim)
    } else {
      effects.answers.append((id, answer))
    }
  }

  /// Goes on with takings that wait.
  package mutating func settleReclaiming(
    _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork, now: Now,
    _ effects: inout Effects
  ) {
    reclaiming = reclaiming.filter { reclaim in
      let answer = Self.attempt(reclaim, roster, &holdings, &network, &effects)
      if case .refused(.notComplete) = answer, reclaim.deadline > now.monotonic { return true }
      effects.answers.append((reclaim.request, answer))
      return false
    }
  }

  private static func attempt(
    _ reclaim: PendingReclaim, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) -> Answer {
    reclaim.isLost
      ? reclaimLost(reclaim.credit, roster, &holdings, &network, &effects)
      : self.reclaim(reclaim.credit, roster, &holdings, &network, &effects)
  }

  /// Takes over what earlier incarnations of this device hold and, as the custodian, all that nobody can use. The user asks
  /// for it: what a life that was forgotten has spent, and no other device has heard of, is not known here.
  package static func reclaim(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) -> Answer {
    guard holdings.ledger({ $0.knowsCredit(credit) }) else { return .refused(.unknownCredit) }
    guard !roster.isRemoved else { return .refused(.removed) }
    let own = holdings.replica.replicas(of: holdings.key).filter { $0 != holdings.replica.id }
    let sources =
      own
      + (isCustodian(roster, holdings)
        ? unclaimed(by: roster.group.removed.map(\.device.key), roster, holdings) : [])
    return take(credit, from: sources, roster, &holdings, &network, beginsAnew: true, &effects)
  }

  /// As the custodian, takes over what devices hold that nobody has ever met, those that are out with whoever let them in, and those of a group
  /// under which this one had come and does not belong any more. A person says that they are lost. It is final. Two who took at once, before
  /// either had heard, would each spend it.
  package static func reclaimLost(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) -> Answer {
    guard holdings.ledger({ $0.knowsCredit(credit) }) else { return .refused(.unknownCredit) }
    guard !roster.isRemoved else { return .refused(.removed) }
    let known = insiders(roster, holdings, network)
    let state = holdings.ledger { $0.state(of: credit) }
    let lost = holdings.ledger { $0.reclaimable(credit) }.filter { !known.contains($0.holder) }
      .compactMap { one -> (source: ReplicaID, total: Int64)? in
        let source = one.holder.replica
        let taken = state.lost(from: source, by: holdings.replica.id)
        let left = one.left(beyond: taken)
        let total = taken + left.rights + left.owed
        return total > taken ? (source, total) : nil
      }
    guard !lost.isEmpty else { return .done(changed: 0) }
    guard isCustodian(roster, holdings) else {
      return .refused(roster.group.members.first.map { .notCustodian($0.id) } ?? .removed)
    }
    guard isComplete(roster, holdings, &network, beginsAnew: true, &effects) else {
      return .refused(.notComplete(absent(roster, holdings, network)))
    }
    for (source, total) in lost {
      guard holdings.write([.lost(from: source, by: holdings.replica.id)], total: total, of: credit, &effects)
      else { return .refused(.full) }
    }
    return .done(changed: lost.count)
  }

  /// Whether this device is the custodian, and no device there is, or was, may have spent what is not known here.
  package static func takesUnasked(_ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork) -> Bool {
    takesUnasked(roster, holdings, manyLives(holdings, network))
  }

  private static func takesUnasked(
    _ roster: Roster, _ holdings: Holdings, _ lives: Set<PublicKey>
  ) -> Bool {
    isCustodian(roster, holdings) && roster.group.members.allSatisfy { !lives.contains($0.key) }
      && roster.group.removed.allSatisfy(\.isFinal)
  }

  /// Nobody, and the holders of devices that belong to the group, or did, and of those that are here.
  private static func insiders(
    _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> Set<CreditHolder> {
    let belonging = holdings.replica.knownReplicas.filter {
      roster.group.isMember($0.1) || roster.authors.removedKeys.contains($0.1)
    }.map(\.0)
    let speaking = network.sessions.flows.map(\.peer.replica)
    return Set([.nobody] + (belonging + speaking + [holdings.replica.id]).map { CreditHolder($0) })
  }

  /// How much of a credit those hold that were met and belong to the group no more, nor were removed from it: they are out with whoever let
  /// them in, or of a group under which this one had come. This device, as the custodian, waits to be asked; not while its group is to come
  /// under that one again.
  package static func heldByOutsiders(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: PeerNetwork
  ) -> Int64 {
    guard isCustodian(roster, holdings) else { return 0 }
    let insiders = insiders(roster, holdings, network)
    let met = Set(holdings.replica.knownReplicas.map { CreditHolder($0.0) }).subtracting(insiders)
    let held = holdings.ledger { $0.spendable(credit) }.filter { met.contains($0.holder) }
      .reduce(0) { $0 &+ $1.rights }
    return held > 0 && roster.records.isOutWithHost(roster.group) ? 0 : held
  }

  /// What can be taken over of each life that this device has had before.
  package static func heldByEarlierLives(_ credit: String, _ holdings: inout Holdings) -> [Int64] {
    let lives = holdings.replica.replicas(of: holdings.key).filter { $0 != holdings.replica.id }
    let holders = Set(lives.map { CreditHolder($0) })
    return holdings.ledger { $0.spendable(credit) }.filter { holders.contains($0.holder) }.map(\.rights)
  }

  /// What can be taken over of each removed device as a whole, of which there is anything. What its lives lack they pay for each other.
  package static func heldByRemoved(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings
  ) -> [(removed: MembershipGroup.Removed, amount: Int64)] {
    var amounts: [PublicKey: Int64] = [:]
    let removed = Set(roster.group.removed.map(\.device.key))
    let own = holdings.replica.id
    for (life, key) in holdings.replica.knownReplicas where removed.contains(key) {
      let left = holdings.ledger { ledger in
        let taken = ledger.taken(credit, from: life, by: own)
        return ledger.reclaimable(credit, from: CreditHolder(life)).left(beyond: taken)
      }
      amounts[key, default: 0] &+= left.rights + left.owed
    }
    return roster.group.removed.compactMap { removed in
      amounts[removed.device.key].flatMap { $0 > 0 ? (removed, $0) : nil }
    }
  }

  /// Whether this device, as the custodian, waits to be asked before it takes over what a removed device holds.
  package static func waitsToBeAsked(
    about removed: PublicKey, _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> Bool {
    guard isCustodian(roster, holdings) else { return false }
    let lives = manyLives(holdings, network)
    return !takesUnasked(roster, holdings, lives) || lives.contains(removed)
  }

  package static func isCustodian(_ roster: Roster, _ holdings: Holdings) -> Bool {
    roster.group.members.first?.key == holdings.key && !holdings.isFenced && !holdings.needsIncarnation
  }

  /// Removed devices of which more is taken than any member has, although all are here and in sync. As long as it is, nobody takes over
  /// what removed devices hold. Removed again, they are taken as far as somebody has it.
  package static func takenBeyondAll(
    _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> [MembershipGroup.Device] {
    guard !roster.isRemoved, absent(roster, holdings, network).isEmpty else { return [] }
    return roster.group.removed.filter { !isKnown($0, holdings) }.map(\.device)
  }

  /// Whether everything that is taken of a removed device is here. Replicas of others say nothing, whatever the removal names.
  private static func isKnown(_ removed: MembershipGroup.Removed, _ holdings: Holdings) -> Bool {
    removed.cuts.allSatisfy { dot in
      let owner = holdings.replica.incarnation(of: dot.replica)?.key
      return owner.map { $0 != removed.device.key } ?? false || holdings.replica.vector.contains(dot)
    }
  }

  /// Nobody, and the replicas of devices that were removed, as soon as it is known what counts of them.
  private static func unclaimed(
    by removed: [PublicKey], _ roster: Roster, _ holdings: Holdings
  ) -> [ReplicaID] {
    let areKnown = roster.group.removed.allSatisfy { isKnown($0, holdings) }
    return [ReplicaID(high: 0, low: 0)]
      + (areKnown ? removed.flatMap { holdings.replica.replicas(of: $0) } : [])
  }

  /// The devices of which more than one incarnation is known.
  private static func manyLives(_ holdings: Holdings, _ network: PeerNetwork) -> Set<PublicKey> {
    let speaking = network.sessions.all.compactMap { $0.flow?.peer }.map { ($0.replica, $0.key) }
    var first: [PublicKey: ReplicaID] = [:]
    return Set(
      (holdings.replica.knownReplicas + speaking).filter { replica, key in
        if let known = first[key] { return known != replica }
        first[key] = replica
        return false
      }.map(\.1))
  }

  @discardableResult static func take(
    _ credit: String, from sources: [ReplicaID], _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork, beginsAnew: Bool, _ effects: inout Effects
  ) -> Answer {
    var state = holdings.ledger { $0.state(of: credit) }
    let lost = lost(of: sources, by: holdings.replica.id, &state)
    guard !lost.isEmpty else { return .done(changed: 0) }
    guard isComplete(roster, holdings, &network, beginsAnew: beginsAnew, &effects) else {
      return .refused(.notComplete(absent(roster, holdings, network)))
    }
    for (source, amount) in lost {
      let total = state.taken(from: source, by: holdings.replica.id) + amount
      guard
        holdings.write([.taken(from: source, by: holdings.replica.id)], total: total, of: credit, &effects)
      else { return .refused(.full) }
    }
    return .done(changed: lost.count)
  }

  /// What there is to be taken over from each of some replicas, as far as it is of use.
  package static func lost(of sources: [ReplicaID], by taker: ReplicaID, _ state: inout CreditState)
    -> [(source: ReplicaID, amount: Int64)]
  {
    // What could be spent there, and no more: what was never there, a member may have given away by any number.
    // But what it pays of what members lack, or that is charged to it: this device gives it them.
    let lost = sources.map { source -> (source: ReplicaID, rights: Int64, owed: Int64) in
      let taken = state.taken(from: source, by: taker)
      let left = state.reclaimable(from: CreditHolder(source)).left(beyond: taken)
      return (source, left.rights, left.owed)
    }.filter { $0.rights + $0.owed > 0 }
    guard !lost.isEmpty else { return [] }
    func taking(_ amounts: [(source: ReplicaID, amount: Int64)]) -> CreditState {
      var after = state
      for (source, amount) in amounts where amount > 0 {
        let total = state.taken(from: source, by: taker) + amount
        after.apply(.taken(from: source, by: taker), total: UInt64(clamping: total))
      }
      return after
    }
    // What this device lacks itself, or pays for others, would swallow it: it is of use where there is more to spend, or to give back. What
    // is paid for what it lacks itself is of use as well.
    let own = CreditHolder(taker)
    func use(_ state: inout CreditState) -> Int64 { state.available(to: own) + state.paidForMembers(by: own) }
    let all = lost.map { ($0.source, $0.rights + $0.owed) }
    var after = taking(all)
    if use(&after) > use(&state) { return all }
    let owed = lost.map { ($0.source, $0.owed) }
    after = taking(owed)
    return after.lack(of: own) < state.lack(of: own) ? owed.filter { $0.1 > 0 } : []
  }

  // MARK: Completeness

  /// The members that are not here, or not in sync.
  private static func absent(
    _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> [DeviceID] {
    roster.group.members.filter { member in
      member.key != holdings.key
        && !network.sessions.flows.contains {
          $0.peer.device == member.id && $0.comparison.peerVector == holdings.replica.vector
        }
    }.map(\.id)
  }

  /// Whether every member is here, in sync, and of one mind about who belongs to the group.
  ///
  /// A session proves that only if it began with equal records: whoever has told its vector on it has taken them in.
  ///
  /// - Parameter beginsAnew: Whether others are ended, to be begun anew; not while somebody is asked for rights, or asks, on one of them.
  private static func isComplete(
    _ roster: Roster, _ holdings: Holdings, _ network: inout PeerNetwork, beginsAnew: Bool,
    _ effects: inout Effects
  ) -> Bool {
    guard absent(roster, holdings, network).isEmpty else { return false }
    let sessions = network.sessions
    let outdated = sessions.ready.filter { sessions.flow($0)?.toldFingerprint != roster.records.fingerprint }
    if beginsAnew { for id in outdated { network.end(id, .leaving, &effects) } }
    return outdated.isEmpty
  }
}

// Moving rights. A device that is short asks peers on a session; whoever gives writes it down, and the write is durable
// before it is sent. When devices are in sync, those that hold much give to those that hold little.
//
// A request names what the peer is to have given in all, so that hearing it twice moves nothing twice.
extension Escrow {
  // MARK: Whose rights

  /// Whether all can tell whose rights those of a peer's replica are. They know a replica by what it has written: rights given to
  /// one that has never written could be traced to nobody, nor taken over once their device is lost [D44]. And it has to be the peer's
  /// own: its hello may name any. Rights that it has given to an earlier life of another device would stay there when it is removed.
  private static func isKnown(_ peer: Peer, _ holdings: Holdings) -> Bool {
    holdings.replica.incarnation(of: peer.replica)?.key == peer.key
  }

  /// Writes that this incarnation has spent nothing yet, unless it has written something before.
  private static func introduceItself(
    by credit: String, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    guard holdings.replica.vector[holdings.replica.id] == 0 else { return }
    holdings.write([.spent(by: holdings.replica.id)], total: 0, of: credit, &effects)
  }

  // MARK: Asking

  /// Whether an answer is still to come, or the rights that it told of.
  package static func waitsForAnswers(
    _ pending: PendingSpend, _ holdings: inout Holdings, _ network: PeerNetwork
  ) -> Bool {
    let state = holdings.ledger { $0.state(of: pending.spending.credit) }
    return pending.asked.contains { giver, asked in
      guard network.sessions.flows.contains(where: { $0.peer.replica == giver }) else { return false }
      return switch asked {
      case .waiting: true
      case .gave(let total): state.moved(from: giver, to: holdings.replica.id) < total
      case .gaveNothing: false
      }
    }
  }

  /// Asks peers for what is missing: as few as can have it by what is known here, else all. Not those that had nothing to
  /// give before; but who gave may have more, as what comes pays first what this device owes.
  ///
  /// - Returns: whether there was somebody to ask
  package static func ask(
    for pending: inout PendingSpend, _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) -> Bool {
    let credit = pending.spending.credit
    let state = holdings.ledger { $0.state(of: credit) }
    // No more than can be asked for: what others take from this device is theirs to say.
    let owed = 0 - min(max(state.rights(of: holdings.holder), 0 - Limits.creditTotal), 0)
    let missing = pending.spending.amount - available(credit, roster, &holdings) + owed
    let asked = pending.asked
    let givers = network.sessions.all.compactMap {
      session -> (id: SessionID, replica: ReplicaID, rights: Int64)? in
      guard session.isReady, let giver = session.peer?.replica, asked[giver] != .gaveNothing
      else { return nil }
      return (session.id, giver, max(state.rights(of: CreditHolder(giver)), 0))
    }.sorted { ($1.rights, $0.replica) < ($0.rights, $1.replica) }
    if !givers.isEmpty {
      // Who this is goes ahead of what it asks for.
      introduceItself(by: credit, &holdings, &effects)
      network.push(&holdings, &effects)
    }
    var covered: Int64 = 0
    for giver in givers where covered < missing {
      let given = state.moved(from: giver.replica, to: holdings.replica.id)
      let total = min(given + missing, Limits.creditTotal)
      pending.asked[giver.replica] = .waiting(given: given)
      network.send(.rightsWanted(RightsTotal(credit: credit, total: total)), on: giver.id, &effects)
      covered += giver.rights
    }
    return !givers.isEmpty
  }

  package mutating func receive(given: RightsTotal, on id: SessionID, _ network: PeerNetwork) {
    guard let giver = network.sessions[id]?.peer?.replica else { return }
    for index in pending.indices where Name(pending[index].spending.credit) == Name(given.credit) {
      guard case .waiting(let before)? = pending[index].asked[giver] else { continue }
      pending[index].asked[giver] = given.total > before ? .gave(given.total) : .gaveNothing
    }
  }

  // MARK: Giving

  package mutating func receive(
    wanted: RightsTotal, on id: SessionID, _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    guard let peer = network.sessions[id]?.peer else { return }
    // Most of what follows works on all numbers of the credit: not for whom nothing can be given, nor where there are none.
    guard Self.isKnown(peer, holdings), holdings.ledger({ $0.hasNumbers(of: wanted.credit) }) else {
      network.send(.rightsGiven(RightsTotal(credit: wanted.credit, total: 0)), on: id, &effects)
      return
    }
    Self.takeIntoCustody(wanted.credit, roster, &holdings, &network, beginsAnew: false, &effects)
    let moved = holdings.ledger { $0.state(of: wanted.credit) }.moved(
      from: holdings.replica.id, to: peer.replica)
    let spare =
      Self.available(wanted.credit, roster, &holdings)
      - reserved(wanted.credit, by: network.device, from: peer.device)
    // What this device pays of what that one lacks is that one's: it can spend nothing before it has it back.
    let (own, other) = (holdings.holder, CreditHolder(peer.replica))
    let owed = holdings.ledger { $0.paid(wanted.credit, by: own, for: other) }
    let missing = max(wanted.total - moved, 0)
    var amount = min(missing, max(spare, 0) + owed)
    let giver = holdings.replica.id
    // What others lack may swallow the rest: this device would have less left, and that one nothing to spend.
    if amount > owed {
      let gain = holdings.ledger { $0.gain(of: amount, wanted.credit, from: giver, to: peer.replica) }
      if gain.receiver <= 0, gain.both < 0 { amount = min(missing, owed) }
    }
    let isGiven =
      amount > 0
      && Self.give(amount, of: wanted.credit, to: peer.replica, roster, &holdings, &effects)
    // What was given goes ahead of the answer that tells of it.
    network.push(&holdings, &effects)
    let total = isGiven ? moved + amount : moved
    network.send(.rightsGiven(RightsTotal(credit: wanted.credit, total: total)), on: id, &effects)
  }

  /// What this device needs for spends of its own that wait. Of two that want the same rights the smaller device has them.
  private func reserved(_ credit: String, by own: DeviceID, from device: DeviceID) -> Int64 {
    guard own < device else { return 0 }
    return pending.filter { Name($0.spending.credit) == Name(credit) }
      .reduce(0) { min($0 + $1.spending.amount, Limits.creditTotal) }
  }

  private static func give(
    _ amount: Int64, of credit: String, to receiver: ReplicaID, _ roster: Roster,
    _ holdings: inout Holdings, _ effects: inout Effects
  ) -> Bool {
    guard !roster.isRemoved, !holdings.isFenced, receiver != holdings.replica.id else { return false }
    let total =
      holdings.ledger { $0.state(of: credit) }.moved(from: holdings.replica.id, to: receiver) + amount
    return holdings.write(
      [.moved(from: holdings.replica.id, to: receiver)], total: total, of: credit, &effects)
  }

  // MARK: Rebalancing

  /// Notes that a peer is in sync: in a moment rights are rebalanced with it, unless they were at this state of things.
  package mutating func noteInSync(
    _ id: SessionID, _ holdings: Holdings, _ network: PeerNetwork, now: Now
  ) {
    guard holdings.ledgerCache.mayHoldCredits,
      network.sessions.flow(id)?.rebalancedAt != holdings.replica.vectorHash,
      rebalanceDue == nil
    else { return }
    rebalanceDue = now.monotonic + Limits.rebalanceMilliseconds
  }

  /// Notes that the group has changed: in a moment the rights of whoever was removed may be taken over.
  package mutating func noteChange(of group: MembershipGroup, _ holdings: Holdings, now: Now) {
    guard holdings.ledgerCache.mayHoldCredits, !group.removed.isEmpty, rebalanceDue == nil else { return }
    rebalanceDue = now.monotonic + Limits.rebalanceMilliseconds
  }

  /// Gives to each peer in sync that holds less than half of what this device holds, until both hold the same; and what this device pays of
  /// what the peer lacks. Amounts may have been put right that were given out of.
  package mutating func rebalance(
    _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork, now: Now,
    _ effects: inout Effects
  ) {
    guard let due = rebalanceDue, due <= now.monotonic else { return }
    rebalanceDue = nil
    guard !roster.isRemoved, !holdings.isFenced, !holdings.needsIncarnation else { return }
    let credits = holdings.ledger { $0.creditsSold }
    if let credit = credits.first { Self.introduceItself(by: credit, &holdings, &effects) }
    let (vector, hash) = (holdings.replica.vector, holdings.replica.vectorHash)
    let sessions = network.sessions
    let inSync = sessions.ready.filter { sessions.flow($0)?.comparison.peerVector == vector }
    // A member may have made up thousands of credits.
    let sources = Self.custody(roster, holdings, network)
    for credit in credits {
      if let sources {
        Self.take(
          credit, from: sources, roster, &holdings, &network, beginsAnew: pending.isEmpty, &effects)
      }
      for id in inSync { rebalance(credit, with: id, roster, &holdings, network, &effects) }
    }
    for id in inSync { network.sessions.flow(id) { $0.rebalancedAt = hash } }
  }

  private func rebalance(
    _ credit: String, with id: SessionID, _ roster: Roster, _ holdings: inout Holdings,
    _ network: PeerNetwork, _ effects: inout Effects
  ) {
    guard let peer = network.sessions[id]?.peer, Self.isKnown(peer, holdings),
      !pending.contains(where: { Name($0.spending.credit) == Name(credit) })
    else { return }
    let (holder, receiver) = (holdings.holder, CreditHolder(peer.replica))
    let owed = holdings.ledger { $0.paid(credit, by: holder, for: receiver) }
    if owed > 0 { _ = Self.give(owed, of: credit, to: peer.replica, roster, &holdings, &effects) }
    let (own, other) = (
      Self.available(credit, roster, &holdings),
      holdings.ledger { $0.rights(credit, of: CreditHolder(peer.replica)) }
    )
    // Whatever a device lacks, it gets no more than there is.
    let theirs = max(other, 0 - own)
    guard own >= 2, own - theirs >= 2, theirs < own - theirs else { return }
    let giver = holdings.replica.id
    // Numbers only grow: amounts that are raised and lowered again and again use them up. Half is for what is asked for.
    let moved = holdings.ledger { $0.state(of: credit) }.moved(from: giver, to: peer.replica)
    let amount = min((own - theirs) / 2, own, Limits.creditTotal / 2 - moved)
    guard amount > 0 else { return }
    // Nor does it get what it could not spend even then: what a liar has spent in vain would swallow everything.
    guard theirs + amount > 0 else { return }
    // And what others lack would swallow what it gets, or go round by it.
    let gain = holdings.ledger { $0.gain(of: amount, credit, from: giver, to: peer.replica) }
    guard gain.receiver > 0, gain.both >= 0 else { return }
    _ = Self.give(amount, of: credit, to: peer.replica, roster, &holdings, &effects)
  }
}

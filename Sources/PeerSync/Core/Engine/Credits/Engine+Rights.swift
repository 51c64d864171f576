// Moving rights. A device that is short asks peers on a session; whoever gives writes it down, and the write is durable
// before it is sent. When devices are in sync, those that hold much give to those that hold little.
//
// A request names what the peer is to have given in all, so that hearing it twice moves nothing twice.
extension Engine {
  // MARK: Whose rights

  /// Whether all can tell whose rights those of a replica are. They know a replica by what it has written: rights given to
  /// one that has never written could be traced to nobody, nor taken over once their device is lost [D44].
  private func isKnown(_ receiver: ReplicaID) -> Bool { holdings.replica.incarnation(of: receiver) != nil }

  /// Writes that this incarnation has spent nothing yet, unless it has written something before.
  private mutating func introduceItself(by credit: String, _ effects: inout Effects) {
    guard holdings.replica.vector[holdings.replica.id] == 0 else { return }
    holdings.write([.spent(by: holdings.replica.id)], total: 0, of: credit, &effects)
  }

  // MARK: Asking

  /// Whether an answer is still to come, or the rights that it told of.
  mutating func waitsForAnswers(_ pending: PendingSpend) -> Bool {
    let state = holdings.ledger { $0.state(of: pending.spending.credit) }
    return pending.asked.contains { giver, asked in
      guard sessions.flows.contains(where: { $0.peer.replica == giver }) else { return false }
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
  mutating func ask(for pending: inout PendingSpend, _ effects: inout Effects) -> Bool {
    let credit = pending.spending.credit
    let state = holdings.ledger { $0.state(of: credit) }
    // No more than can be asked for: what others take from this device is theirs to say.
    let owed = 0 - min(max(state.rights(of: holder), 0 - Limits.creditTotal), 0)
    let missing = pending.spending.amount - available(credit) + owed
    let asked = pending.asked
    let givers = sessions.all.compactMap { session -> (id: SessionID, replica: ReplicaID, rights: Int64)? in
      guard session.isReady, let giver = session.peer?.replica, asked[giver] != .gaveNothing
      else { return nil }
      return (session.id, giver, max(state.rights(of: CreditHolder(giver)), 0))
    }.sorted { ($1.rights, $0.replica) < ($0.rights, $1.replica) }
    if !givers.isEmpty {
      // Who this is goes ahead of what it asks for.
      introduceItself(by: credit, &effects)
      push(&effects)
    }
    var covered: Int64 = 0
    for giver in givers where covered < missing {
      let given = state.moved(from: giver.replica, to: holdings.replica.id)
      let total = min(given + missing, Limits.creditTotal)
      pending.asked[giver.replica] = .waiting(given: given)
      send(.rightsWanted(RightsTotal(credit: credit, total: total)), on: giver.id, &effects)
      covered += giver.rights
    }
    return !givers.isEmpty
  }

  mutating func receiveGiven(_ given: RightsTotal, on id: SessionID) {
    guard let giver = sessions[id]?.peer?.replica else { return }
    for index in pendingSpends.indices where Name(pendingSpends[index].spending.credit) == Name(given.credit)
    {
      guard case .waiting(let before)? = pendingSpends[index].asked[giver] else { continue }
      pendingSpends[index].asked[giver] = given.total > before ? .gave(given.total) : .gaveNothing
    }
  }

  // MARK: Giving

  mutating func receiveWanted(
    _ wanted: RightsTotal, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let peer = sessions[id]?.peer else { return }
    renewIncarnation(now: now, &effects)
    guard sessions[id]?.isReady == true else { return }
    takeIntoCustody(wanted.credit, &effects)
    let moved = holdings.ledger { $0.state(of: wanted.credit) }.moved(
      from: holdings.replica.id, to: peer.replica)
    let spare = available(wanted.credit) - reserved(wanted.credit, from: peer.device)
    let amount = min(max(wanted.total - moved, 0), max(spare, 0))
    let isGiven =
      amount > 0 && isKnown(peer.replica) && give(amount, of: wanted.credit, to: peer.replica, &effects)
    // What was given goes ahead of the answer that tells of it.
    push(&effects)
    let total = isGiven ? moved + amount : moved
    send(.rightsGiven(RightsTotal(credit: wanted.credit, total: total)), on: id, &effects)
  }

  /// What this device needs for spends of its own that wait. Of two that want the same rights the smaller device has them.
  private func reserved(_ credit: String, from device: DeviceID) -> Int64 {
    guard identity.device < device else { return 0 }
    return pendingSpends.filter { Name($0.spending.credit) == Name(credit) }
      .reduce(0) { min($0 + $1.spending.amount, Limits.creditTotal) }
  }

  private mutating func give(
    _ amount: Int64, of credit: String, to receiver: ReplicaID, _ effects: inout Effects
  ) -> Bool {
    guard !isRemoved, !holdings.isCloned, receiver != holdings.replica.id else { return false }
    let total =
      holdings.ledger { $0.state(of: credit) }.moved(from: holdings.replica.id, to: receiver) + amount
    return holdings.write(
      [.moved(from: holdings.replica.id, to: receiver)], total: total, of: credit, &effects)
  }

  // MARK: Rebalancing

  /// Notes that a peer is in sync: in a moment rights are rebalanced with it, unless they were at this state of things.
  mutating func noteInSync(_ id: SessionID, now: Now) {
    guard holdings.ledgerCache.mayHoldCredits, sessions.flow(id)?.rebalancedAt != holdings.replica.vectorHash,
      rebalanceDue == nil
    else { return }
    rebalanceDue = now.monotonic + Limits.rebalanceMilliseconds
  }

  /// Gives to each peer in sync that holds less than half of what this device holds, until both hold the same.
  mutating func rebalance(now: Now, _ effects: inout Effects) {
    guard let due = rebalanceDue, due <= now.monotonic else { return }
    rebalanceDue = nil
    guard !isRemoved, !holdings.isCloned, !holdings.needsIncarnation else { return }
    let credits = holdings.ledger { $0.creditsHeld }
    if let credit = credits.first { introduceItself(by: credit, &effects) }
    let (vector, hash) = (holdings.replica.vector, holdings.replica.vectorHash)
    let inSync = sessions.ready.filter { sessions.flow($0)?.comparison.peerVector == vector }
    for credit in credits {
      takeIntoCustody(credit, &effects)
      for id in inSync { rebalance(credit, with: id, &effects) }
    }
    for id in inSync { sessions.flow(id) { $0.rebalancedAt = hash } }
  }

  private mutating func rebalance(_ credit: String, with id: SessionID, _ effects: inout Effects) {
    guard let peer = sessions[id]?.peer, isKnown(peer.replica),
      !pendingSpends.contains(where: { Name($0.spending.credit) == Name(credit) })
    else { return }
    let (own, other) = (
      available(credit), holdings.ledger { $0.rights(credit, of: CreditHolder(peer.replica)) }
    )
    // Whatever a device lacks, it gets no more than there is.
    let theirs = max(other, 0 - own)
    guard own >= 2, own - theirs >= 2, theirs < own - theirs else { return }
    let amount = min((own - theirs) / 2, own)
    _ = give(amount, of: credit, to: peer.replica, &effects)
  }
}

// Spending credits. What a device holds rights to it spends at once, whoever is away: the number of its own row grows, in
// the same transaction as the spend is remembered. When it is short it asks peers for rights and waits a moment
// (`Escrow+Rights.swift`).
extension Escrow {
  package mutating func spend(
    _ spending: Spending, as id: RequestID, _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork,
    now: Now, _ effects: inout Effects
  ) {
    if let answer = settle(spending, roster, &holdings, &network, &effects) {
      return effects.answers.append((id, answer))
    }
    guard pending.count < Limits.pendingSpends else {
      return effects.answers.append((id, .refused(.busy)))
    }
    let deadline = now.monotonic + Limits.spendWaitMilliseconds
    pending.append(PendingSpend(request: id, spending: spending, deadline: deadline))
  }

  /// Goes on with spends that wait: what has become possible is done, and what nobody can help is refused.
  package mutating func settlePending(
    _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork, now: Now,
    _ effects: inout Effects
  ) {
    guard !pending.isEmpty else { return }
    let waiting = pending
    pending = []
    for var spend in waiting {
      if let answer = settle(spend.spending, roster, &holdings, &network, &effects) {
        effects.answers.append((spend.request, answer))
      } else if spend.deadline > now.monotonic,
        Self.waitsForAnswers(spend, &holdings, network)
          || Self.ask(for: &spend, roster, &holdings, &network, &effects)
      {
        pending.append(spend)
      } else {
        let shortage = Self.shortage(spend.spending.credit, roster, &holdings, network)
        effects.answers.append((spend.request, .refused(.notEnough(shortage))))
      }
    }
  }

  /// Spends if this device may.
  ///
  /// - Returns: nil when it is short
  private func settle(
    _ spending: Spending, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) -> Answer? {
    let spend = CreditSpend(id: spending.id, amount: spending.amount)
    guard spend.isWithinLimits, spending.credit.utf8.count <= Limits.textBytes else {
      return .refused(.tooLarge)
    }
    if let known = holdings.ledger({ $0.spend(spend.id, of: spending.credit) }) {
      return known.amount == spend.amount
        ? Self.spent(spending, isRepeated: true, &holdings) : .refused(.spentOtherwise(known.amount))
    }
    guard !roster.isRemoved else { return .refused(.removed) }
    guard holdings.ledger({ $0.knowsCredit(spending.credit) }) else { return .refused(.unknownCredit) }
    Self.takeIntoCustody(spending.credit, roster, &holdings, &network, beginsAnew: false, &effects)
    guard Self.available(spending.credit, roster, &holdings) >= spending.amount else { return nil }
    let (entries, total) = Self.entries(of: spending, &holdings)
    guard holdings.write(entries, total: total, of: spending.credit, &effects) else { return .refused(.full) }
    return Self.spent(spending, isRepeated: false, &holdings)
  }

  /// What is written down of a spend, and how much this device has spent with it. What was known before is let go of first: as long as
  /// somebody holds it, all of it is copied once it changes.
  private static func entries(
    of spending: Spending, _ holdings: inout Holdings
  ) -> (entries: [CreditEntry], total: Int64) {
    let (state, own) = (holdings.ledger { $0.state(of: spending.credit) }, holdings.replica.id)
    let number = state.nextNumber(of: own)
    let spend = CreditSpend(id: spending.id, amount: spending.amount, number: number)
    return (
      [.spent(by: own), .spend(by: own, slot: state.nextSlot(of: own), spend)],
      state.spent(by: own) + spending.amount
    )
  }

  private static func spent(_ spending: Spending, isRepeated: Bool, _ holdings: inout Holdings) -> Answer {
    let balance = holdings.ledger { $0.balance(spending.credit) }
    return .spent(
      Spent(id: spending.id, amount: spending.amount, balance: max(balance, 0), isRepeated: isRepeated))
  }

  // MARK: Who holds what

  /// What this device may spend or give away at once.
  package static func available(_ credit: String, _ roster: Roster, _ holdings: inout Holdings) -> Int64 {
    let holder = holdings.holder
    return roster.isRemoved ? 0 : holdings.ledger { $0.available(credit, to: holder) }
  }

  /// What this device may spend at once, with what it would take into its custody for it.
  package static func spendable(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: PeerNetwork
  ) -> Int64 {
    let isAlone = roster.group.members.map(\.key) == [holdings.key] && takesUnasked(roster, holdings, network)
    let unclaimed = isAlone ? holdings.ledger { $0.rights(credit, of: .nobody) } : 0
    return available(credit, roster, &holdings) + max(unclaimed, 0)
  }

  package static func shortage(
    _ credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: PeerNetwork
  ) -> Shortage {
    // What a holder pays of what others lack is of no use to anybody.
    let spendable = holdings.ledger { $0.spendable(credit) }
    let others = name(spendable, roster, holdings, network).filter { $0.holder != .itself }
    return Shortage(
      balance: holdings.ledger { $0.balance(credit) }, available: available(credit, roster, &holdings),
      others: others)
  }

  /// Who holds rights to a credit, the most first.
  package static func holders(
    of credit: String, _ roster: Roster, _ holdings: inout Holdings, _ network: PeerNetwork
  ) -> [RightsHeld] {
    name(holdings.ledger { $0.shares(of: credit) }, roster, holdings, network)
  }

  /// Whose shares these are, the most first.
  private static func name(
    _ shares: [CreditShare], _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> [RightsHeld] {
    var names: [CreditHolder: RightsHeld.Holder] = [.nobody: .nobody]
    for (replica, key) in holdings.replica.knownReplicas {
      names[CreditHolder(replica)] = name(of: key, replica, roster, holdings, network)
    }
    var (held, removed) = ([RightsHeld](), [RightsHeld.Holder: Int]())
    for share in shares {
      let one = RightsHeld(holder: names[share.holder] ?? .unknown, rights: share.rights)
      guard one.isOfRemoved, let place = removed[one.holder] else {
        removed[one.holder] = held.count
        held.append(one)
        continue
      }
      // Its lives are one: what one of them lacks the others pay.
      held[place] = RightsHeld(holder: one.holder, rights: held[place].rights &+ one.rights)
    }
    // Of as many, in the order of the holders.
    return held.enumerated().filter { $0.element.rights != 0 }
      .sorted { ($1.element.rights, $0.offset) < ($0.element.rights, $1.offset) }.map(\.element)
  }

  private static func name(
    of key: PublicKey, _ id: ReplicaID, _ roster: Roster, _ holdings: Holdings, _ network: PeerNetwork
  ) -> RightsHeld.Holder {
    if key == holdings.key { return id == holdings.replica.id ? .itself : .earlierLife }
    if let member = roster.group.members.first(where: { $0.key == key }) {
      let isConnected = network.sessions.all.contains { $0.isReady && $0.device == member.id }
      return .member(member.id, name: member.name, isConnected: isConnected)
    }
    let removed = roster.group.removed.first { $0.device.key == key }?.device
    return removed.map { .removed($0.id, name: $0.name) } ?? .unknown
  }
}

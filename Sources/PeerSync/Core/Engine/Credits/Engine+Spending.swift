// Spending credits. What a device holds rights to it spends at once, whoever is away: the number of its own row grows, in
// the same transaction as the spend is remembered. When it is short it asks peers for rights and waits a moment
// (`Engine+Rights.swift`).
extension Engine {
  mutating func spend(_ spending: Spending, as id: RequestID, now: Now, _ effects: inout Effects) {
    // Nothing is spent in the name of an incarnation that must not write any more [D45].
    renewIncarnation(now: now, &effects)
    if let answer = settle(spending, &effects) { return effects.answers.append((id, answer)) }
    guard pendingSpends.count < Limits.pendingSpends else {
      return effects.answers.append((id, .refused(.busy)))
    }
    let deadline = now.monotonic + Limits.spendWaitMilliseconds
    pendingSpends.append(PendingSpend(request: id, spending: spending, deadline: deadline))
  }

  /// Goes on with spends that wait: what has become possible is done, and what nobody can help is refused.
  mutating func settlePending(now: Now, _ effects: inout Effects) {
    guard !pendingSpends.isEmpty else { return }
    let waiting = pendingSpends
    pendingSpends = []
    for var pending in waiting {
      if let answer = settle(pending.spending, &effects) {
        effects.answers.append((pending.request, answer))
      } else if pending.deadline > now.monotonic, waitsForAnswers(pending) || ask(for: &pending, &effects) {
        pendingSpends.append(pending)
      } else {
        effects.answers.append((pending.request, .refused(.notEnough(shortage(pending.spending.credit)))))
      }
    }
  }

  /// Spends if this device may.
  ///
  /// - Returns: nil when it is short
  private mutating func settle(_ spending: Spending, _ effects: inout Effects) -> Answer? {
    let spend = CreditSpend(id: spending.id, amount: spending.amount)
    guard spend.isWithinLimits, spending.credit.utf8.count <= Limits.textBytes else {
      return .refused(.tooLarge)
    }
    if let known = holdings.ledger({ $0.spend(spend.id, of: spending.credit) }) {
      return known == spend ? spent(spending) : .refused(.spentOtherwise(known.amount))
    }
    guard !isRemoved else { return .refused(.removed) }
    guard holdings.ledger({ $0.knowsCredit(spending.credit) }) else { return .refused(.unknownCredit) }
    takeIntoCustody(spending.credit, &effects)
    guard available(spending.credit) >= spending.amount else { return nil }
    let state = holdings.ledger { $0.state(of: spending.credit) }
    let entries: [CreditEntry] = [
      .spent(by: holdings.replica.id),
      .spend(by: holdings.replica.id, slot: state.nextSlot(of: holdings.replica.id), spend),
    ]
    let total = state.spent(by: holdings.replica.id) + spending.amount
    guard holdings.write(entries, total: total, of: spending.credit, &effects) else { return .refused(.full) }
    return spent(spending)
  }

  private mutating func spent(_ spending: Spending) -> Answer {
    let balance = holdings.ledger { $0.balance(spending.credit) }
    return .spent(Spent(id: spending.id, amount: spending.amount, balance: max(balance, 0)))
  }

  // MARK: Who holds what

  /// The holder of rights that this device is.
  package var holder: CreditHolder { CreditHolder(holdings.replica.id) }

  /// What this device may spend or give away at once.
  package mutating func available(_ credit: String) -> Int64 {
    let holder = holder
    return isRemoved ? 0 : holdings.ledger { $0.available(credit, to: holder) }
  }

  /// What this device may spend at once, with what it would take into its custody for it.
  package mutating func spendable(_ credit: String) -> Int64 {
    let isAlone = group.members.map(\.key) == [identity.key] && takesUnasked
    let unclaimed = isAlone ? holdings.ledger { $0.rights(credit, of: .nobody) } : 0
    return available(credit) + max(unclaimed, 0)
  }

  mutating func shortage(_ credit: String) -> Shortage {
    let others = holders(of: credit).filter { $0.holder != .itself && $0.rights > 0 }
    return Shortage(
      balance: holdings.ledger { $0.balance(credit) }, available: available(credit), others: others)
  }

  /// Who holds rights to a credit, the most first.
  package mutating func holders(of credit: String) -> [RightsHeld] {
    let shares = holdings.ledger { $0.shares(of: credit) }
    var names: [CreditHolder: RightsHeld.Holder] = [.nobody: .nobody]
    for (replica, key) in holdings.replica.knownReplicas {
      names[CreditHolder(replica)] = name(of: key, replica)
    }
    // Of as many, in the order of the holders.
    return shares.enumerated().sorted { ($1.element.rights, $0.offset) < ($0.element.rights, $1.offset) }
      .map { RightsHeld(holder: names[$1.holder] ?? .unknown, rights: $1.rights) }
  }

  private func name(of key: PublicKey, _ id: ReplicaID) -> RightsHeld.Holder {
    if key == identity.key { return id == holdings.replica.id ? .itself : .earlierLife }
    if let member = group.members.first(where: { $0.key == key }) {
      let isConnected = sessions.all.contains { $0.isReady && $0.device == member.id }
      return .member(member.id, name: member.name, isConnected: isConnected)
    }
    let removed = group.removed.first { $0.device.key == key }?.device
    return removed.map { .removed($0.id, name: $0.name) } ?? .unknown
  }
}

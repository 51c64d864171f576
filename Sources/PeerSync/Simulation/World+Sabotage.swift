import PeerSyncCore

// Planted faults. Nothing happens here unless `Faults.sabotage` is set.
extension World {
  /// What a device hears when these events come.
  func asHeard(_ events: [Event]) -> [Event] {
    faults.sabotage == .echo ? events + events.compactMap(\.echo) : events
  }

  /// What a device's disk keeps of what it was given.
  func asStored(_ durable: Durable, _ index: Int) -> Durable {
    guard faults.sabotage == .lyingDisk || faults.sabotage == .lossyDisk else { return durable }
    let stored = Durable(faults.sabotage == .lossyDisk ? durable.changes.filter(\.survivesLoss) : [])
    return changesRegisters(durable, index) && isItsTurn() ? stored : durable
  }

  /// The same content under another name is the same register.
  private func changesRegisters(_ durable: Durable, _ index: Int) -> Bool {
    var registers = devices[index].disk.registers
    registers.take(durable.writes)
    return registers.digest != devices[index].disk.registers.digest
  }

  /// The ledger before a step, if it is to be put back.
  func ledgerToRemember(_ index: Int) -> LedgerCache? {
    faults.sabotage == .forgetfulLedger ? devices[index].engine?.holdings.ledgerCache : nil
  }

  /// Plants a fault in a device that has just made a step.
  func sabotage(_ index: Int, _ ledger: LedgerCache?) {
    switch faults.sabotage {
    case .rot: if sabotaged == nil, devices[index].disk.rot() { sabotaged = time }
    case .unsavedClaim:
      if let dot = missing(index), isItsTurn() { devices[index].engine?.holdings.replica.restore(claim: dot) }
    case .wrongClaim: if let dot = missing(index), isItsTurn() { claim(dot, index) }
    case .forgetfulLedger: if let ledger { putBack(ledger, index) }
    case .echo:
      if case .done(changed: 1)? = requests.takeAnswer(of: .echo) { sabotaged = sabotaged ?? time }
    case .restoredRights: restoreRights(index)
    case .lyingDisk, .lossyDisk, nil: break
    }
  }

  /// Sets a device back to before it spent or gave something away, and gives it what it held then: when that is more than
  /// there is.
  private func restoreRights(_ index: Int) {
    guard sabotaged == nil, let replica = devices[index].engine?.holdings.replica.id else { return }
    guard let backup = devices[index].backup, backup.disk.replica == replica, let held = backup.available
    else {
      if available(index) > 0 { backUp(index) }
      return
    }
    guard held > spareCredits(without: index) else { return }
    setBack(index)
    reclaimAll(index, from: replica)
  }

  /// Takes over all of what an earlier incarnation held, without asking anybody.
  private func reclaimAll(_ index: Int, from earlier: ReplicaID) {
    let now = now(index)
    let effects = devices[index].engine?.perform(now: now) { engine, effects in
      let rights = engine.ledger { $0.rights(Self.credit, of: CreditHolder(earlier)) }
      let taking = CreditEntry.taken(from: earlier, by: engine.replica.id)
      _ = engine.holdings.write([taking], total: rights, of: Self.credit, &effects)
    }
    guard let effects else { return }
    sabotaged = time
    try? effects.run(on: SimulatedRunner(world: self, device: index))
    checkSpending(index)
  }

  /// Whether this is the opportunity that is taken: one of the first, and no second one.
  private func isItsTurn() -> Bool {
    guard sabotaged == nil, chance(8) == 0 else { return false }
    sabotaged = time
    return true
  }

  /// A write of another device that this one has never heard of.
  private func missing(_ index: Int) -> Dot? {
    guard let replica = devices[index].engine?.holdings.replica else { return nil }
    let others = devices.compactMap { $0.engine?.holdings.replica.vector.entries(beyond: replica.vector) }
      .joined()
    return others.first { dot in history[dot].map { replica.registers[$0.register] == nil } ?? false }
  }

  private func claim(_ dot: Dot, _ index: Int) {
    devices[index].engine?.holdings.replica.restore(claim: dot)
    devices[index].disk.persist(Durable([.claimed([dot])]))
  }

  /// Forgets what the step changed in the ledger, if that shows.
  private func putBack(_ ledger: LedgerCache, _ index: Int) {
    guard let view = view(of: index), let current = devices[index].engine?.holdings.ledgerCache else {
      return
    }
    devices[index].engine?.holdings.ledgerCache = ledger
    if self.view(of: index) == view || !isItsTurn() { devices[index].engine?.holdings.ledgerCache = current }
  }
}

extension Durable.Change {
  /// Whether a disk that loses registers keeps it.
  fileprivate var survivesLoss: Bool {
    switch self {
    case .claimed, .proven, .time, .group, .records, .membership: true
    case .written, .removed, .voided, .vector, .counted, .replica, .invitation, .addresses, .online,
      .contacts, .repaired, .caughtUp, .setAside, .known:
      false
    }
  }
}

extension Event {
  /// A write of what this brings, as a decision of the device itself.
  fileprivate var echo: Event? {
    guard case .received(_, .commit(let commit)) = self,
      let write = commit.batch.writes({ $0.replica(.simulated) }).first
    else {
      return nil
    }
    let again = LocalWrite(key: write.key, value: write.value)
    return .requested(.echo, .write([again]))
  }
}

extension RequestID {
  static let echo = RequestID(rawValue: .max)
}

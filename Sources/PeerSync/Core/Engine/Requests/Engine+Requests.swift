// What the device's own user and app ask for.
extension Engine {
  mutating func answer(_ id: RequestID, _ request: Request, now: Now, _ effects: inout Effects) {
    if isCloned, request.isDecision { return effects.answers.append((id, .refused(.cloned))) }
    if let answer = answer(to: request, as: id, now: now, &effects) { effects.answers.append((id, answer)) }
  }

  /// - Returns: nil for a request that is answered later, or was answered
  private mutating func answer(
    to request: Request, as id: RequestID, now: Now, _ effects: inout Effects
  ) -> Answer? {
    switch request {
    case .write(let writes): return write(writes, now: now, &effects)
    case .addProducts(let products, let version):
      return addProducts(products, version: version, now: now, &effects)
    case .putProducts(let products): return putProducts(products, now: now, &effects)
    case .setExpiration(let line, let date): return setExpiration(of: line, to: date, now: now, &effects)
    case .grant(let entitlement, let grant, let until):
      return self.grant(entitlement, id: grant, until: until, now: now, &effects)
    case .revoke(let entitlement): return revoke(entitlement, now: now, &effects)
    case .setValue(let key, let value): return setValue(key, to: value, now: now, &effects)
    case .purchase(let order, let transaction):
      return purchase(order, id: transaction, as: id, now: now, &effects)
    case .refund(let transaction): return refund(transaction, as: id, now: now, &effects)
    case .ingest(let items): return ingest(items, now: now, &effects)
    case .setOnline(let online): return setOnline(online, &effects)
    case .invite(let invitation): return invite(invitation, now: now, &effects)
    case .join(let address, let key): join(address, key: key, as: id, now: now, &effects)
    case .spend(let spending): spend(spending, as: id, now: now, &effects)
    case .takeOver(let credit): return takeOver(credit, &effects)
    case .takeOverLost(let credit): return takeOverLost(credit, &effects)
    case .acceptTime: return acceptTime(now: now, &effects)
    case .remove(let device, let recoveryKey, let takingBack):
      return remove(device, by: recoveryKey, takingBack, now: now, &effects)
    }
    return nil
  }

  /// Makes writes of this device's own: all of them, or none when one cannot be made.
  mutating func write(_ writes: [LocalWrite], now: Now, _ effects: inout Effects) -> Answer {
    if isCloned, !writes.allSatisfy({ RegisterKind.isSignedByStore($0.key) }) { return .refused(.cloned) }
    for write in writes {
      if let refusal = refusal(of: write, now: now) { return .refused(refusal) }
    }
    let bytes = writes.reduce(0) { $0 + $1.key.count + $1.value.count }
    guard replica.hasRoom(forWrites: writes.count, bytes: bytes) else { return .refused(.full) }
    var won = WriteBatch()
    for write in writes { make(write, now: now, &won) }
    publish(won, &effects)
    return .done(changed: won.count)
  }

  /// Makes own writes durable, and the next commit.
  mutating func publish(_ won: WriteBatch, _ effects: inout Effects) {
    guard !won.isEmpty else { return }
    commit.append(contentsOf: won)
    effects.durable.append(.written(won))
    claimOwn(&effects)
    effects.changed = true
    ledgerCache.note(won)
  }

  /// Makes durable how far this device's own writes are claimed.
  func claimOwn(_ effects: inout Effects) {
    let dot = Dot(replica: replica.id, sequence: replica.vector[replica.id])
    // Own writes of before may be missing here: then nothing is claimed yet.
    if dot.sequence > 0 { effects.durable.append(.claimed([dot])) }
  }

  private mutating func make(_ write: LocalWrite, now: Now, _ won: inout WriteBatch) {
    // What comes with its stamp was decided once: nothing that was decided later yields to it.
    if write.stamp != nil, RegisterKind.isDecision(write.key), isOutdone(write) { return }
    guard let stamp = write.stamp ?? (try? clock.tick(now: now.wall)) else { return }
    guard let made = replica.write(key: write.key, stamp: stamp, value: write.value) else { return }
    won.append(made)
    if RegisterKind.isDecision(write.key) { observe(stamp, now: now) }
  }

  /// Whether a decision that comes with its stamp would not stand, or stands.
  private func isOutdone(_ write: LocalWrite) -> Bool {
    let rank = DecisionRank(key: write.key, stamp: write.stamp ?? Stamp(rawValue: 0), value: write.value)
    let standing = replica.registers.standing(under: write.key, ledgerCache.counting)
    return standing.map { !($0.withView { DecisionRank($0) } < rank) } ?? false
  }

  private func refusal(of write: LocalWrite, now: Now) -> Refusal? {
    guard !write.key.isEmpty, write.key.count <= Limits.keyBytes, write.value.count <= Limits.valueBytes
    else { return .tooLarge }
    guard write.fitsKey(replica.cryptography) else { return .misfit }
    // The numbers of a credit follow from what is spent and given, and from nothing else.
    guard write.key.first != RegisterKind.credit.rawValue else { return .misfit }
    if RegisterKind.isDecision(write.key), let stamp = write.stamp, stamp > ceiling(at: now) {
      return .tooFarAhead
    }
    return nil
  }

  private mutating func setOnline(_ online: Bool, _ effects: inout Effects) -> Answer {
    guard online != isOnline else {
      // Who asks for it again has a reason to: nobody waits for the end of a back-off.
      if online { dialler.reset() }
      return .done(changed: 0)
    }
    isOnline = online
    effects.durable.append(.online(online))
    effects.changed = true
    if online { dialler.reset() } else { for session in sessions.all { end(session.id, .leaving, &effects) } }
    return .done(changed: 0)
  }

  private mutating func invite(_ invitation: Invitation, now: Now, _ effects: inout Effects) -> Answer {
    guard let listening else { return .refused(.notListening) }
    guard isOnline else { return .refused(.offline) }
    guard !isRemoved else { return .refused(.removed) }
    guard let address = listening.address else { return .refused(.noNetwork) }
    open(invitation, at: now.wall, now: now, &effects)
    return .invited(at: address)
  }
}

extension Request {
  /// Whether the device decides something by it that it must not decide beside a copy of itself. Of writes each is looked at by
  /// itself: what the store has signed is not a decision, whoever writes it down.
  fileprivate var isDecision: Bool {
    switch self {
    case .invite, .join, .spend, .takeOver, .takeOverLost: true
    case .write, .addProducts, .putProducts, .setExpiration, .grant, .revoke, .setValue, .purchase, .refund,
      .ingest:
      false
    // Both copies may remove somebody: a removal has no number that both could use. And whoever says untruly that this
    // device is a copy must not be safe from it.
    case .setOnline, .remove: false
    // What time it is here is nobody else's matter.
    case .acceptTime: false
    }
  }
}

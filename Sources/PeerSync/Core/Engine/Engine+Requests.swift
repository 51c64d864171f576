// What the device's own user and app ask for.
extension Engine {
  mutating func answer(_ id: RequestID, _ request: Request, now: Now, _ effects: inout Effects) {
    if holdings.isFenced, request.isDecision { return effects.answers.append((id, .refused(.cloned))) }
    if let answer = answer(to: request, as: id, now: now, &effects) { effects.answers.append((id, answer)) }
  }

  /// - Returns: nil for a request that is answered later, or was answered
  private mutating func answer(
    to request: Request, as id: RequestID, now: Now, _ effects: inout Effects
  ) -> Answer? {
    switch request {
    case .write(let writes): return holdings.write(writes, at: moment(now), &effects)
    case .addProducts(let products, let version):
      return holdings.addProducts(products, version: version, at: moment(now), &effects)
    case .putProducts(let products): return holdings.putProducts(products, at: moment(now), &effects)
    case .adoptProducts(let products): return holdings.adoptProducts(products, at: moment(now), &effects)
    case .setExpiration(let line, let date):
      return holdings.setExpiration(of: line, to: date, at: moment(now), &effects)
    case .grant(let entitlement, let grant, let until):
      return holdings.grant(entitlement, id: grant, until: until, at: moment(now), &effects)
    case .revoke(let entitlement): return holdings.revoke(entitlement, at: moment(now), &effects)
    case .setValue(let key, let value): return holdings.setValue(key, to: value, at: moment(now), &effects)
    case .rename(let name): return holdings.rename(to: name, at: moment(now), &effects)
    case .purchase(let order, let transaction):
      return drafts.purchase(
        order, id: transaction, as: id, of: identity, &holdings, &timekeeper, now: now, &effects)
    case .refund(let transaction):
      return drafts.refund(
        transaction, as: id, of: identity, &holdings, &timekeeper, now: now, &effects)
    case .ingest(let items): return holdings.ingest(items, of: identity, at: moment(now), &effects)
    case .setOnline(let online): return setOnline(online, &effects)
    case .dialBack: return network.askDialBack(as: id, at: now.monotonic, &effects)
    case .probe:
      for session in network.sessions.ready { network.probe(session, holdings, &effects) }
      return .done(changed: 0)
    case .invite(let invitation, let isAnnounced):
      return invite(invitation, isAnnounced: isAnnounced, now: now, &effects)
    case .join(let address, let key):
      join(as: id, &effects) { $0.join(address, key: key, as: id, now: now, &$1) }
    case .joinAny(let addresses, let key):
      join(as: id, &effects) { $0.join(anyOf: addresses, key: key, as: id, now: now, &$1) }
    case .spend(let spending): spend(spending, as: id, now: now, &effects)
    case .reclaim(let credit):
      escrow.reclaim(credit, isLost: false, as: id, roster, &holdings, &network, now: now, &effects)
    case .reclaimLost(let credit):
      escrow.reclaim(credit, isLost: true, as: id, roster, &holdings, &network, now: now, &effects)
    case .acceptTime: return acceptTime(now: now, &effects)
    case .remove(let device, let recoveryKey, let takingBack, let disowned):
      return remove(device, by: recoveryKey, takingBack, disowning: disowned, now: now, &effects)
    }
    return nil
  }

  private mutating func spend(
    _ spending: Spending, as id: RequestID, now: Now, _ effects: inout Effects
  ) {
    // Nothing is spent in the name of an incarnation that must not write any more [D45].
    renewIncarnation(now: now, &effects)
    escrow.spend(spending, as: id, roster, &holdings, &network, now: now, &effects)
  }

  private mutating func setOnline(_ online: Bool, _ effects: inout Effects) -> Answer {
    guard online != isOnline else {
      // Who asks for it again has a reason to: nobody waits for the end of a back-off.
      if online { network.dialler.reset() }
      return .done(changed: 0)
    }
    isOnline = online
    effects.durable.append(.online(online))
    effects.changed = true
    if online { network.dialler.reset() } else { network.endAll(.leaving, &effects) }
    pairing.noteEnded(&effects)
    return .done(changed: 0)
  }

  private mutating func invite(
    _ invitation: Invitation, isAnnounced: Bool, now: Now, _ effects: inout Effects
  ) -> Answer {
    guard let listening = network.listening else { return .refused(.notListening) }
    guard isOnline else { return .refused(.offline) }
    guard !isRemoved else { return .refused(.removed) }
    guard listening.address != nil || isAnnounced else { return .refused(.noNetwork) }
    pairing.open(invitation, at: now.wall, now: now, &effects)
    return .invited(at: listening.address)
  }
}

extension Request {
  /// Whether the device decides something by it that it must not decide beside a copy of itself. Of writes each is looked at by
  /// itself: what the store has signed is not a decision, whoever writes it down.
  fileprivate var isDecision: Bool {
    switch self {
    case .invite, .join, .joinAny, .spend, .reclaim, .reclaimLost: true
    case .write, .addProducts, .putProducts, .adoptProducts, .setExpiration, .grant, .revoke, .setValue,
      .rename, .purchase, .refund, .ingest:
      false
    // Both copies may remove somebody: a removal has no number that both could use. And whoever says untruly that this
    // device is a copy must not be safe from it.
    case .setOnline, .remove: false
    // What time it is here, whether others reach it, and what they hold, is nobody else's matter.
    case .acceptTime, .dialBack, .probe: false
    }
  }
}

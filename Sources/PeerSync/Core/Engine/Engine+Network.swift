// Addresses and timers.
extension Engine {
  mutating func start(
    listening addresses: [Address]?, peers: [Address], now: Now, _ effects: inout Effects
  ) {
    if let addresses { network.listen(at: addresses, &holdings, wall: now.wall, &effects) }
    for peer in peers { network.dialler.addStatic(peer) }
    effects.belonging = Belonging(to: group)
    network.dialler.know(group, before: nil, own: identity.device)
    if let invitation = pairing.invitation {
      pairing.open(invitation, at: time(at: now).now, now: now, &effects)
    }
    applyCuts(now: now, &effects)
    recovery.proveAnew(&holdings, &effects)
    effects.changed = true
  }

  // MARK: Addresses

  /// What was tried in vain may work now, and what worked may be gone without a word: everything is dialled at once, and each
  /// session has to show that it lives.
  mutating func changeNetwork(listening addresses: [Address]?, now: Now, _ effects: inout Effects) {
    if let addresses, network.announceable(addresses) != network.listening?.addresses {
      network.listen(at: addresses, &holdings, wall: now.wall, &effects)
      effects.changed = true
    }
    network.dialler.reset()
    for id in network.sessions.ready {
      _ = network.sessions.update(id) { $0.times.demandProof(at: now.monotonic) }
      network.probe(id, holdings, &effects)
    }
  }

  // MARK: Dialling

  mutating func dialDue(now: Now, _ effects: inout Effects) {
    guard !holdings.isFenced else { return }
    effects.dials += network.dialler.due(at: now.monotonic, network.sessions.reach)
  }

  mutating func unreachable(
    _ address: Address, _ reason: CloseReason?, now: Now, _ effects: inout Effects
  ) {
    _ = network.noteDialled(address, proving: nil, &effects)
    if reason == .stranger { notKnown(at: address, &effects) }
    if reason == .handshakeTimeout { network.dialler.stalled(at: address) }
    network.dialler.failed(address, at: now.monotonic, random: network.random.next())
  }

  /// Whoever answers at an address does not know this device.
  mutating func notKnown(at address: Address, _ effects: inout Effects) {
    if network.dialler.unknown(at: address, showing: membership.fingerprint) { effects.changed = true }
  }

  // MARK: Timers

  /// When, on the monotonic clock, ``Event/deadline`` is due; nil: nothing waits for time.
  public var nextDeadline: UInt64? {
    let dial =
      isOnline && !isFenced ? network.dialler.nextDeadline(network.sessions.reach) : nil
    return [
      network.sessionDeadline, network.sightingDeadline, pairing.deadline, timekeeper.nextCheck,
      escrow.deadline, network.dialBacks.deadline, network.offered.deadline, dial,
    ].compactMap(\.self).min()
  }

  mutating func checkDeadlines(now: Now, _ effects: inout Effects) {
    adoptOffered(now: now, &effects)
    network.checkSessions(holdings, now: now, &effects)
    network.checkSightings(in: group, holdings, now: now, &effects)
    pairing.noteEnded(&effects)
    pairing.checkJoining(now: now, &effects)
    pairing.check(now: now, &effects)
    effects.answers += network.dialBacks.takeLate(at: now.monotonic)
    checkTime(now, &effects)
  }

  // MARK: Discovery

  /// The owner of a key announces itself at these addresses.
  mutating func sight(_ key: PublicKey, at addresses: [Address], now: Now, _ effects: inout Effects) {
    guard group.isMember(key), key != identity.key else { return }
    let device = DeviceID(of: key, cryptography)
    network.sight(device, at: addresses, holdings, now: now, &effects)
  }

  // MARK: Copies

  /// Another copy of this device is at work.
  mutating func stopDeciding(_ effects: inout Effects) {
    guard !holdings.isFenced else { return }
    holdings.isFenced = true
    effects.notices.append(.cloned)
    effects.changed = true
    // The other copy is to hear of it. To anybody else it would say that they are copies themselves.
    for session in network.sessions.all {
      network.end(session.id, session.channel == .certificate(identity.key) ? .cloned : .leaving, &effects)
    }
  }
}

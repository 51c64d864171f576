// The life of a session. Encryption comes before it: when a session opens, the runner says what the connection has
// proved (``Channel``). The side that dialled speaks first and the other answers only whom it accepts.
//
//     dialler            listener
//     hello        →
//                  ←     hello, welcome
//     welcome      →
//
// Each welcome carries a fingerprint of the sender's membership records. Where the two differ, records are exchanged
// before any data flows (`Engine+Membership.swift`); where they are equal both sides are ready at once. A session over an
// invitation is another matter: `Engine+Pairing.swift`.
extension Engine {
  mutating func open(
    _ id: SessionID, _ opening: Opening, _ channel: Channel, now: Now, _ effects: inout Effects
  ) {
    let session = Session(
      id: id, opening: opening, channel: channel, openedAt: now.monotonic)
    let hasRoom = network.sessions.all.count < Limits.sessions
    network.sessions[id] = session
    if case .dialled(let address) = opening, case .certificate(let key) = channel,
      network.noteDialled(address, proving: key, &effects)
    {
      return network.end(id, .duplicate, &effects)
    }
    guard isOnline, hasRoom else { return network.end(id, isOnline ? .busy : .leaving, &effects) }
    switch channel {
    case .invitation: if session.isDialled { askToJoin(on: id, &effects) }
    case .introduction(let key):
      guard let address = session.dialled else { return }
      // Somebody else may be there by now.
      network.dialler.identified(address, as: DeviceID(of: key, cryptography))
      introduceOneself(to: key, on: id, &effects)
    case .certificate(let key):
      if let reason = refusal(ofStranger: key) { return network.end(id, reason, &effects) }
      guard let address = session.dialled else { return }
      let reached = DeviceID(of: key, cryptography)
      let isByHearsay = network.dialler.isHearsay(address, of: reached)
      network.dialler.identified(address, as: reached)
      _ = network.sessions.update(id) { ($0.reached, $0.isByHearsay) = (reached, isByHearsay) }
      if network.sessions.isOutrun(id, now: now) { return network.end(id, .duplicate, &effects) }
      network.send(.hello(hello), on: id, &effects)
    }
  }

  var hello: Hello {
    Hello(
      versions: ProtocolVersion.supported, replica: holdings.replica.id, bootID: network.bootID,
      environment: identity.environment, bundleId: identity.bundleId, name: identity.name,
      listening: network.announced, program: Version.current)
  }

  mutating func receive(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let session = network.sessions[id], !session.isEnding else { return }
    _ = network.sessions.update(id) { $0.times.noteHeard(at: now.monotonic) }
    if case .close(let reason) = message { return closedByPeer(id, reason, now: now, &effects) }
    switch session.phase {
    case .joining(let joiner): receive(message, as: joiner, on: id, now: now, &effects)
    case .inviting(let inviter): receive(message, as: inviter, on: id, now: now, &effects)
    case .introducing: receiveAnswer(message, on: id, now: now, &effects)
    case .receivingIntroduction: receiveIntroduction(message, on: id, now: now, &effects)
    case .greeting: receiveGreeting(message, on: id, now: now, &effects)
    case .welcoming(let greeting): receiveWelcome(message, greeting, on: id, now: now, &effects)
    case .exchangingRecords: receiveWhileExchangingRecords(message, on: id, now: now, &effects)
    case .ready: receiveData(message, on: id, now: now, &effects)
    case .ending: break
    }
  }

  private mutating func receiveGreeting(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard case .hello(let hello) = message, let session = network.sessions[id],
      case .certificate(let key) = session.channel
    else { return network.end(id, .unexpected, &effects) }
    if key == identity.key { return meetOneself(hello, session, &effects) }
    if let reason = refusal(ofStranger: key) ?? refusal(of: hello) {
      return network.end(id, reason, &effects)
    }
    greet(Peer(key: key, device: DeviceID(of: key, cryptography), hello: hello), session, now: now, &effects)
  }

  private mutating func greet(_ peer: Peer, _ session: Session, now: Now, _ effects: inout Effects) {
    let id = session.id
    if !session.isDialled { network.dialler.noteHandshake(by: peer.device, at: now.monotonic) }
    guard !network.isLate(peer, on: id) else { return network.end(id, .duplicate, &effects) }
    // Also where the session does not stay: the peer may be elsewhere by now, and dials in vain beside one that is half-open.
    if let entry = peer.hello.listening, entry.device == peer.device {
      network.learn([entry], of: peer.device, from: id, in: group, &holdings, at: moment(now), &effects)
    }
    if session.isDialled, let old = network.sessions.ready(with: peer.device),
      !replaces(session, old, with: peer, now: now)
    {
      return refuse(session, beside: old, now: now, &effects)
    }
    boundHandshakes(with: peer.device, &effects)
    let fingerprint = membership.fingerprint
    _ = network.sessions.update(id) {
      $0.advance(to: .welcoming(Session.Greeting(peer: peer, toldFingerprint: fingerprint)))
    }
    if !session.isDialled { network.send(.hello(hello), on: id, &effects) }
    network.send(.welcome(fingerprint), on: id, &effects)
  }

  private func refusal(ofStranger key: PublicKey) -> CloseReason? {
    group.isMember(key) ? nil : .stranger
  }

  private func refusal(of hello: Hello) -> CloseReason? {
    guard ProtocolVersion.common(with: hello.versions) != nil else { return .version }
    guard hello.environment == identity.environment, hello.bundleId == identity.bundleId else {
      return .stranger
    }
    return nil
  }

  /// The other side has this device's own key.
  private mutating func meetOneself(_ hello: Hello, _ session: Session, _ effects: inout Effects) {
    if hello.bootID != network.bootID { return stopDeciding(&effects) }
    if case .dialled(let address) = session.opening { network.dialler.forget(address) }
    network.end(session.id, .itself, &effects)
  }

  /// Whether a new session takes the place of the one over which data flows with the same device.
  ///
  /// Whoever dials does not know of an old one any more, or it would not: the newer is kept. Right after the old one began that is not so,
  /// for the new one may have been on its way as long: of two that both have dialled the one that the device with the smaller id has dialled is
  /// kept, and of two alike the older, which lives. Whoever has dialled keeps what it has. With another boot id of the peer the newer in any
  /// case: the program of the old one is gone, or comes back, and is found out.
  private func replaces(_ new: Session, _ old: Session, with peer: Peer, now: Now) -> Bool {
    guard old.peer?.hello.bootID == peer.hello.bootID else { return true }
    let isYoung = !old.times.isProven(at: now.monotonic)
    let isPreferred = new.isDialled == (identity.device < peer.device)
    if isYoung { return new.isDialled != old.isDialled && isPreferred }
    return !new.isDialled
  }

  /// Ends a new session for an old one, which has to prove that it lives: it may be half-open, for the peer may have forgotten it.
  private mutating func refuse(
    _ new: Session, beside old: Session, now: Now, _ effects: inout Effects
  ) {
    _ = network.sessions.update(old.id) { $0.times.demandProof(at: now.monotonic) }
    network.probe(old.id, holdings, &effects)
    network.end(new.id, .duplicate, &effects)
  }

  /// Ends the oldest of the handshakes with a device where there are too many: until one is complete nothing says which of them is to stay.
  private mutating func boundHandshakes(with device: DeviceID, _ effects: inout Effects) {
    let waiting = network.sessions.all.filter { $0.device == device && !$0.isReady && !$0.isEnding }
    for session in waiting.dropLast(Limits.handshakes - 1) { network.end(session.id, .duplicate, &effects) }
  }

  private mutating func receiveWelcome(
    _ message: Message, _ greeting: Session.Greeting, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard case .welcome(let fingerprint) = message else { return network.end(id, .unexpected, &effects) }
    // Both sides compare the same two fingerprints, whatever has come in since.
    if fingerprint == greeting.toldFingerprint {
      becomeReady(id, now: now, &effects)
    } else {
      beginExchangingRecords(id, &effects)
    }
  }

  /// Lets data flow, if the peer is still a member by what is known now.
  mutating func becomeReady(_ id: SessionID, now: Now, _ effects: inout Effects) {
    // What was exchanged may have ended it.
    guard let session = network.sessions[id], !session.isEnding, let peer = session.peer else { return }
    if let reason = refusal(ofStranger: peer.key) { return network.end(id, reason, &effects) }
    // A later run of its program was met since its hello came: this one need not be alive.
    guard !network.isLate(peer, on: id) else { return network.end(id, .duplicate, &effects) }
    guard network.isOnlyBoot(peer, on: id) else {
      let copies = network.sessions.all.filter {
        $0.device == peer.device && network.isOfCopies($0, through: id)
      }
      for copy in copies { network.end(copy.id, .cloned, &effects) }
      return
    }
    if let old = network.sessions.ready(with: peer.device) {
      guard replaces(session, old, with: peer, now: now) else {
        return refuse(session, beside: old, now: now, &effects)
      }
      network.end(old.id, .duplicate, &effects)
    }
    let beat = session.isDialled ? now.monotonic + network.beatInterval() : nil
    let untold = network.sessions.update(id) { $0.becomeReady(at: now.monotonic, nextBeat: beat) } ?? []
    network.known[peer.device, default: KnownPeer()].seen = now.wall
    effects.notices.append(.connected(peer.device, name: peer.hello.name))
    effects.changed = true
    if !untold.isEmpty { network.tell(untold, on: id, &effects) }
    network.tellAddresses(on: id, &effects)
    network.tellForks(on: id, of: holdings.replica, &effects)
    recovery.giveBack(on: id, holdings, &network, &effects)
    network.beginSync(id, &holdings, &effects)
    network.askTime(id, now: now, &effects)
  }

  // MARK: Ending

  private mutating func closedByPeer(
    _ id: SessionID, _ reason: CloseReason, now: Now, _ effects: inout Effects
  ) {
    if !reason.isOrdinary { effects.notices.append(.refusedBy(id, reason)) }
    pairing.fail(on: id, .notAdmitted(reason), &effects)
    if reason == .silence, let device = network.sessions[id]?.device { network.dialler.silent(device) }
    if let session = network.sessions[id], case .dialled(let address) = session.opening {
      if reason == .itself { network.dialler.forget(address) }
      if reason == .stranger, session.isUnanswered {
        notKnown(at: address, &effects)
        noteShown(on: session, now: now)
      }
      if reason == .leaving, session.isIntroducing {
        network.dialler.recognized(at: address, showing: membership.fingerprint)
      }
    }
    // Of a member that is known for one, or of this device's own key.
    if reason == .cloned, let session = network.sessions[id],
      session.isReady || session.channel == .certificate(identity.key)
    {
      stopDeciding(&effects)
    }
    network.end(id, .leaving, &effects)
  }

  mutating func closed(_ id: SessionID, now: Now, _ effects: inout Effects) {
    guard let session = network.sessions[id] else { return }
    pairing.fail(on: id, .unreachable, &effects)
    effects.answers += network.dialBacks.end(id)
    if session.isReady, let device = session.device { effects.notices.append(.disconnected(device)) }
    network.sessions[id] = nil
    if case .dialled(let address) = session.opening {
      if session.times.isProven(at: now.monotonic) { network.dialler.succeeded(address) }
      network.dialler.failed(address, at: now.monotonic, random: network.random.next())
    }
    if let device = session.device, session.times.wasReady, network.sessions.ready(with: device) == nil {
      network.dialler.parted(
        from: device, wasGood: session.times.isProven(at: now.monotonic), at: now.monotonic,
        random: network.random.next())
    }
    effects.changed = true
  }
}

extension CloseReason {
  /// Whether nobody needs to read about it.
  var isOrdinary: Bool {
    switch self {
    case .leaving, .duplicate, .itself, .silence, .handshakeTimeout: true
    case .version, .malformed, .beyondLimit, .unexpected, .stranger, .wrongCode, .noInvitation, .busy,
      .removed, .forged, .cloned, .notFirst, .noRoom, .hostRemoved:
      false
    }
  }
}

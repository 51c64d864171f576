// The life of a session. The side that dialled speaks first and the other answers only whom it accepts: a device that
// is no member learns nothing, not even whose device it has reached.
//
//     dialler            listener
//     hello        →
//                  ←     hello, welcome
//     welcome, summary →
//                  ←     summary
//
// A device that joins sends `join` in place of its hello, is answered `admitted`, and then goes on with its hello.
extension Engine {
  mutating func open(_ id: SessionID, _ opening: Opening, now: Now, _ effects: inout Effects) {
    var session = Session(
      id: id, opening: opening, handshakeDeadline: now.monotonic + Limits.handshakeMilliseconds,
      phase: .greeting,
      silenceDeadline: now.monotonic + Limits.silenceMilliseconds)
    if case .dialled(let address) = opening, joining?.address == address, joining?.session == nil {
      session.phase = .joining
      joining?.session = id
    }
    let isJoining = session.phase == .joining
    let hasRoom = sessions.all.count < Limits.sessions
    sessions[id] = session
    guard isOnline, hasRoom else { return end(id, isOnline ? .busy : .leaving, &effects) }
    if isJoining {
      send(.join(joinRequest), on: id, &effects)
    } else if session.isDialled {
      send(.hello(hello), on: id, &effects)
    }
  }

  var hello: Hello {
    Hello(
      versions: ProtocolVersion.supported, group: identity.group, device: identity.device,
      replica: replica.id,
      environment: identity.environment, bundleId: identity.bundleId, name: identity.name,
      listening: listening)
  }

  mutating func receive(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let session = sessions[id], session.phase != .ending else { return }
    _ = sessions.update(id) { $0.silenceDeadline = now.monotonic + Limits.silenceMilliseconds }
    if case .close(let reason) = message { return closedByPeer(id, reason, now: now, &effects) }
    switch session.phase {
    case .joining: receiveWhileJoining(message, on: id, now: now, &effects)
    case .greeting: receiveGreeting(message, on: id, now: now, &effects)
    case .welcoming: receiveWelcome(message, on: id, now: now, &effects)
    case .ready: receiveData(message, on: id, now: now, &effects)
    case .ending: break
    }
  }

  private mutating func receiveGreeting(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    switch message {
    case .hello(let peer): greet(peer, on: id, now: now, &effects)
    case .join(let request): admit(request, on: id, now: now, &effects)
    default: end(id, .unexpected, &effects)
    }
  }

  private mutating func greet(_ peer: Hello, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let session = sessions[id] else { return }
    if let reason = objection(to: peer) {
      if reason == .itself, case .dialled(let address) = session.opening { dialler.forget(address) }
      return end(id, reason, &effects)
    }
    if case .dialled(let address) = session.opening { dialler.identified(address, as: peer.device) }
    guard resolveDuplicates(of: session, with: peer, now: now, &effects) else { return }
    _ = sessions.update(id) {
      $0.peer = peer
      $0.phase = .welcoming
    }
    if !session.isDialled { send(.hello(hello), on: id, &effects) }
    send(.welcome, on: id, &effects)
    meet(peer, now: now)
    if let entry = peer.listening, entry.device == peer.device {
      learn([entry], from: id, now: now, &effects)
    }
  }

  private func objection(to peer: Hello) -> CloseReason? {
    guard ProtocolVersion.common(with: peer.versions) != nil else { return .version }
    guard peer.device != identity.device else { return .itself }
    guard peer.group == identity.group, peer.environment == identity.environment,
      peer.bundleId == identity.bundleId
    else { return .stranger }
    return nil
  }

  /// Keeps one session of two: the one that the device with the smaller id dialled, and of two alike the newer.
  ///
  /// - Returns: whether the new session goes on.
  private mutating func resolveDuplicates(
    of new: Session, with peer: Hello, now: Now, _ effects: inout Effects
  ) -> Bool {
    guard
      let old = sessions.all.first(where: {
        $0.id != new.id && $0.device == peer.device && $0.phase != .ending
      })
    else { return true }
    let preferred = min(identity.device, peer.device) == identity.device
    if old.isDialled == preferred, new.isDialled != preferred {
      // The old session may be half-open: the peer may have forgotten it. Make it prove that it lives.
      _ = sessions.update(old.id) {
        $0.silenceDeadline = min($0.silenceDeadline, now.monotonic + Limits.handshakeMilliseconds)
      }
      if old.isReady { probe(old.id, &effects) }
      // A member may know whom it reached: or it would dial this address again and again beside the other session.
      if !new.isDialled { send(.hello(hello), on: new.id, &effects) }
      end(new.id, .duplicate, &effects)
      return false
    }
    end(old.id, .duplicate, &effects)
    return true
  }

  private mutating func receiveWelcome(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard case .welcome = message, let peer = sessions[id]?.peer else {
      return end(id, .unexpected, &effects)
    }
    let beat = sessions[id]?.isDialled == true ? now.monotonic + beatInterval() : nil
    _ = sessions.update(id) {
      $0.phase = .ready
      $0.provenAt = now.monotonic + Limits.provenMilliseconds
      $0.nextBeat = beat
    }
    effects.notices.append(.connected(peer.device, name: peer.name))
    effects.changed = true
    tellAddresses(on: id, &effects)
    beginSync(id, peer: peer.device, &effects)
  }

  // MARK: Ending

  /// Ends a session from this side.
  mutating func end(_ id: SessionID, _ reason: CloseReason, _ effects: inout Effects) {
    guard let session = sessions[id], session.phase != .ending else { return }
    _ = sessions.update(id) {
      $0.phase = .ending
      $0.outgoing = nil
    }
    effects.closings.append((id, reason))
    if let device = session.device, session.isReady { effects.notices.append(.disconnected(device)) }
    if !reason.isOrdinary { effects.notices.append(.refused(id, reason)) }
    failJoining(on: id, .notAdmitted(reason), &effects)
    effects.changed = true
  }

  private mutating func closedByPeer(
    _ id: SessionID, _ reason: CloseReason, now: Now, _ effects: inout Effects
  ) {
    if !reason.isOrdinary { effects.notices.append(.refusedBy(id, reason)) }
    failJoining(on: id, .notAdmitted(reason), &effects)
    if reason == .itself, case .dialled(let address)? = sessions[id]?.opening { dialler.forget(address) }
    end(id, .leaving, &effects)
  }

  mutating func closed(_ id: SessionID, now: Now, _ effects: inout Effects) {
    guard let session = sessions[id] else { return }
    failJoining(on: id, .unreachable, &effects)
    if session.isReady, let device = session.device { effects.notices.append(.disconnected(device)) }
    sessions[id] = nil
    if case .dialled(let address) = session.opening {
      if let provenAt = session.provenAt, provenAt <= now.monotonic { dialler.succeeded(address) }
      dialler.failed(address, at: now.monotonic, random: random.next())
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
      .forged:
      false
    }
  }
}

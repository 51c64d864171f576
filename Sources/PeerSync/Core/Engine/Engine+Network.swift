// Addresses and timers.
extension Engine {
  mutating func start(
    listening addresses: [Address]?, peers: [Address], now: Now, _ effects: inout Effects
  ) {
    if let addresses { listen(at: addresses, now: now, &effects) }
    for peer in peers { dialler.addStatic(peer) }
    effects.members = group.members.map(\.key)
    if let invitation { open(invitation, at: time(at: now).now, now: now, &effects) }
    applyCuts(now: now, &effects)
    proveAnew(&effects)
    effects.changed = true
  }

  // MARK: Addresses

  /// Where this device says that it can be reached; nil: nowhere.
  var announced: KnownPeer.Listening? {
    announcesAddresses ? listening.flatMap { $0.addresses.isEmpty ? nil : $0 } : nil
  }

  /// What was tried in vain may work now, and what worked may be gone without a word: everything is dialled at once, and each
  /// session has to show that it lives.
  mutating func changeNetwork(listening addresses: [Address]?, now: Now, _ effects: inout Effects) {
    if let addresses, announceable(addresses) != listening?.addresses {
      listen(at: addresses, now: now, &effects)
      effects.changed = true
    }
    dialler.reset()
    for id in sessions.ready {
      _ = sessions.update(id) {
        $0.times.demandProof(within: Limits.proofMilliseconds, at: now.monotonic)
      }
      probe(id, &effects)
    }
  }

  /// Where other devices listen.
  var addressBook: [KnownPeer.Listening] {
    knownPeers.values.compactMap(\.listening).sorted { $0.device < $1.device }
  }

  /// Keeps an entry of the address book that is newer than what is known.
  ///
  /// - Returns: whether it was.
  @discardableResult mutating func remember(_ entry: KnownPeer.Listening) -> Bool {
    if let known = knownPeers[entry.device]?.listening {
      guard known.stamp < entry.stamp else { return false }
    } else if knownPeers.values.count(where: { $0.listening != nil }) >= Limits.addresses {
      return false
    }
    knownPeers[entry.device, default: KnownPeer()].listening = entry
    dialler.set(entry.addresses, of: entry.device)
    return true
  }

  mutating func learn(
    _ entries: [KnownPeer.Listening], from id: SessionID, now: Now, _ effects: inout Effects
  ) {
    // Of members only: nobody fills the book with devices that do not exist. An entry from the future would never be
    // replaced: it counts as the oldest.
    let members = Set(group.members.map(\.id)).subtracting([identity.device])
    let ceiling = moment(now).ceiling
    let candidates = entries.filter { members.contains($0.device) }.compactMap(\.passable)
      .map { $0.stamp <= ceiling ? $0 : $0.weak }
    let news = candidates.filter { remember($0) }
    defend(against: entries, now: now, &effects)
    guard !news.isEmpty else { return }
    effects.durable.append(.addresses(news))
    for other in sessions.ready where other != id && hasRoom(on: other) {
      send(.addresses(news), on: other, &effects)
    }
  }

  mutating func tellAddresses(on id: SessionID, _ effects: inout Effects) {
    guard let peer = sessions[id]?.peer else { return }
    // Its own only if that is not where it says to listen now: then it says so anew, and later.
    let listening = peer.hello.listening
    let entries = addressBook.filter { $0.device != peer.device || listening != nil && $0 != listening }
    for first in stride(from: 0, to: entries.count, by: Limits.addressEntries) {
      let part = entries[first..<min(first + Limits.addressEntries, entries.count)]
      send(.addresses(Array(part)), on: id, &effects)
    }
  }

  // MARK: Dialling

  mutating func dialDue(now: Now, _ effects: inout Effects) {
    guard !isRemoved, !holdings.isCloned else { return }
    effects.dials += dialler.due(at: now.monotonic, except: sessions.isConnected)
  }

  mutating func unreachable(
    _ address: Address, _ reason: CloseReason?, now: Now, _ effects: inout Effects
  ) {
    if joining?.address == address, joining?.session == nil {
      let isRefused = reason != nil && reason != .handshakeTimeout
      failJoining(reason.flatMap { isRefused ? .notAdmitted($0) : nil } ?? .unreachable, &effects)
    }
    if reason == .stranger { dialler.unknown(at: address, showing: membership.fingerprint) }
    if reason == .handshakeTimeout { dialler.stalled(at: address) }
    dialler.failed(address, at: now.monotonic, random: random.next())
  }

  // MARK: Timers

  /// When, on the monotonic clock, ``Event/deadline`` is due; nil: nothing waits for time.
  public var nextDeadline: UInt64? {
    var deadlines = sessions.all.filter { !$0.isEnding }.map(\.deadline)
    if let joining { deadlines.append(joining.deadline) }
    if let invitationEnd { deadlines.append(invitationEnd) }
    if let check = timekeeper.nextCheck { deadlines.append(check) }
    deadlines += pendingSpends.map(\.deadline)
    if let rebalanceDue { deadlines.append(rebalanceDue) }
    if isOnline, !isRemoved, !holdings.isCloned, let dial = dialler.nextDeadline(except: sessions.isConnected)
    {
      deadlines.append(dial)
    }
    return deadlines.min()
  }

  mutating func checkDeadlines(now: Now, _ effects: inout Effects) {
    for session in sessions.all where !session.isEnding && session.deadline <= now.monotonic {
      if !session.isReady {
        if let dialled = session.dialled { dialler.stalled(at: dialled) }
        end(session.id, .handshakeTimeout, &effects)
      } else if session.times.isSilent(at: now.monotonic) {
        if let device = session.device { dialler.silent(device) }
        end(session.id, .silence, &effects)
      } else {
        beat(session.id, now: now, &effects)
      }
    }
    if let joining, joining.deadline <= now.monotonic { failJoining(.unreachable, &effects) }
    checkInvitation(now: now, &effects)
    checkTime(now, &effects)
  }

  /// Notes which of the messages that are about to be sent the peer owes an answer to.
  mutating func noteWanting(_ messages: [(SessionID, Message)], now: Now) {
    for (id, message) in messages where message.wantsAnswer {
      _ = sessions.update(id) { $0.times.noteWanting(at: now.monotonic) }
    }
  }

  private mutating func beat(_ id: SessionID, now: Now, _ effects: inout Effects) {
    let next = now.monotonic + beatInterval()
    _ = sessions.update(id) { $0.times.nextBeat = next }
    probe(id, &effects)
    if sessions.flow(id)?.clock.isDue(at: now.monotonic) == true { askTime(id, now: now, &effects) }
  }

  /// The time to the next beat: a tenth more or less than the limit says, so that beats do not bunch.
  mutating func beatInterval() -> UInt64 {
    let spread = Limits.beatMilliseconds / 10
    return Limits.beatMilliseconds - spread + random.next() % (2 * spread + 1)
  }
}

extension Message {
  /// Whether every peer answers it, whatever it makes of it.
  fileprivate var wantsAnswer: Bool {
    switch self {
    case .summary(let summary): summary.isProbe
    case .commit: true
    default: false
    }
  }
}

extension Session {
  /// When something has to happen on the session unless something comes.
  fileprivate var deadline: UInt64 { times.deadline(isReady: isReady) }
}

// Addresses and timers.
extension Engine {
  mutating func start(listening address: Address?, peers: [Address], now: Now, _ effects: inout Effects) {
    if let address, let stamp = try? clock.tick(now: now.wall) {
      listening = AddressEntry(device: identity.device, address: address, stamp: stamp)
    }
    for peer in peers { dialler.addStatic(peer) }
    let key = RegisterKey.member(identity.device).encoded
    if replica.register(key) == nil {
      let member = Member(name: identity.name, joined: now.wall)
      _ = write([LocalWrite(key: key, value: member.encoded)], now: now, &effects)
    }
    effects.changed = true
  }

  // MARK: Addresses

  /// Keeps an entry of the address book that is newer than what is known.
  ///
  /// - Returns: whether it was.
  @discardableResult mutating func remember(_ entry: AddressEntry) -> Bool {
    if let known = addressBook[entry.device] {
      guard known.stamp < entry.stamp else { return false }
    } else if addressBook.count >= Limits.addresses {
      return false
    }
    addressBook[entry.device] = entry
    dialler.set(entry.address, of: entry.device)
    return true
  }

  mutating func learn(_ entries: [AddressEntry], from id: SessionID, now: Now, _ effects: inout Effects) {
    // An entry from the future would never be replaced.
    let ceiling = Stamp(now.wall.advanced(byMilliseconds: Limits.clockDriftMilliseconds), counter: .max)
    let candidates = entries.filter { $0.device != identity.device && $0.stamp <= ceiling }
    let news = credible(candidates, from: id).filter { remember($0) }
    guard !news.isEmpty else { return }
    effects.durable.addresses += news
    for other in sessions.ready where other != id && hasRoom(on: other) {
      send(.addresses(news), on: other, &effects)
    }
  }

  /// The entries of devices that are members or are known, and a few others: their members' registers may still be on
  /// the way. So nobody fills the book with devices that do not exist.
  private mutating func credible(_ entries: [AddressEntry], from id: SessionID) -> [AddressEntry] {
    guard let session = sessions[id] else { return [] }
    let isStranger = { [self] (entry: AddressEntry) in
      addressBook[entry.device] == nil && entry.device != session.device && !isMember(entry.device)
    }
    guard entries.contains(where: isStranger) else { return entries }
    let strangers = addressBook.keys.count { !isMember($0) }
    var room = min(
      Limits.strangersAddresses - strangers, Limits.strangersAddressesTold - session.strangersTold)
    let credible = entries.filter { entry in
      guard isStranger(entry) else { return true }
      room -= 1
      return room >= 0
    }
    let told = credible.count(where: isStranger)
    _ = sessions.update(id) { $0.strangersTold += told }
    return credible
  }

  mutating func tellAddresses(on id: SessionID, _ effects: inout Effects) {
    let device = sessions[id]?.device
    let entries = addressBook.values.filter { $0.device != device }.sorted { $0.device < $1.device }
    if !entries.isEmpty { send(.addresses(entries), on: id, &effects) }
  }

  // MARK: Dialling

  mutating func dialDue(now: Now, _ effects: inout Effects) {
    effects.dials += dialler.due(at: now.monotonic, except: isConnected)
  }

  func isConnected(_ device: DeviceID) -> Bool {
    sessions.all.contains { $0.device == device && $0.phase != .ending }
  }

  mutating func unreachable(_ address: Address, now: Now, _ effects: inout Effects) {
    if joining?.address == address, joining?.session == nil { failJoining(.unreachable, &effects) }
    dialler.failed(address, at: now.monotonic, random: random.next())
  }

  // MARK: Timers

  /// When, on the monotonic clock, ``Event/deadline`` is due; nil: nothing waits for time.
  package var nextDeadline: UInt64? {
    var deadlines = sessions.all.filter { $0.phase != .ending }.map(\.deadline)
    if let joining { deadlines.append(joining.deadline) }
    if isOnline, let dial = dialler.nextDeadline(except: isConnected) { deadlines.append(dial) }
    return deadlines.min()
  }

  mutating func checkDeadlines(now: Now, _ effects: inout Effects) {
    for session in sessions.all where session.phase != .ending && session.deadline <= now.monotonic {
      if !session.isReady {
        end(session.id, .handshakeTimeout, &effects)
      } else if session.silenceDeadline <= now.monotonic {
        end(session.id, .silence, &effects)
      } else {
        beat(session.id, now: now, &effects)
      }
    }
    if let joining, joining.deadline <= now.monotonic { failJoining(.unreachable, &effects) }
  }

  private mutating func beat(_ id: SessionID, now: Now, _ effects: inout Effects) {
    let next = now.monotonic + beatInterval()
    _ = sessions.update(id) { $0.nextBeat = next }
    probe(id, &effects)
  }

  /// The time to the next beat: a tenth more or less than the limit says, so that beats do not bunch.
  mutating func beatInterval() -> UInt64 {
    let spread = Limits.beatMilliseconds / 10
    return Limits.beatMilliseconds - spread + random.next() % (2 * spread + 1)
  }
}

extension Session {
  /// When something has to happen on the session unless something comes.
  fileprivate var deadline: UInt64 {
    guard isReady else { return handshakeDeadline }
    return min(silenceDeadline, nextBeat ?? .max)
  }
}

// Where devices listen: this one, and what members tell of each other.
extension PeerNetwork {
  /// Where this device says that it can be reached; nil: nowhere.
  package var announced: KnownPeer.Listening? {
    announcesAddresses ? listening.flatMap { $0.addresses.isEmpty ? nil : $0 } : nil
  }

  /// Where other devices listen.
  package var addressBook: [KnownPeer.Listening] {
    known.values.compactMap(\.listening).sorted { $0.device < $1.device }
  }

  /// Takes note of what the disk kept of other devices.
  package mutating func remember(
    _ addresses: [KnownPeer.Listening], _ contacts: [KnownPeer.Contact], in group: MembershipGroup
  ) {
    for entry in addresses where entry.device != device { remember(entry) }
    for contact in contacts where group.members.contains(where: { $0.id == contact.device }) {
      var peer = known[contact.device] ?? KnownPeer()
      (peer.seen, peer.savedSeen) = (contact.seen, contact.seen)
      // Of a device that was met the disk keeps its own word.
      peer.own = peer.listening
      known[contact.device] = peer
    }
  }

  /// The stamps of all these.
  var stamps: [Stamp] { addressBook.map(\.stamp) + [listening?.stamp].compactMap(\.self) }

  /// Keeps an entry of the address book that is newer than what is known.
  ///
  /// - Returns: whether it was.
  @discardableResult package mutating func remember(_ entry: KnownPeer.Listening) -> Bool {
    if let known = known[entry.device]?.listening {
      guard known.stamp < entry.stamp else { return false }
    } else if known.values.count(where: { $0.listening != nil }) >= Limits.addresses {
      return false
    }
    known[entry.device, default: KnownPeer()].listening = entry
    dial(entry.device)
    return true
  }

  /// Keeps what a device says of itself, beside what others say of it.
  ///
  /// - Returns: whether it has said something else before
  private mutating func rememberOwn(_ entry: KnownPeer.Listening) -> Bool {
    guard let peer = known[entry.device], peer.listening != nil, peer.own != entry else { return false }
    known[entry.device]?.own = entry
    dial(entry.device)
    return true
  }

  /// Has a device dialled wherever it may be.
  private mutating func dial(_ device: DeviceID) {
    let (newest, own) = (known[device]?.listening?.addresses ?? [], known[device]?.own?.addresses ?? [])
    dialler.set(own, hearsay: newest, of: device)
  }

  /// - Parameter speaker: the device that says so
  package mutating func learn(
    _ entries: [KnownPeer.Listening], of speaker: DeviceID?, from id: SessionID, in group: MembershipGroup,
    _ holdings: inout Holdings,
    at moment: Moment, _ effects: inout Effects
  ) {
    // Of members only: nobody fills the book with devices that do not exist. An entry from the future would never be
    // replaced: it counts as the oldest.
    let members = Set(group.members.map(\.id)).subtracting([device])
    let ceiling = moment.ceiling
    let candidates = entries.filter { members.contains($0.device) }.compactMap(\.passable)
      .map { $0.stamp <= ceiling ? $0 : $0.weak }
    var (news, kept): ([KnownPeer.Listening], [KnownPeer.Listening]) = ([], [])
    for entry in candidates {
      let isNews = remember(entry)
      if isNews { news.append(entry) }
      let isKept =
        speaker == entry.device ? rememberOwn(entry) : isNews && known[entry.device]?.own == nil
      if isKept { kept.append(entry) }
    }
    defend(against: entries, &holdings, at: moment, &effects)
    effects.durable.append(.addresses(kept))
    spread(news, except: id)
  }

  /// Tells every peer but the one that has said so. Those over whose sessions no data flows yet, and those whose queues are full, are told
  /// once that is otherwise: what is left out here would never be said again.
  private mutating func spread(_ news: [KnownPeer.Listening], except source: SessionID?) {
    guard !news.isEmpty else { return }
    for session in sessions.all where session.id != source {
      _ = sessions.update(session.id) { $0.untoldAddresses.formUnion(news.map(\.device)) }
    }
  }

  /// Tells peers that can be told now where devices listen of which they have not heard since that changed: not every word of a member
  /// that says something else all the time, for they would take that for this device's.
  package mutating func tellNewAddresses(now: Now, _ effects: inout Effects) {
    for id in sessions.ready {
      guard let untold = sessions[id]?.untoldAddresses, !untold.isEmpty else { continue }
      let hasRoom = hasRoom(on: id)
      guard sessions.update(id, { $0.times.tell(at: now.monotonic, hasRoom: hasRoom) }) == true else {
        continue
      }
      _ = sessions.update(id) { $0.untoldAddresses = [] }
      let entries = untold.sorted().compactMap { $0 == device ? announced : known[$0]?.listening }
      tell(entries, on: id, &effects)
    }
  }

  private mutating func tell(
    _ entries: [KnownPeer.Listening], on id: SessionID, _ effects: inout Effects
  ) {
    for first in stride(from: 0, to: entries.count, by: Limits.addressEntries) {
      let part = entries[first..<min(first + Limits.addressEntries, entries.count)]
      send(.addresses(Array(part)), on: id, &effects)
    }
  }

  package mutating func tellAddresses(on id: SessionID, _ effects: inout Effects) {
    guard let peer = sessions[id]?.peer else { return }
    // Its own only if that is not where it says to listen now: then it says so anew, and later.
    let listening = peer.hello.listening
    let entries = addressBook.filter { $0.device != peer.device || listening != nil && $0 != listening }
    tell(entries, on: id, &effects)
    // That is all of it, but for where this device listens: that may have changed since its hello.
    _ = sessions.update(id) { $0.untoldAddresses.formIntersection([device]) }
  }
}

// This device's own addresses.
extension PeerNetwork {
  /// Says where this device can be reached from now on. The entry is kept as well, so that the next one is stamped later whatever
  /// the clock says then. On no network there is nothing to say, and nobody to say it to.
  package mutating func listen(
    at addresses: [Address], _ holdings: inout Holdings, wall: Instant, _ effects: inout Effects
  ) {
    guard let stamp = try? holdings.clock.tick(now: wall) else { return }
    let entry = KnownPeer.Listening(
      device: self.device, addresses: announceable(addresses), stamp: stamp)
    listening = entry
    guard announced != nil else { return }
    effects.durable.append(.addresses([entry]))
    spread([entry], except: nil)
  }

  /// Those of some addresses that peers take, in their order.
  package func announceable(_ addresses: [Address]) -> [Address] {
    var (fit, bytes): ([Address], Int) = ([], 0)
    for address in addresses where !address.isLinkLocal && !fit.contains(address) {
      bytes += address.description.utf8.count
      guard fit.count < Limits.deviceAddresses, bytes <= Limits.deviceAddressBytes else { break }
      fit.append(address)
    }
    return fit
  }

  /// An older entry of this device that others hold and that would win over its present one: one that a device with this
  /// key announced before its disk was lost, or before its clock was turned back. Says it anew, and later.
  private mutating func defend(
    against entries: [KnownPeer.Listening], _ holdings: inout Holdings, at moment: Moment,
    _ effects: inout Effects
  ) {
    guard let listening = announced,
      let rival = entries.last(where: {
        $0.device == device && $0.stamp >= listening.stamp && $0 != listening
      }), rival.stamp <= moment.ceiling
    else { return }
    holdings.observe(rival.stamp, at: moment.present)
    listen(at: listening.addresses, &holdings, wall: moment.wall, &effects)
  }

  /// Entries from the future would never be replaced: they stay good until any other comes.
  package mutating func correctAddresses(
    beyond ceiling: Stamp, _ holdings: inout Holdings, wall: Instant, _ effects: inout Effects
  ) {
    for entry in addressBook {
      let own = known[entry.device]?.own
      if entry.stamp > ceiling { known[entry.device]?.listening = entry.weak }
      if let own, own.stamp > ceiling { known[entry.device]?.own = own.weak }
      let kept = own ?? entry
      if kept.stamp > ceiling { effects.durable.append(.addresses([kept.weak])) }
    }
    if let listening, listening.stamp > ceiling {
      listen(at: listening.addresses, &holdings, wall: wall, &effects)
    }
  }
}

// When members were last heard from.
extension PeerNetwork {
  /// Keeps when members were last heard from: with a transaction that happens anyway, or with one of its own now and
  /// then. The first contact is kept at once; after a crash a later one may be forgotten that was made within
  /// ``Limits/timeKeptMilliseconds``.
  package mutating func keepContacts(_ effects: inout Effects) {
    let least = effects.durable.isEmpty ? Limits.timeKeptMilliseconds : Limits.timeKeptAlongMilliseconds
    // After every event: usually there is nothing to sort.
    guard known.values.contains(where: { $0.unsavedContact(after: least) != nil }) else { return }
    for (device, peer) in known.sorted(by: { $0.key < $1.key }) {
      guard let seen = peer.unsavedContact(after: least) else { continue }
      known[device]?.savedSeen = seen
      effects.durable.append(.contacts([KnownPeer.Contact(device: device, seen: seen)]))
    }
  }
}

// Stamps that a wrong clock has made. Whoever is asked to take them holds them back and says so; once two clocks agree that
// they lie in the future, their author decides the same again, stamped as of now. That comes as an ordinary write, and
// nobody waits for the time to catch up [B23], [B25]. Who took them while its clock was wrong as well holds them back from then on;
// until a second clock has agreed they stay in their registers and do not count (``Counting``).
extension Engine {
  // MARK: Holding back

  /// Tells whoever sent decisions that are stamped too far ahead. Now and then, however many messages bring such writes: the
  /// peer looks at all its stamps at once.
  mutating func tellHeldBack(
    _ outcome: MergeOutcome, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let flow = sessions.flow(id) else { return }
    let held = HeldBack(
      wall: now.wall, writes: UInt64(outcome.heldBack), stamp: outcome.heldBackStamp,
      latest: outcome.heldBackLatest.entries)
    if flow.clock.heldBackHere?.latest != held.latest { effects.changed = true }
    let isDue = sessions.flow(id) { $0.clock.holdBack(held, at: now.monotonic) }
    guard isDue == true else { return }
    effects.notices.append(.heldBack(flow.peer.device, writes: outcome.heldBack))
    send(.heldBack(held), on: id, &effects)
  }

  mutating func receive(_ held: HeldBack, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let flow = sessions.flow(id) else { return }
    let device = flow.peer.device
    if held.latest.contains(where: { $0.replica == holdings.replica.id }) {
      if flow.clock.heldBackThere?.latest != held.latest {
        let ahead = held.stamp.lead(over: held.wall)
        effects.notices.append(.heldBackThere(device, writes: held.writes, ahead: ahead))
        effects.changed = true
      }
      sessions.flow(id) { $0.clock.heldBackThere = held }
    }
    // All registers are read for it.
    let isTold =
      held.latest.contains(where: holdings.replica.vector.contains) && hasScanBudget(for: device, now: now)
    correctStamps(wrongTo: held.wall, isTold: isTold, now: now, &effects)
  }

  // MARK: Stamping anew

  /// Decides anew what this device has decided under stamps that lie in the future by its own wall clock and by another one, and
  /// holds back what it has taken of others under such stamps. One clock alone tells nothing: whoever finds it behind would take
  /// right stamps for wrong ones.
  ///
  /// Of its own decisions trusted time plays no part: a floor that is ahead must not keep stamps ahead as well. What others have
  /// decided is held back only when it is ahead of that too: two clocks may be behind alike, and nobody else may be left who has it.
  ///
  /// - Parameter isTold: whether a peer holds such writes back that are here: they may be of an earlier life of any device
  mutating func correctStamps(
    wrongTo other: Instant, isTold: Bool = false, now: Now, _ effects: inout Effects
  ) {
    let ceiling = Stamp.ceiling(at: max(now.wall, other))
    guard isTold || holdings.mayStampAhead(of: ceiling) else { return }
    holdings.seal()
    let addresses = addressBook.map(\.stamp) + [listening?.stamp].compactMap(\.self)
    let wrong = holdings.takeWrongStamps(
      beyond: ceiling, trusted: moment(now).ceiling, beside: addresses)
    correctAddresses(beyond: ceiling, now: now, &effects)
    let anew = holdings.stampAnew(wrong.own, wall: now.wall, &effects)
    if anew > 0 {
      timekeeper.stampedAnew += anew
      effects.notices.append(.stampedAnew(writes: anew))
    }
    if !wrong.others.isEmpty {
      holdings.holdBack(wrong.others, &effects)
      compareAnew(&effects)
    } else if anew > 0 {
      // Those who held the old writes back could not claim them: let them ask for the rest.
      for id in sessions.ready { probe(id, &effects) }
    }
  }

  /// The vector has fallen: all sessions compare anew.
  mutating func compareAnew(_ effects: inout Effects) {
    for device in knownPeers.keys { knownPeers[device]?.common = nil }
    endMeetings(&effects)
  }

  /// Entries from the future would never be replaced: they stay good until any other comes.
  private mutating func correctAddresses(beyond ceiling: Stamp, now: Now, _ effects: inout Effects) {
    for entry in addressBook where entry.stamp > ceiling {
      knownPeers[entry.device]?.listening = entry.weak
      effects.durable.append(.addresses([entry.weak]))
    }
    if let listening, listening.stamp > ceiling { listen(at: listening.addresses, now: now, &effects) }
  }

  // MARK: The device's own addresses

  /// Says where this device can be reached from now on. The entry is kept as well, so that the next one is stamped later whatever
  /// the clock says then. On no network there is nothing to say, and nobody to say it to.
  mutating func listen(at addresses: [Address], now: Now, _ effects: inout Effects) {
    guard let stamp = try? holdings.clock.tick(now: now.wall) else { return }
    let entry = KnownPeer.Listening(
      device: identity.device, addresses: announceable(addresses), stamp: stamp)
    listening = entry
    guard announced != nil else { return }
    effects.durable.append(.addresses([entry]))
    for id in sessions.ready where hasRoom(on: id) { send(.addresses([entry]), on: id, &effects) }
  }

  /// Those of some addresses that peers take, in their order.
  func announceable(_ addresses: [Address]) -> [Address] {
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
  mutating func defend(against entries: [KnownPeer.Listening], now: Now, _ effects: inout Effects) {
    guard let listening = announced,
      let rival = entries.last(where: {
        $0.device == identity.device && $0.stamp >= listening.stamp && $0 != listening
      }), rival.stamp <= moment(now).ceiling
    else { return }
    holdings.observe(rival.stamp, at: moment(now).present)
    listen(at: listening.addresses, now: now, &effects)
  }
}

// What time it is: evidence, the floor on the disk, a clock that is set, and the clocks of peers.
extension Engine {
  /// What time it is and who says so, with all that the store has signed taken into account.
  package mutating func time(at now: Now) -> TimeReading {
    holdings.time(at: now, by: &timekeeper)
  }

  /// Reads the clocks, before anything else is done, and notices when somebody has set the wall clock.
  mutating func readClocks(_ now: Now, _ effects: inout Effects) {
    let isFirst = timekeeper.nextCheck == nil
    let jump = timekeeper.read(now)
    if isFirst { holdings.observeRegisters(at: moment(now).present) }
    guard let jump else { return }
    effects.notices.append(.clockSet(milliseconds: jump))
    effects.changed = true
    for id in network.sessions.ready {
      network.sessions.flow(id) { $0.clock.shift(by: jump) }
      network.askTime(id, now: now, &effects)
    }
  }

  /// Looks at what the store has signed, so that the floor moves on although nobody asks.
  mutating func checkTime(_ now: Now, _ effects: inout Effects) {
    if timekeeper.takeCheck(now) { _ = time(at: now) }
  }

  /// Keeps the time: with a transaction that happens anyway, or with one of its own now and then.
  mutating func keepTime(_ now: Now, _ effects: inout Effects) {
    let isAlongside = !effects.durable.isEmpty
    if let kept = timekeeper.takeToKeep(at: now, isAlongside: isAlongside) {
      effects.durable.append(.time(kept))
    }
  }

  /// Has this device's clock count against what peers have vouched for: a person says that it is right.
  mutating func acceptTime(now: Now, _ effects: inout Effects) -> Answer {
    guard timekeeper.trusted.mayAccept else { return .refused(.mayNotAccept) }
    let lead = timekeeper.accept(after: holdings.replica.lastDot, at: now)
    effects.notices.append(.timeAccepted(milliseconds: lead))
    effects.changed = true
    // Those whose clocks agree vouch for the time anew.
    for id in network.sessions.ready { network.askTime(id, now: now, &effects) }
    return .done(changed: 0)
  }

  // MARK: Clocks of peers

  mutating func receive(_ reading: ClockReading, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let flow = network.sessions.flow(id) else { return }
    if reading.isAnswer { return takeTime(reading, on: id, now: now, &effects) }
    let answer = ClockReading(isAnswer: true, question: reading.question, wall: now.wall)
    network.send(.time(answer), on: id, &effects)
    guard flow.clock.isDue(onHearing: reading.wall, at: now) else { return }
    network.askTime(id, now: now, &effects)
  }

  private mutating func takeTime(
    _ answer: ClockReading, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    let known = network.sessions.flow(id)?.clock
    guard let wall = network.sessions.flow(id, { $0.clock.take(answer, at: now) }) ?? nil,
      let clock = network.sessions.flow(id)?.clock, let device = network.sessions[id]?.device
    else { return }
    timekeeper.trusted.note(wall, of: device, at: now)
    withdrawBounds(now: now, &effects)
    if let skew = clock.skew, clock.differs, known?.differs != true {
      effects.notices.append(.clocksDiffer(device, milliseconds: skew))
    }
    if clock.skew != known?.skew { effects.changed = true }
    correctStamps(wrongTo: wall, now: now, &effects)
  }

  /// Lowers what peers vouched for by clocks that were wrong, once they are right.
  private mutating func withdrawBounds(now: Now, _ effects: inout Effects) {
    let clocks = network.sessions.flows.compactMap { flow in
      flow.clock.skew.map { (device: flow.peer.device, wall: now.wall.advanced(byMilliseconds: $0)) }
    }
    for fallen in timekeeper.withdraw(clocks, after: holdings.replica.lastDot, at: now) {
      effects.notices.append(.timeWithdrawn(fallen.supplier, milliseconds: fallen.lead))
      effects.changed = true
    }
  }
}

// Stamps that a wrong clock has made. Whoever is asked to take them holds them back and says so; once two clocks agree that
// they lie in the future, and nobody has vouched for that time, their author decides the same again, stamped as of now. That comes as an ordinary write, and
// nobody waits for the time to catch up [B23], [B25]. Who took them while its clock was wrong as well holds them back from then on;
// until a second clock has agreed they stay in their registers and do not count (``Counting``).
extension Engine {
  // MARK: Holding back

  /// Tells whoever sent decisions that are stamped too far ahead. Now and then, however many messages bring such writes: the
  /// peer looks at all its stamps at once.
  mutating func tellHeldBack(
    _ outcome: MergeOutcome, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let flow = network.sessions.flow(id) else { return }
    let held = HeldBack(
      wall: now.wall, writes: UInt64(outcome.heldBack), stamp: outcome.heldBackStamp,
      latest: outcome.heldBackLatest.entries)
    if flow.clock.heldBackHere?.latest != held.latest { effects.changed = true }
    let isDue = network.sessions.flow(id) { $0.clock.holdBack(held, at: now.monotonic) }
    guard isDue == true else { return }
    effects.notices.append(.heldBack(flow.peer.device, writes: outcome.heldBack))
    network.send(.heldBack(held), on: id, &effects)
  }

  mutating func receive(_ held: HeldBack, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let flow = network.sessions.flow(id) else { return }
    let device = flow.peer.device
    if held.latest.contains(where: { $0.replica == holdings.replica.id }) {
      if flow.clock.heldBackThere?.latest != held.latest {
        let ahead = held.stamp.lead(over: held.wall)
        effects.notices.append(.heldBackThere(device, writes: held.writes, ahead: ahead))
        effects.changed = true
      }
      network.sessions.flow(id) { $0.clock.heldBackThere = held }
    }
    // All registers are read for it. Whoever was damaged may have such writes and claim none of them.
    let isHere = held.latest.contains { holdings.replica.known(of: $0.replica) >= $0.sequence }
    let isTold = isHere && network.hasScanBudget(for: device, now: now)
    correctStamps(wrongTo: held.wall, isTold: isTold, now: now, &effects)
  }

  // MARK: Stamping anew

  /// Decides anew what this device has decided under stamps that lie in the future by its own wall clock, by another one, and by
  /// all that was vouched for, and holds back what it has taken of others under such stamps. One clock alone tells nothing, and
  /// two may be behind alike: whoever goes by these alone takes right stamps for wrong ones, and older decisions of a third win
  /// for good. What clocks that were ahead alike have vouched for is withdrawn first (``TrustedTime/withdraw(_:at:)``). What a
  /// simulated store has signed bears out nothing: it may be dated by the very clock that made the stamps.
  ///
  /// - Parameter isTold: whether a peer holds such writes back that are here: they may be of an earlier life of any device
  mutating func correctStamps(
    wrongTo other: Instant, isTold: Bool = false, now: Now, _ effects: inout Effects
  ) {
    let borneOut = timekeeper.trusted.borneOut(in: identity.environment, at: now)
    let ceiling = Stamp.ceiling(at: max(borneOut, other))
    guard isTold || holdings.mayStampAhead(of: ceiling) else { return }
    holdings.seal()
    let wrong = holdings.takeWrongStamps(beyond: ceiling, beside: network.stamps)
    network.correctAddresses(beyond: ceiling, &holdings, wall: now.wall, &effects)
    // A later life has decided under other clocks.
    let kept = timekeeper.trusted.fallen
    let fallen = kept?.last.replica == holdings.replica.id ? kept : nil
    let anew = holdings.stampAnew(wrong, after: fallen, wall: now.wall, &effects)
    if anew > 0 {
      timekeeper.stampedAnew += anew
      effects.notices.append(.stampedAnew(writes: anew))
    }
    if !wrong.others.isEmpty {
      holdBack(wrong.others, after: fallen, now: now, &effects)
    } else if anew > 0 {
      // Those who held the old writes back could not claim them: let them ask for the rest.
      for id in network.sessions.ready { network.oweProbe(id) }
    }
  }

  /// Takes out what others have decided under wrong stamps: they decide it anew. Of a device that is no member any more nobody else does.
  private mutating func holdBack(
    _ ahead: [Write], after fallen: FallenBounds?, now: Now, _ effects: inout Effects
  ) {
    let counting = holdings.ledgerCache.counting
    let members = Set(group.members.map(\.key))
    func isOfMember(_ write: Write) -> Bool {
      holdings.replica.incarnation(of: write.dot.replica).map { members.contains($0.key) } ?? true
    }
    let gone = ahead.filter { !isOfMember($0) && counting.includes(decided: $0.dot) }
    timekeeper.note(takenOut: ahead.filter(isOfMember))
    holdings.holdBack(ahead, &effects)
    network.compareAnew(&holdings, &effects)
    guard !gone.isEmpty, !isRemoved else { return }
    // What was taken out counts no more.
    countDecisions(now: now)
    let writes = holdings.decide(inPlaceOf: gone, after: fallen, at: moment(now), &effects)
    if writes > 0 { effects.notices.append(.decidedInPlace(writes: writes)) }
  }
}

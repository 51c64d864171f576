// What time it is: evidence, the floor on the disk, a clock that is set, and the clocks of peers.
extension Engine {
  /// What time it is and who says so, with all that the store has signed taken into account.
  package mutating func time(at now: Now) -> TimeReading {
    let limit = timekeeper.trusted.storeLimit(in: identity.environment, at: now)
    if let signed = holdings.ledger({ $0.newestSignedDate(upTo: limit) }) {
      timekeeper.trusted.note(signed: signed, at: now)
    }
    return timekeeper.trusted.reading(at: now)
  }

  /// Reads the clocks, before anything else is done, and notices when somebody has set the wall clock.
  mutating func readClocks(_ now: Now, _ effects: inout Effects) {
    let isFirst = timekeeper.nextCheck == nil
    let jump = timekeeper.read(now)
    if isFirst { holdings.observeRegisters(at: moment(now).present) }
    guard let jump else { return }
    effects.notices.append(.clockSet(milliseconds: jump))
    effects.changed = true
    for id in sessions.ready {
      sessions.flow(id) { $0.clock.shift(by: jump) }
      askTime(id, now: now, &effects)
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
    effects.notices.append(.timeAccepted(milliseconds: timekeeper.accept(at: now)))
    effects.changed = true
    // Those whose clocks agree vouch for the time anew.
    for id in sessions.ready { askTime(id, now: now, &effects) }
    return .done(changed: 0)
  }

  // MARK: Clocks of peers

  /// Whether the clocks of this device and a peer were measured and differ by more than the drift that is allowed.
  func clocksDiffer(on id: SessionID) -> Bool { sessions.flow(id)?.clock.differs ?? false }

  mutating func askTime(_ id: SessionID, now: Now, _ effects: inout Effects) {
    guard let question = sessions.flow(id, { $0.clock.ask(at: now.monotonic) }) else { return }
    send(.time(ClockReading(isAnswer: false, question: question, wall: now.wall)), on: id, &effects)
  }

  mutating func receive(_ reading: ClockReading, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let flow = sessions.flow(id) else { return }
    if reading.isAnswer { return takeTime(reading, on: id, now: now, &effects) }
    let answer = ClockReading(isAnswer: true, question: reading.question, wall: now.wall)
    send(.time(answer), on: id, &effects)
    guard flow.clock.isDue(onHearing: reading.wall, at: now) else { return }
    askTime(id, now: now, &effects)
  }

  private mutating func takeTime(
    _ answer: ClockReading, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    let known = sessions.flow(id)?.clock
    guard let wall = sessions.flow(id, { $0.clock.take(answer, at: now) }) ?? nil,
      let clock = sessions.flow(id)?.clock, let device = sessions[id]?.device
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
    let clocks = sessions.flows.compactMap { flow in
      flow.clock.skew.map { (device: flow.peer.device, wall: now.wall.advanced(byMilliseconds: $0)) }
    }
    for fallen in timekeeper.withdraw(clocks, at: now) {
      effects.notices.append(.timeWithdrawn(fallen.supplier, milliseconds: fallen.lead))
      effects.changed = true
    }
  }
}

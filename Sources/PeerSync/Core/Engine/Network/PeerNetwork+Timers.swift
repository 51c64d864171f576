// What waits for time on sessions.
extension PeerNetwork {
  /// When something has to happen on a session, on the monotonic clock; nil: nothing does.
  var sessionDeadline: UInt64? {
    // By their places: a session that is handed over is copied.
    sessions.all.indices.lazy.compactMap { sessions.all[$0].isEnding ? nil : sessions.all[$0].deadline }.min()
  }

  /// Ends the sessions on which too little has come, and sends the beats that are due.
  package mutating func checkSessions(_ holdings: Holdings, now: Now, _ effects: inout Effects) {
    for session in sessions.all where !session.isEnding && session.deadline <= now.monotonic {
      if !session.isReady {
        if let dialled = session.dialled { dialler.stalled(at: dialled) }
        end(session.id, .handshakeTimeout, &effects)
      } else if session.times.isSilent(at: now.monotonic) {
        if let device = session.device { dialler.silent(device) }
        end(session.id, .silence, &effects)
      } else {
        if session.times.isReportDue(at: now.monotonic) {
          sessions.flow(session.id) { $0.comparison.owesReport = true }
        }
        if session.times.isBeatDue(at: now.monotonic) { beat(session.id, holdings, now: now, &effects) }
      }
    }
  }

  private mutating func beat(
    _ id: SessionID, _ holdings: Holdings, now: Now, _ effects: inout Effects
  ) {
    let next = now.monotonic + beatInterval()
    _ = sessions.update(id) { $0.times.noteBeat(next: next) }
    probe(id, holdings, &effects)
    if sessions.flow(id)?.clock.isDue(at: now.monotonic) == true { askTime(id, now: now, &effects) }
  }

  /// The time to the next beat: a tenth more or less than the limit says, so that beats do not bunch.
  package mutating func beatInterval() -> UInt64 {
    let spread = Limits.beatMilliseconds / 10
    return Limits.beatMilliseconds - spread + random.next() % (2 * spread + 1)
  }

  package mutating func askTime(_ id: SessionID, now: Now, _ effects: inout Effects) {
    guard let question = sessions.flow(id, { $0.clock.ask(at: now.monotonic) }) else { return }
    send(.time(ClockReading(isAnswer: false, question: question, wall: now.wall)), on: id, &effects)
  }

  /// Whether the clocks of this device and a peer were measured and differ by more than the drift that is allowed.
  package func clocksDiffer(on id: SessionID) -> Bool { sessions.flow(id)?.clock.differs ?? false }
}

extension Session {
  /// When something has to happen on the session unless something comes.
  fileprivate var deadline: UInt64 { times.deadline(isReady: isReady) }
}

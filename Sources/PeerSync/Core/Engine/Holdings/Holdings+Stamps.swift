// What time it is by what is held, and the stamps of what is decided.
extension Holdings {
  /// What time it is and who says so, with all that the store has signed taken into account.
  package mutating func time(at now: Now, by timekeeper: inout Timekeeper) -> TimeReading {
    let limit = timekeeper.trusted.storeLimit(in: ledgerCache.environment, at: now)
    if let signed = ledger({ $0.newestSignedDate(upTo: limit) }) {
      timekeeper.trusted.note(signed: signed, at: now)
    }
    return timekeeper.trusted.reading(at: now)
  }

  /// Takes note of a stamp that stands in a register, so that later ticks are greater.
  package mutating func observe(_ stamp: Stamp, at present: Instant) {
    try? clock.observe(stamp, now: present)
  }

  /// Takes note of the decisions of others that the disk kept, but for those that are stamped ahead.
  package mutating func observeRegisters(at present: Instant) {
    let ceiling = Stamp.ceiling(at: present)
    var greatest: Stamp?
    replica.registers.forEach { write in
      guard RegisterKind.isDecision(write.key), write.stamp <= ceiling else { return }
      greatest = max(greatest ?? write.stamp, write.stamp)
    }
    if let greatest { observe(greatest, at: present) }
  }

  /// Whether stamps may be ahead of a ceiling: this device's own, or those of decisions that do not count.
  package func mayStampAhead(of ceiling: Stamp) -> Bool { clock.last > ceiling || ledgerCache.mayLeaveOut }

  /// Decisions whose stamps are wrong.
  package struct WrongStamps {
    /// Those of this device, of each key the last one, in the order of the stamps: what was decided later stays later.
    package var own: [Write]
    /// All others with such stamps, those of this device's earlier lives among them, which it decides anew in this one.
    package var others: [Write]
  }

  /// Sets the clock back to the greatest right stamp.
  ///
  /// - Parameters:
  ///   - ceiling: the greatest right stamp
  ///   - stamps: those of what is kept beside the registers
  package mutating func takeWrongStamps(beyond ceiling: Stamp, beside stamps: [Stamp]) -> WrongStamps {
    var greatest = stamps.filter { $0 <= ceiling }.max() ?? Stamp(rawValue: 0)
    let lives = Set(replica.replicas(of: key))
    var others: [Write] = []
    var wrong: [[UInt8]: Write] = [:]
    replica.registers.forEach { write in
      guard RegisterKind.isDecision(write.key) else { return }
      guard write.stamp > ceiling else { return greatest = max(greatest, write.stamp) }
      let write = Write(write)
      let isOwn = lives.contains(write.dot.replica)
      if write.dot.replica != replica.id { others.append(write) }
      guard isOwn else { return }
      guard let known = wrong[write.key] else { return wrong[write.key] = write }
      // What this life has decided came last.
      let rank = (write.dot.replica == replica.id ? 1 : 0, write.stamp, write.dot)
      if rank > (known.dot.replica == replica.id ? 1 : 0, known.stamp, known.dot) { wrong[write.key] = write }
    }
    clock = HybridLogicalClock(last: greatest)
    let own = wrong.values.filter { $0.dot.replica == replica.id || replica.ownValue($0.key) == nil }
    return WrongStamps(
      own: own.sorted { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) },
      others: others.sorted { $0.register < $1.register })
  }

  /// Decides the same again, stamped as of now; or, where it is known by how much the time was ahead that had borne the stamps out, as
  /// of when it was decided: so what several devices decided while they were ahead alike keeps its order. Each is greater than every right
  /// stamp that was taken before.
  ///
  /// - Parameter lead: in milliseconds; nil: not known
  /// - Returns: how many decisions were stamped anew
  package mutating func stampAnew(
    _ own: [Write], ahead lead: Int64? = nil, wall: Instant, _ effects: inout Effects
  ) -> Int {
    var won = WriteBatch()
    for write in own {
      let meant = lead.flatMap { write.stamp.time(ahead: $0) } ?? wall
      guard let stamp = try? clock.tick(now: min(meant, wall)) else { break }
      if let made = replica.write(key: write.key, stamp: stamp, value: write.value) { won.append(made) }
    }
    publish(won, &effects)
    return won.count
  }

  /// Holds back what was taken of others.
  package mutating func holdBack(_ ahead: [Write], _ effects: inout Effects) {
    seal()
    replica.holdBack(ahead)
    drop(ahead.map(\.register), &effects)
  }

  /// Whether something that this device has decided is stamped ahead of a clock.
  package func decides(aheadOf wall: Instant) -> Bool {
    let ceiling = Stamp.ceiling(at: wall)
    var isAhead = false
    replica.registers.forEach { write in
      if write.stamp > ceiling, write.replica == replica.id, RegisterKind.isDecision(write.key) {
        isAhead = true
      }
    }
    return isAhead
  }
}

extension Stamp {
  /// When a clock has made it that was ahead by so many milliseconds; nil where its counter says that it only follows another stamp,
  /// as all do that are made once the clock is right again.
  fileprivate func time(ahead lead: Int64) -> Instant? {
    guard self == Stamp(rawValue: milliseconds << 16) else { return nil }
    return Instant(clamping: time.milliseconds.subtractingClamped(lead))
  }

  /// The greatest stamp within the drift that is allowed.
  package static func ceiling(at now: Instant) -> Stamp {
    Stamp(now.advanced(byMilliseconds: Limits.clockDriftMilliseconds), counter: .max)
  }
}

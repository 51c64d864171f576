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

  /// Takes note of a decision that has come into the registers.
  mutating func hold(_ stamp: Stamp, at present: Instant) {
    greatestHeld = max(greatestHeld, stamp)
    observe(stamp, at: present)
  }

  /// The same of one that later ticks are to be greater than, however far ahead it is.
  mutating func holdAnyway(_ stamp: Stamp) {
    greatestHeld = max(greatestHeld, stamp)
    clock = HybridLogicalClock(last: max(clock.last, stamp))
  }

  /// Takes note of the decisions of others that the disk kept, but for those that are stamped ahead.
  package mutating func observeRegisters(at present: Instant) {
    let ceiling = Stamp.ceiling(at: present)
    guard greatestHeld > ceiling else { return observe(greatestHeld, at: present) }
    var greatest: Stamp?
    replica.registers.forEach { write in
      guard RegisterKind.isDecision(write.key), write.stamp <= ceiling else { return }
      greatest = max(greatest ?? write.stamp, write.stamp)
    }
    if let greatest { observe(greatest, at: present) }
  }

  /// Whether stamps may be ahead of a ceiling: the next ones of this device, or those of decisions in the registers.
  package func mayStampAhead(of ceiling: Stamp) -> Bool { max(clock.last, greatestHeld) > ceiling }

  /// Decisions whose stamps are wrong.
  package struct WrongStamps {
    /// Those of this device, of each key the last one, in the order of the stamps: what was decided later stays later.
    package var own: [Write]
    /// All others with such stamps, those of this device's earlier lives among them, which it decides anew in this one.
    package var others: [Write]
    /// The greatest right stamp of this device's decisions.
    package var greatestOwn: Stamp

    var isEmpty: Bool { own.isEmpty && others.isEmpty }
  }

  /// Sets the clock back to the greatest right stamp.
  ///
  /// - Parameters:
  ///   - ceiling: the greatest right stamp
  ///   - stamps: those of what is kept beside the registers
  package mutating func takeWrongStamps(beyond ceiling: Stamp, beside stamps: [Stamp]) -> WrongStamps {
    var greatest = stamps.filter { $0 <= ceiling }.max() ?? Stamp(rawValue: 0)
    var greatestHeld = Stamp(rawValue: 0)
    var greatestOwn = Stamp(rawValue: 0)
    let lives = Set(replica.replicas(of: key))
    var others: [Write] = []
    var wrong: [[UInt8]: Write] = [:]
    replica.registers.forEach { write in
      guard RegisterKind.isDecision(write.key) else { return }
      greatestHeld = max(greatestHeld, write.stamp)
      let isOwn = lives.contains(write.replica)
      guard write.stamp > ceiling else {
        greatest = max(greatest, write.stamp)
        if isOwn { greatestOwn = max(greatestOwn, write.stamp) }
        return
      }
      let write = Write(write)
      if write.dot.replica != replica.id { others.append(write) }
      guard isOwn else { return }
      guard let known = wrong[write.key] else { return wrong[write.key] = write }
      // What this life has decided came last.
      let rank = (write.dot.replica == replica.id ? 1 : 0, write.stamp, write.dot)
      if rank > (known.dot.replica == replica.id ? 1 : 0, known.stamp, known.dot) { wrong[write.key] = write }
    }
    clock = HybridLogicalClock(last: greatest)
    self.greatestHeld = greatestHeld
    let own = wrong.values.filter { $0.dot.replica == replica.id || replica.ownValue($0.key) == nil }
    return WrongStamps(
      own: own.sorted { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) },
      others: others.sorted { $0.register < $1.register }, greatestOwn: greatestOwn)
  }

  /// Decides the same again: as of when it was decided, where it is known by how much the time was ahead that had borne the stamps
  /// out, and else as of now. So what several devices decided while they were ahead alike keeps its order, and so does what they
  /// decided among all that others decided meanwhile. What this device decided later stays later.
  ///
  /// - Returns: how many decisions were stamped anew
  package mutating func stampAnew(
    _ wrong: WrongStamps, after fallen: FallenBounds? = nil, wall: Instant, _ effects: inout Effects
  ) -> Int {
    var won = WriteBatch()
    var own = HybridLogicalClock(last: wrong.greatestOwn)
    for write in wrong.own {
      // A lead by which it was decided long before what came first is that of another clock.
      let meant = fallen?.time(of: write).flatMap { time in
        own.last.lead(over: time) <= Limits.clockDriftMilliseconds ? min(time, wall) : nil
      }
      // Now is later than all that was seen.
      if meant == nil { own = HybridLogicalClock(last: max(own.last, clock.last)) }
      guard let stamp = try? own.tick(now: meant ?? wall) else { break }
      holdAnyway(stamp)
      let value = Self.value(of: write, stampedAnew: stamp)
      if let made = replica.write(key: write.key, stamp: stamp, value: value) { won.append(made) }
    }
    publish(won, &effects)
    return won.count
  }

  /// Decides in this device's name what devices had decided under wrong stamps that are no members any more: they cannot decide it
  /// anew. It yields to all that was decided later; where that is not known, the last of them under a key, and to whatever anybody has
  /// decided.
  ///
  /// - Returns: how many decisions that were
  package mutating func decide(
    inPlaceOf gone: [Write], after fallen: FallenBounds?, at moment: Moment, _ effects: inout Effects
  ) -> Int {
    var count = 0
    var writes = gone.filter { $0.key.first != RegisterKind.deviceName.rawValue }
      .sorted { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }
    if fallen == nil {
      writes = Dictionary(writes.map { ($0.key, $0) }) { $1 }.values.sorted { $0.dot < $1.dot }
    }
    for write in writes {
      let stamp = fallen?.time(of: write.stamp).map { min(Stamp($0), moment.ceiling) } ?? .adopted
      let decision = LocalWrite(
        key: write.key, stamp: stamp, value: Self.value(of: write, stampedAnew: stamp))
      if case .done(let changed) = self.write([decision], at: moment, &effects) { count += changed }
    }
    return count
  }

  /// The entries of a product that were decided under wrong stamps move along with its register.
  private static func value(of write: Write, stampedAnew stamp: Stamp) -> [UInt8] {
    guard write.key.first == RegisterKind.product.rawValue,
      let record = try? ProductRecord(decoding: write.value[...])
    else { return write.value }
    let decided = record.decided(by: write.stamp).moved(from: write.stamp, to: stamp)
    guard var moved = ProductRecord(stating: [], over: decided) else { return write.value }
    moved.decide(at: stamp)
    return moved.encoded
  }

  /// Holds back what was taken of others.
  package mutating func holdBack(_ ahead: [Write], _ effects: inout Effects) {
    seal()
    replica.holdBack(ahead)
    drop(.removed(ahead.map(\.register)), &effects)
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
  /// The greatest stamp within the drift that is allowed.
  package static func ceiling(at now: Instant) -> Stamp {
    Stamp(now.advanced(byMilliseconds: Limits.clockDriftMilliseconds), counter: .max)
  }
}

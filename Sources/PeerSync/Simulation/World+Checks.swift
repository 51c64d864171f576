import PeerSyncCore

// What must hold after everything a device does.
extension World {
  /// Looks at the device that ran: the others have not changed.
  ///
  /// Each check costs in proportion to what the step changed. The running digests behind them are compared now and then
  /// with their slow twins, which read everything a device holds.
  func checkStep(_ index: Int, _ step: DeviceStep) {
    // First of all, because bringing the ledger up to date would copy it while a copy of the engine exists.
    checkTime(index)
    checkSpending(index)
    guard let held = summary(index) else { return }
    let view = viewToCheck(index, held)
    guard let replica = replica(of: index) else { return }
    counts.checks += 1
    checkDisk(index, replica)
    // What was claimed before is held still, whatever has left the registers.
    if step.durable.removesRegisters { checked.forgetClaims(of: index) }
    checkClaims(index, replica)
    checkTwin(index, replica, held)
    checkView(index, view)
    checkRepetition(index, replica, step)
    if checked.isTurn(after: counts.checks, holding: held.count), let engine = devices[index].engine {
      checkThoroughly(index, engine)
    }
  }

  /// What a device holds. Most checks need no more of it, and a copy of an engine is one of everything in it.
  private func replica(of index: Int) -> Replica? { look(index) { $0.holdings.replica } }

  /// What was due has been done: a deadline that stays would come again at once, for ever.
  func checkDeadline(_ index: Int, _ now: Now) {
    guard let deadline = look(index, { $0.nextDeadline }) ?? nil, deadline <= now.monotonic else { return }
    report(.liveness, "device \(index): a deadline stays in the past")
  }

  /// Nothing that has left the device is only in memory.
  private func checkDisk(_ index: Int, _ replica: Replica) {
    if replica.vector != devices[index].disk.claims {
      report(.durability, "device \(index) claims what its disk does not")
    }
  }

  // MARK: Time and views

  /// Nobody vouches for a time that has not come, and what was vouched for stays [B24], [B25].
  func checkTime(_ index: Int) {
    let now = now(index)
    guard let reading = look(index, { $0.time(at: now) }) else { return }
    let floor = reading.evidence?.instant
    for fault in checked.floors.faults(of: index, floor, at: now, trueTime: trueTime) { report(.time, fault) }
  }

  /// A device's view is that of a ledger made from scratch.
  private func checkView(_ index: Int, _ view: LedgerView?) {
    guard let view, let held = registers(index),
      let counting = look(index, { $0.holdings.ledgerCache.counting })
    else { return }
    let identity = devices[index].identity
    let fault = checked.fault(in: view, of: index, identity, holding: held, counting, at: viewTime)
    if let fault { report(fault.promise, fault.detail) }
  }

  /// A device's view is the fold of these writes.
  func checkView(_ index: Int, of writes: [Write]) {
    guard let view = view(of: index) else { return }
    let identity = devices[index].identity
    let fault = checked.fault(
      in: view, of: index, identity, writes: writes, lives(of: index, naming: writes), at: viewTime)
    if let fault { report(fault.promise, fault.detail) }
  }

  private func lives(of index: Int, naming writes: [Write]) -> DeviceLives {
    devices[index].engine?.ledgerCache.counting.lives(naming: writes) ?? DeviceLives()
  }

  /// Views are compared as of the beginning of the hour: a ledger that has not changed then need not answer anew.
  var viewTime: Instant { Instant(clamping: Self.wallStart + Int64(time / 3_600_000 * 3_600_000)) }

  /// The view of a device where it is looked at in this step.
  private func viewToCheck(_ index: Int, _ held: PlainRegisters.Summary) -> LedgerView? {
    checked.isToBeFolded(held, of: index) ? view(of: index) : nil
  }

  func view(of index: Int) -> LedgerView? {
    let instant = viewTime
    return look(index) { $0.ledger { $0.view(at: instant) } }
  }

  // MARK: Claims

  /// Every write that a device claims to know is in its register, or a greater one is.
  private func checkClaims(_ index: Int, _ replica: Replica) {
    let registers = replica.registers
    for dot in checked.newClaims(of: index, in: replica.vector) { check(dot, index, registers) }
  }

  private func check(_ dot: Dot, _ index: Int, _ registers: RegisterMap) {
    guard let write = history[dot] else {
      return report(.claims, "device \(index) claims \(dot.replica) \(dot.sequence), which nobody wrote")
    }
    // Nearly always it holds just that.
    if write.withView({ registers.holds($0) }) || history.isInDoubt(write.register) { return }
    guard let held = registers[write.register] else {
      return report(.claims, "device \(index) claims \(dot.replica) \(dot.sequence) and lacks its register")
    }
    if write.wins(over: held) {
      report(.claims, "device \(index) claims \(dot.replica) \(dot.sequence) and holds an older write")
    }
  }

  // MARK: Memory and disk

  /// What the device must hold: what its disk has, and the pieces of deltas that are not durable yet.
  private func registers(_ index: Int) -> PlainRegisters? {
    guard let unsaved = unsaved(index) else { return nil }
    var held = devices[index].disk.registers
    held.take(unsaved)
    return held
  }

  /// The summary of ``registers(_:)``, without a copy of the disk.
  private func summary(_ index: Int) -> PlainRegisters.Summary? {
    unsaved(index).map { devices[index].disk.registers.summary(taking: $0) }
  }

  private func unsaved(_ index: Int) -> [WriteBatch]? { look(index) { $0.holdings.outbox.unsaved } }

  /// The flat registers agree with the plain ones, by the digests that both keep up.
  private func checkTwin(_ index: Int, _ replica: Replica, _ held: PlainRegisters.Summary) {
    if held.digest != replica.digest || held.count != replica.count {
      report(.durability, "device \(index): memory and disk differ")
    }
  }

  /// What reads everything a device holds: the digests from scratch, and all of its writes told again.
  func checkThoroughly(_ index: Int, _ engine: Engine) {
    guard let held = registers(index) else { return }
    let memory = engine.replica.registers.summary(of: .all)
    let isRight = memory.digest == engine.replica.digest && memory.count == UInt64(engine.replica.count)
    if !isRight || summary(index) != held.summary || held.digestFromScratch != memory.digest {
      report(.durability, "device \(index): a digest is not that of the registers")
    }
    // What was spoilt may have left parts of commits, until a peer has brought back the rest.
    if devices[index].disk.damage == nil,
      !devices[index].disk.proofs.fit(devices[index].disk.registers.writes)
    {
      report(.durability, "device \(index): the proofs on the disk are not those of its writes")
    }
    checkKept(index, engine)
    if held.writes.contains(where: {
      RegisterKind.isDecision($0.key) && $0.stamp > engine.holdings.greatestHeld
    }) {
      report(.durability, "device \(index) holds a decision that is stamped later than it knows of any")
    }
    var batch = WriteBatch()
    for write in checked.shuffled(held.writes) { batch.append(write) }
    checkRepetition(index, engine.replica, of: [batch])
  }

  /// What is kept beside the registers stands on the disk as it does in memory.
  private func checkKept(_ index: Int, _ engine: Engine) {
    let disk = devices[index].disk
    let isKept =
      engine.setAside == disk.setAside && engine.holdings.history.entries == disk.history.entries
      && (!engine.holdings.isSaved || engine.replica.inventory.commits == disk.proofs.commits.count)
    if !isKept {
      report(.durability, "device \(index): what was set aside, the hours or the commits are not on its disk")
    }
  }

  // MARK: Repetition

  /// Telling a device again what it was just told, or what it wrote itself, changes nothing.
  private func checkRepetition(_ index: Int, _ replica: Replica, _ step: DeviceStep) {
    let again = step.events.filter(\.isRepeatable)
    if !again.isEmpty, var copy = devices[index].engine {
      _ = copy.handle(asHeard(again), now: step.now)
      // What was stamped too far ahead when the step began may not be any more: a clock was heard in it, or a purchase.
      if !isSame(copy.replica, replica) {
        let told = copy
        _ = copy.handle(asHeard(again), now: step.now)
        compare(copy.replica, with: told.replica, index)
      }
    }
    // What leaves its register in the same transaction could win it again.
    if !step.durable.removesRegisters, !(step.durable.writes.isEmpty && step.durable.claims.isEmpty) {
      checkRepetition(index, replica, of: step.durable.writes, step.durable.claims)
    }
  }

  private func checkRepetition(
    _ index: Int, _ replica: Replica, of batches: [WriteBatch], _ claims: [Dot] = []
  ) {
    var copy = replica
    // What a cut has voided since is not taken from peers any more, and would win here.
    let batches = replica.cuts.isEmpty ? batches : batches.map { $0.without(beyond: replica.cuts) }
    for batch in batches where !copy.merge(batch, ceiling: Stamp(rawValue: .max)).won.isEmpty {
      report(.idempotence, "device \(index): a write wins twice")
    }
    _ = copy.claim(claims)
    compare(copy, with: replica, index)
  }

  private func isSame(_ left: Replica, _ right: Replica) -> Bool {
    left.digest == right.digest && left.count == right.count && left.vector == right.vector
  }

  private func compare(_ after: Replica, with before: Replica, _ index: Int) {
    if !isSame(after, before) {
      report(.idempotence, "device \(index) changed when it was told again what it knows")
    }
  }

  // MARK: After a crash

  /// What a device acknowledged is there again.
  func checkRestart(_ index: Int) {
    checked.floors.started(index, with: devices[index].disk.time.evidence?.instant)
    let held = devices[index].disk.registers.summary
    let view = viewToCheck(index, held)
    guard let replica = replica(of: index) else { return }
    checkTwin(index, replica, held)
    checkView(index, view)
    checkAcknowledged(index, replica)
    checkSpending(index)
    checkAcknowledgedSpends(index)
    checked.forgetClaims(of: index)
    checkClaims(index, replica)
  }

  private func checkAcknowledged(_ index: Int, _ replica: Replica) {
    for write in requests.acknowledged(by: index) where !isInDoubt(write, by: index) {
      guard let held = replica.greatestStamp(under: write.key) else {
        report(.durability, "device \(index) acknowledged a write and lost it")
        continue
      }
      if let stamp = write.stamp, held < stamp {
        report(.durability, "device \(index) acknowledged a write and holds an older one")
      }
    }
  }
}

extension World {
  /// Whether what a device acknowledged need not last: it is what a device decides that was set back or removed, or in a
  /// register that such a one has written to.
  func isInDoubt(_ write: LocalWrite, by device: Int) -> Bool {
    guard RegisterKind.isDecision(write.key) else {
      return history.isInDoubt(RegisterID(key: write.key, author: devices[device].disk.replica))
    }
    let key = devices[device].identity.key
    let own = look(device) { $0.replica.replicas(of: key) } ?? []
    let hasDecided = own.contains { history.hasWritten(RegisterID(key: write.key, author: $0)) }
    if hasDecided { return history.doubts(oneOf: own) }
    // Of what it has taken from an export it writes nothing that is here already: that stays its author's, who stamps it anew
    // if a wrong clock has stamped it; until then others hold it back.
    return history.doubts(oneOf: history.authors(under: write.key)) || history.wasAhead(under: write.key)
  }
}

extension Replica {
  /// The greatest stamp of what the registers under a key hold; nil when they hold nothing.
  func greatestStamp(under key: [UInt8]) -> Stamp? {
    var greatest: Stamp?
    registers.forEach(under: key) { greatest = max(greatest ?? $0.stamp, $0.stamp) }
    return greatest
  }
}

extension WriteBatch {
  /// The writes that no cut voids.
  fileprivate func without(beyond cuts: [ReplicaID: UInt64]) -> WriteBatch {
    var counted = WriteBatch()
    for write in writes where write.dot.sequence <= cuts[write.dot.replica] ?? .max { counted.append(write) }
    return counted
  }
}

extension Write {
  /// Whether a clock that was wrong has stamped it.
  func isAhead(of time: Instant) -> Bool {
    key.withUnsafeBytes { RegisterKind.isDecision($0) }
      && stamp.lead(over: time) > Limits.clockDriftMilliseconds
  }
}

extension Durable {
  /// Whether registers hold nothing any more after it.
  fileprivate var removesRegisters: Bool {
    changes.contains {
      switch $0 {
      case .removed(let registers): !registers.isEmpty
      case .voided: true
      default: false
      }
    }
  }
}

extension Notice {
  /// Whether somebody was turned away who is not known.
  var refusesStranger: Bool { if case .refused(_, .stranger) = self { true } else { false } }

  /// Whether less may be vouched for from now on.
  var lowersFloor: Bool {
    switch self {
    case .timeWithdrawn, .timeAccepted: true
    default: false
    }
  }
}

extension Event {
  /// Whether this is ``Event/deadline``.
  var isDeadline: Bool { if case .deadline = self { true } else { false } }

  /// Whether a person asks the device to take credits over.
  var isReclaim: Bool {
    switch self {
    case .requested(_, .reclaim), .requested(_, .reclaimLost): true
    default: false
    }
  }

  /// Whether this brings facts and must change nothing when it comes again. The end of a delta may: pieces that came
  /// twice or in another order are whole the second time. What it claimed is claimed again by itself.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .received(_, .commit), .received(_, .delta), .received(_, .items): true
    case .requested(_, let request): request.isRepeatable
    default: false
    }
  }
}

/// A broken promise, found by a checker.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// Which promise, by its id in docs/semantics.md where it has one.
  package enum Promise: String, Sendable, CaseIterable {
    case noLostRenewal = "I1 no lost renewal"
    case convergence = "I2 convergence"
    case durability = "I3 durability"
    case idempotence = "I7 idempotence"
    case determinism = "I8 determinism"
    case claims = "claims hold"
    case liveness = "liveness"
    case undecodable = "messages decode"
    case quiet = "idle devices are quiet"
  }

  package let promise: Promise
  package let time: UInt64
  package let detail: String

  package var description: String { "\(promise.rawValue) broken at \(time) ms: \(detail)" }
}

extension World {
  func report(_ promise: Violation.Promise, _ detail: String) {
    violations.append(Violation(promise: promise, time: time, detail: detail))
  }

  // MARK: After every step

  /// What must hold after everything a device does. What has to read everything a device holds is looked at now and then.
  func checkStep(_ index: Int) {
    guard let engine = devices[index].engine else { return }
    counts.checks += 1
    checkDisk(index, engine)
    checkClaims(index, engine)
    checkViews()
    guard counts.checks % 64 == 0, engine.isSaved else { return }
    checkTwin(index, engine)
    let held = devices[index].disk.sortedWrites
    checkFold(index, of: held)
    checkRepetition(index, of: held)
  }

  /// What was due has been done: a deadline that stays would come again at once, for ever.
  func checkDeadline(_ index: Int, _ now: Now) {
    guard let deadline = devices[index].engine?.nextDeadline, deadline <= now.monotonic else { return }
    report(.liveness, "device \(index): a deadline stays in the past")
  }

  /// Nothing that has left the device is only in memory.
  private func checkDisk(_ index: Int, _ engine: Engine) {
    if engine.replica.vector != devices[index].disk.claims {
      report(.durability, "device \(index) claims what its disk does not")
    }
  }

  /// Every write that a device claims to know is in its register, or a greater one is.
  private func checkClaims(_ index: Int, _ engine: Engine) {
    let known = checkedClaims[index, default: VersionVector()]
    for entry in engine.replica.vector.entries(beyond: known) {
      for sequence in (known[entry.replica] + 1)...entry.sequence {
        check(Dot(replica: entry.replica, sequence: sequence), index, engine)
      }
    }
    checkedClaims[index] = engine.replica.vector
  }

  private func check(_ dot: Dot, _ index: Int, _ engine: Engine) {
    guard let write = history[dot] else {
      return report(.claims, "device \(index) claims \(dot.replica) \(dot.sequence), which nobody wrote")
    }
    guard let held = engine.replica.register(write.key) else {
      return report(.claims, "device \(index) claims \(dot.replica) \(dot.sequence) and lacks its register")
    }
    let standing = Write(key: write.key, stamp: held.stamp, value: held.value, dot: dot)
    if write.wins(over: standing) {
      report(.claims, "device \(index) claims \(dot.replica) \(dot.sequence) and holds an older write")
    }
  }

  /// The flat registers and their running digest agree with the plain dictionary of the disk.
  private func checkTwin(_ index: Int, _ engine: Engine) {
    guard engine.isSaved else { return }
    let disk = devices[index].disk
    if disk.digest != engine.replica.digest || disk.registers.count != engine.replica.count {
      report(.durability, "device \(index): memory and disk differ")
    }
    if !disk.proofs.fit(disk.registers.values) {
      report(.durability, "device \(index): the proofs on the disk are not those of its writes")
    }
  }

  /// Devices with the same facts answer alike.
  private func checkViews() {
    var views: [Digest: LedgerView] = [:]
    for index in devices.indices {
      guard let digest = devices[index].engine?.replica.digest, let view = view(of: index) else { continue }
      if let other = views[digest], other != view {
        report(.convergence, "device \(index): same digest, other view")
      }
      views[digest] = view
    }
  }

  /// Views are compared as of the beginning of the hour: a ledger that has not changed then need not answer anew.
  private var viewTime: Instant { Instant(clamping: Self.wallStart + Int64(time / 3_600_000 * 3_600_000)) }

  private func view(of index: Int) -> LedgerView? {
    let instant = viewTime
    return devices[index].engine?.ledger { $0.view(at: instant) }
  }

  /// A device's view is that of a ledger made from scratch, from the same writes in an order of its own: nothing that it
  /// holds is left out, and the order of arrival does not matter.
  private func checkFold(_ index: Int, of writes: [Write]) {
    let identity = devices[index].identity
    var ledger = Ledger(environment: identity.environment, bundleId: identity.bundleId)
    for write in writes.shuffled(using: &random) {
      ledger.apply(key: write.key[...], value: write.value[...], stamp: write.stamp)
    }
    if view(of: index) != ledger.view(at: viewTime) {
      report(.noLostRenewal, "device \(index): its view is not the fold of all purchases")
    }
  }

  /// Telling a device again what it knows changes nothing.
  private func checkRepetition(_ index: Int, of writes: [Write]) {
    guard var replica = devices[index].engine?.replica else { return }
    let before = replica.digest
    var batch = WriteBatch()
    for write in writes.shuffled(using: &random) { batch.append(write) }
    let outcome = replica.merge(batch, ceiling: Stamp(rawValue: .max))
    if replica.digest != before || !outcome.won.isEmpty { report(.idempotence, "device \(index) changed") }
  }

  // MARK: After a crash

  /// What a device acknowledged is there again.
  func checkRestart(_ index: Int) {
    guard let engine = devices[index].engine else { return }
    checkTwin(index, engine)
    checkAcknowledged(index, engine)
    checkedClaims[index] = VersionVector()
    checkClaims(index, engine)
  }

  private func checkAcknowledged(_ index: Int, _ engine: Engine) {
    for write in acknowledged[index] ?? [] {
      guard let held = engine.replica.register(write.key) else {
        report(.durability, "device \(index) acknowledged a write and lost it")
        continue
      }
      if let stamp = write.stamp, held.stamp < stamp {
        report(.durability, "device \(index) acknowledged a write and holds an older one")
      }
    }
  }

  // MARK: At the end

  /// Whether every device runs, all stand at the same vector and digest, and nothing waits to be handled.
  package var isConverged: Bool { isLevel && devices.allSatisfy { $0.mailbox.isEmpty } }

  /// Whether every device runs and all stand at the same vector and digest.
  private var isLevel: Bool {
    guard let first = devices.first?.engine?.replica else { return false }
    return devices.allSatisfy {
      $0.engine?.replica.vector == first.vector && $0.engine?.replica.digest == first.digest
    }
  }

  /// Runs a healed world until it has converged.
  ///
  /// - Parameter limit: milliseconds of virtual time within which it must
  package func converge(within limit: UInt64) {
    let end = time + limit
    while !isConverged, violations.isEmpty {
      guard let next = queue.nextTime, next <= end else { break }
      step()
    }
    if !isConverged, violations.isEmpty {
      report(.liveness, "not converged \(limit) ms after the last fault")
    }
  }

  /// What must hold once everyone knows everything.
  package func checkConverged() {
    let winners = history.winners.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for index in devices.indices {
      guard let engine = devices[index].engine else { continue }
      checkWinners(index, engine, winners)
      checkAcknowledgedByAll(index, engine)
      checkFold(index, of: winners)
      checkRepetition(index, of: winners)
    }
    checkViews()
  }

  /// Devices that know everything are all connected, say no more than a beat needs, and raise no alarm.
  func checkQuiet() {
    let connected = time + Limits.redialMaximumMilliseconds + Limits.beatMilliseconds
    run(until: connected)
    let before = (counts.messages, notices.count, devices.first?.engine?.replica.digest)
    run(until: connected + 5 * Limits.beatMilliseconds)
    let pairs = devices.count * (devices.count - 1) / 2
    for index in devices.indices where devices[index].engine?.readySessions != devices.count - 1 {
      report(.quiet, "device \(index) has \(devices[index].engine?.readySessions ?? 0) sessions")
    }
    // A beat comes after nine tenths of its time at the soonest, and is a question and an answer.
    if counts.messages - before.0 > pairs * 2 * 6 {
      report(.quiet, "\(counts.messages - before.0) messages between \(pairs) pairs in five beats")
    }
    if notices.count != before.1 { report(.quiet, "\(notices[before.1])") }
    if !isLevel || devices.first?.engine?.replica.digest != before.2 {
      report(.quiet, "something changed")
    }
  }

  /// Registers hold just the winners of everything ever written.
  private func checkWinners(_ index: Int, _ engine: Engine, _ winners: [Write]) {
    let expected = winners.reduce(into: Digest()) { $0.add($1.digest) }
    if engine.replica.digest != expected {
      report(.noLostRenewal, "device \(index) lacks or invents a write")
    }
  }

  private func checkAcknowledgedByAll(_ index: Int, _ engine: Engine) {
    for (author, writes) in acknowledged.sorted(by: { $0.key < $1.key }) {
      for write in writes where engine.replica.register(write.key) == nil {
        report(.noLostRenewal, "device \(index) lacks what device \(author) acknowledged")
      }
    }
  }
}

extension Event {
  /// Whether this is ``Event/deadline``.
  var isDeadline: Bool { if case .deadline = self { true } else { false } }
}

// What must hold once everything is healed.
extension World {
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
      checkView(index, of: winners)
      checkThoroughly(index, engine)
    }
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

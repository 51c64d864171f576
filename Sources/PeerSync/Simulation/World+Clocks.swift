import PeerSyncCore

// What must hold whatever clocks do.
extension World {
  /// Whether a clock that was wrong has stamped a write.
  func isAhead(_ write: Write) -> Bool {
    write.key.withUnsafeBytes { RegisterKind.isStampedByClock($0) }
      && write.stamp.lead(over: trueTime) > Limits.clockDriftMilliseconds
  }

  /// Nobody vouches for a time that has not come, and what was vouched for stays so [B24], [B25].
  func checkTime(_ index: Int) {
    let now = now(index)
    guard let reading = devices[index].engine?.time(at: now) else { return }
    let floor = reading.evidence?.instant
    if let floor, storeIsRight, floor > trueTime.advanced(byMilliseconds: Self.skewLimit) {
      report(.time, "device \(index) takes \(floor) for vouched for at \(trueTime)")
    }
    if let known = floors[index], floor ?? .epoch < known.advanced(by: now) {
      report(.time, "device \(index) knew it to be after \(known.floor), and forgets")
    }
    floors[index] = floor.map { KnownFloor(floor: $0, monotonic: now.monotonic) }
  }

  /// After a start the floor is what the disk has.
  func checkKeptTime(_ index: Int) {
    floors[index] = devices[index].disk.time.evidence.map { KnownFloor(floor: $0.instant, monotonic: nil) }
  }

  /// Right clocks differ from the true time by less, in milliseconds.
  private static let skewLimit = Limits.clockDriftMilliseconds / 2

  /// The winners of everything ever written. In a register of which something was stamped anew it is what the first device
  /// holds, if that is the content of some write.
  var winners: [[UInt8]: Write] {
    var winners = history.winners
    let (first, authors) = (family.first, authorsOfFamily)
    for key in history.contested.sorted(by: { $0.lexicographicallyPrecedes($1) })
    where !isInDoubt(key) && !history.wasWritten(key, byOthersThan: authors) {
      guard let held = first.flatMap({ devices[$0].disk.registers[key] }) else {
        report(.noLostRenewal, "a register that was stamped anew is gone")
        continue
      }
      if !history.knows(key, held.value) { report(.noLostRenewal, "nobody wrote what a device holds") }
      winners[key] = held
    }
    return winners
  }

  /// What is stamped ahead, or would be. Once clocks are right again there is nothing of it after a while.
  var stampsAhead: [String] {
    family.flatMap { index -> [String] in
      var ahead = devices[index].disk.sortedWrites.filter(isAhead).map { write in
        "device \(index) holds a write stamped \(write.stamp.lead(over: trueTime)) ms ahead"
      }
      let lead = devices[index].engine?.greatestStamp.lead(over: trueTime) ?? 0
      if lead > Limits.clockDriftMilliseconds + Self.skewLimit {
        ahead.append("device \(index) would stamp \(lead) ms ahead")
      }
      return ahead
    }
  }

  /// What a device knew the time to be after.
  struct KnownFloor {
    let floor: Instant
    /// Nil: time did not pass for a device that was not running.
    let monotonic: UInt64?

    func advanced(by now: Now) -> Instant { floor.advanced(by: now, since: monotonic) }
  }
}

extension Notice {
  /// Whether something was stamped anew.
  var isStampedAnew: Bool {
    if case .stampedAnew = self { return true }
    return false
  }
}

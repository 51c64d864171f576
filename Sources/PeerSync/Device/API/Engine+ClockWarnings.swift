// What the person who runs a device should know of its clock.
extension Engine {
  /// Warnings of clocks that are wrong, and of what follows.
  func clockWarnings(_ reading: TimeReading, at now: Now) -> [String] {
    [rollbackWarning(reading), stampWarning(now), stampedAnewWarning].compactMap(\.self)
      + peers.flatMap { peerWarnings($0, at: now) }
  }

  private func rollbackWarning(_ reading: TimeReading) -> String? {
    guard let behind = reading.rollback, let evidence = reading.evidence else { return nil }
    let voucher =
      switch evidence.voucher {
      case .store(let date): "what the store signed at \(date)"
      case .peer(let device): "the time that \(name(of: device)) vouched for"
      }
    return "the clock is \(span(behind)) behind \(voucher), which counts: set the clock right"
  }

  private func stampWarning(_ now: Now) -> String? {
    let lead = clock.last.lead(over: now.wall)
    guard lead > Limits.clockDriftMilliseconds else { return nil }
    return "what this device has decided is stamped up to \(span(lead)) ahead of its clock; "
      + "once a peer is met whose clock says the same, it is stamped anew"
  }

  private var stampedAnewWarning: String? {
    guard timekeeper.stampedAnew > 0 else { return nil }
    return "writes that a wrong clock had stamped ahead were stamped anew: \(timekeeper.stampedAnew)"
  }

  private func peerWarnings(_ peer: PeerState, at now: Now) -> [String] {
    guard let clock = sessions.all.first(where: { $0.device == peer.device && $0.isReady })?.clock else {
      return []
    }
    var warnings: [String] = []
    if let skew = clock.skew, clock.differs {
      let side = skew > 0 ? "ahead of" : "behind"
      warnings.append(
        "the clock of \(peer.name) is \(span(abs(skew))) \(side) this one: set the wrong one right")
    }
    if let held = clock.heldBackHere, !held.latest.allSatisfy({ replica.vector.contains($0) }) {
      warnings.append(
        "writes from \(peer.name) are stamped \(span(held.stamp.lead(over: held.wall))) ahead and held back")
    }
    if let held = clock.heldBackThere, isHeldBack(held, by: peer.device) {
      warnings.append(
        "\(peer.name) holds back writes of this device, stamped \(span(held.stamp.lead(over: held.wall))) ahead "
          + "of its clock")
    }
    return warnings
  }

  /// Whether a peer still lacks what it held back of this device's own.
  private func isHeldBack(_ held: HeldBack, by device: DeviceID) -> Bool {
    let vector = sessions.all.first { $0.device == device && $0.isReady }?.peerVector
    return held.latest.contains { $0.replica == replica.id && vector?.contains($0) != true }
  }

  private func name(of device: DeviceID) -> String {
    group.members.first { $0.id == device }?.name ?? device.description
  }
}

/// A span of time in its greatest unit, for people.
private func span(_ milliseconds: Int64) -> String {
  let units: [(Int64, String)] = [(86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute")]
  guard let (length, unit) = units.first(where: { milliseconds >= 2 * $0.0 }) else {
    return "\(milliseconds / 1000) seconds"
  }
  return "\(milliseconds / length) \(unit)s"
}

/// Something that is wrong with a clock, or follows from one.
package enum ClockFinding: Hashable, Sendable {
  /// This device's clock is so many milliseconds behind evidence of the time.
  case behind(Int64, TrustedTime.Voucher)
  /// What this device has decided is stamped so many milliseconds ahead of its clock.
  case stampedAhead(Int64)
  /// So many writes that a wrong clock had stamped ahead were stamped anew.
  case stampedAnew(Int)
  /// The clock of a peer is so many milliseconds ahead of this one; negative: behind.
  case skew(peer: String, Int64)
  /// Writes from a peer are stamped so many milliseconds ahead and held back here.
  case heldBackHere(peer: String, Int64)
  /// A peer holds back writes of this device, stamped so many milliseconds ahead of its clock.
  case heldBackThere(peer: String, Int64)
}

extension Engine {
  /// What is wrong with the clocks now: of this device first, then of each peer.
  package func clockFindings(_ reading: TimeReading, at now: Now) -> [ClockFinding] {
    var findings: [ClockFinding] = []
    if let behind = reading.rollback, let evidence = reading.evidence {
      findings.append(.behind(behind, evidence.voucher))
    }
    let lead = clock.last.lead(over: now.wall)
    if lead > Limits.clockDriftMilliseconds { findings.append(.stampedAhead(lead)) }
    if timekeeper.stampedAnew > 0 { findings.append(.stampedAnew(timekeeper.stampedAnew)) }
    return findings + peers.flatMap(clockFindings)
  }

  private func clockFindings(_ peer: PeerState) -> [ClockFinding] {
    guard let session = sessions.all.first(where: { $0.device == peer.device && $0.isReady }) else {
      return []
    }
    var findings: [ClockFinding] = []
    let clock = session.clock
    if let skew = clock.skew, clock.differs { findings.append(.skew(peer: peer.name, skew)) }
    if let held = clock.heldBackHere, !held.latest.allSatisfy({ replica.vector.contains($0) }) {
      findings.append(.heldBackHere(peer: peer.name, held.stamp.lead(over: held.wall)))
    }
    // Of this device's own, what the peer still lacks.
    if let held = clock.heldBackThere,
      held.latest.contains(where: { $0.replica == replica.id && !session.comparison.peerHas($0) })
    {
      findings.append(.heldBackThere(peer: peer.name, held.stamp.lead(over: held.wall)))
    }
    return findings
  }
}

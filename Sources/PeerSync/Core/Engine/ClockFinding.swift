/// Something that is wrong with a clock, or follows from one.
package enum ClockFinding: Hashable, Sendable {
  /// This device's clock is so many milliseconds behind evidence of the time.
  case behind(Int64, TrustedTime.Voucher, remedy: ClockRemedy)
  /// A peer had vouched for a time so many milliseconds ahead, which was withdrawn.
  case withdrawn(DeviceID, Int64)
  /// What this device has decided is stamped so many milliseconds ahead of its clock.
  ///
  /// - Parameter isAlone: whether no other device is in the group that could agree with its clock
  case stampedAhead(Int64, isAlone: Bool)
  /// So many writes that a wrong clock had stamped ahead were stamped anew.
  case stampedAnew(Int)
  /// The clock of a peer is so many milliseconds ahead of this one; negative: behind.
  case skew(peer: String, Int64)
  /// Decisions of another device are stamped so many milliseconds ahead, and do not count here yet.
  case heldBackHere(DeviceID, Int64)
  /// A peer does not count decisions of this device, stamped so many milliseconds ahead of its clock.
  ///
  /// - Parameter isVouchedFor: whether somebody has vouched for the time of the stamps here
  case heldBackThere(peer: String, Int64, isVouchedFor: Bool)
}

/// What brings down a bound that a peer has supplied with a wrong clock.
package struct ClockRemedy: Hashable, Sendable {
  /// Whether a third device can be the witness.
  package let hasWitness: Bool
  /// Whether a person may decide.
  package let mayAccept: Bool
  /// Whether who vouched is no member any more: then its clock is not asked.
  package let isSupplierGone: Bool

  package init(hasWitness: Bool, mayAccept: Bool, isSupplierGone: Bool = false) {
    self.hasWitness = hasWitness
    self.mayAccept = mayAccept
    self.isSupplierGone = isSupplierGone
  }
}

extension Engine {
  /// What is wrong with the clocks now: of this device first, then of each peer.
  package func clockFindings(_ reading: TimeReading, at now: Now) -> [ClockFinding] {
    var findings: [ClockFinding] = []
    if let behind = reading.rollback, let evidence = reading.evidence {
      findings.append(.behind(behind, evidence.voucher, remedy: remedy(against: evidence.voucher, at: now)))
    }
    findings += timekeeper.withdrawals.map { .withdrawn($0.supplier, $0.lead) }
    let lead = holdings.clock.last.lead(over: now.wall)
    // What is vouched for bears a stamp out: the remedy is that of the clock.
    let borneOut = timekeeper.trusted.borneOut(in: identity.environment, at: now)
    if holdings.clock.last.lead(over: borneOut) > Limits.clockDriftMilliseconds {
      findings.append(.stampedAhead(lead, isAlone: group.members.count <= 1))
    }
    if timekeeper.stampedAnew > 0 { findings.append(.stampedAnew(timekeeper.stampedAnew)) }
    for (device, lead) in heldBackLeads(over: reading.now) { findings.append(.heldBackHere(device, lead)) }
    return findings + peers.flatMap { clockFindings($0, over: borneOut) }
  }

  /// The devices that have sent or made decisions that do not count here for their stamps, sorted by id, each with the greatest
  /// lead of these.
  private func heldBackLeads(over now: Instant) -> [(DeviceID, Int64)] {
    var leads = leadsOfAbsent(over: now)
    if holdings.ledgerCache.leavesOut {
      holdings.replica.registers.forEach { write in
        guard write.stamp > holdings.ledgerCache.counting.ceiling, RegisterKind.isDecision(write.key),
          let key = holdings.replica.incarnation(of: write.replica)?.key, key != identity.key
        else { return }
        let device = DeviceID(of: key, cryptography)
        leads[device] = max(leads[device] ?? 0, write.stamp.lead(over: now))
      }
    }
    return leads.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether decisions of a device are known to be stamped too far ahead to be taken in. Once it is removed they are never taken.
  package func holdsBack(_ device: DeviceID, at now: Now) -> Bool {
    leadsOfAbsent(over: now.wall)[device] != nil
  }

  /// Of each device whose decisions were not taken in for their stamps the greatest lead of these.
  private func leadsOfAbsent(over now: Instant) -> [DeviceID: Int64] {
    var leads: [DeviceID: Int64] = [:]
    for flow in network.sessions.flows {
      guard let held = flow.clock.heldBackHere else { continue }
      for dot in held.latest where !holdings.replica.vector.contains(dot) {
        // Whoever brings it may only pass it on. Whose it is, it says sooner or later.
        let key = holdings.replica.incarnation(of: dot.replica)?.key ?? flow.peer.key
        guard key != identity.key else { continue }
        let device = DeviceID(of: key, cryptography)
        leads[device] = max(leads[device] ?? 0, held.stamp.lead(over: held.wall))
      }
    }
    // Whose it is may not be connected to say so, where this clock is the wrong one.
    let settled = network.sessions.flows.filter { $0.comparison.isInSync(with: holdings.replica) }
      .map(\.peer.key)
    for (dot, stamp) in timekeeper.takenOut.values where !holdings.replica.vector.contains(dot) {
      guard let key = holdings.replica.incarnation(of: dot.replica)?.key, key != identity.key,
        group.isMember(key), !settled.contains(key)
      else { continue }
      let device = DeviceID(of: key, cryptography)
      leads[device] = max(leads[device] ?? 0, stamp.lead(over: now))
    }
    return leads
  }

  /// What is left to do when the clock is right and what a peer has vouched for is not.
  private func remedy(against voucher: TrustedTime.Voucher, at now: Now) -> ClockRemedy {
    let others = group.others(than: identity.device)
    let isGone = if case .peer(let device) = voucher { !others.contains(device) } else { false }
    return ClockRemedy(
      hasWitness: timekeeper.trusted.hasWitness(among: others, at: now)
        && (!isGone || timekeeper.trusted.mayAccept),
      mayAccept: timekeeper.trusted.mayAccept, isSupplierGone: isGone)
  }

  private func clockFindings(_ peer: PeerState, over borneOut: Instant) -> [ClockFinding] {
    guard let clock = network.sessions.flows.first(where: { $0.peer.device == peer.device })?.clock else {
      return []
    }
    var findings: [ClockFinding] = []
    if let skew = clock.skew, clock.differs { findings.append(.skew(peer: peer.name, skew)) }
    if let held = clock.heldBackThere, holdings.decides(aheadOf: held.wall) {
      findings.append(
        .heldBackThere(
          peer: peer.name, held.stamp.lead(over: held.wall),
          isVouchedFor: held.stamp <= Stamp.ceiling(at: borneOut)))
    }
    return findings
  }
}

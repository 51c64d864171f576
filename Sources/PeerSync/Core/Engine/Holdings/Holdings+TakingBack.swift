// What a removal takes back of what the removed device has decided: worked out before somebody is asked, and by the removal itself.
extension Holdings {
  /// The last decisions that are to count of a device whose writes are cut there; nil: all that are taken.
  func counted(
    of cuts: [Dot], _ takingBack: TakingBack, at present: Instant
  ) throws(Refusal) -> [Dot]? {
    switch takingBack {
    case .nothing: return nil
    case .everything: return []
    case .since(let time):
      guard time <= present else { throw .notYet(time) }
      guard history.reaches(time) else { throw .knewNothing(since: history.begin) }
      return cuts.map { cut in
        let known = history.sequence(of: cut.replica, at: time) ?? .max
        return Dot(replica: cut.replica, sequence: min(cut.sequence, known))
      }
    }
  }

  /// What the removal of a device would take back whose writes are cut there.
  ///
  /// - Parameter others: devices that are in the group by nothing that counts after the removal
  func takenBack(
    of key: PublicKey, _ cuts: [Dot], _ takingBack: TakingBack, with others: [PublicKey], at present: Instant
  ) throws(Refusal) -> TakenBack {
    let counted = try counted(of: cuts, takingBack, at: present).map { VersionVector($0) }
    guard counted != nil || !others.isEmpty else { return TakenBack() }
    let cuts = counted == nil ? VersionVector() : VersionVector(cuts)
    let own = counted == nil ? [] : Set(replica.replicas(of: key))
    // The last that counts of each replica.
    var last = Dictionary(uniqueKeysWithValues: own.map { ($0, counted?[$0] ?? 0) })
    for replica in others.flatMap(replica.replicas) { last[replica] = 0 }
    let counting = ledgerCache.counting
    let later = Counting(
      own: counting.own, ceiling: counting.ceiling, last: counting.last.merging(last) { min($0, $1) },
      takings: counting.takings)
    var result = TakenBack()
    var held: UInt64 = 0
    var fallen: [RegisterID] = []
    replica.registers.forEach { write in
      guard let last = last[write.replica] else { return }
      if own.contains(write.replica) {
        guard write.sequence <= cuts[write.replica] else { return }
        held += 1
      }
      guard RegisterKind.isDecision(write.key), write.sequence > last,
        // Else an earlier removal took it back.
        counting.includes(decided: Dot(replica: write.replica, sequence: write.sequence))
      else { return }
      result.count += 1
      fallen.append(RegisterID(key: Array(write.key), author: write.replica))
    }
    // A liar may number its writes as it likes.
    let made = cuts.entries.reduce(UInt64(0)) { sum, cut in
      let (more, isOver) = sum.addingReportingOverflow(cut.sequence)
      return isOver ? .max : more
    }
    result.replaced = made - held
    for register in fallen.sorted().prefix(Limits.takenBackLookedAt) {
      guard let now = replica.registers.standing(under: register.key, counting), now.register == register
      else { continue }
      guard result.changes.count < Limits.takenBack else { break }
      let then = replica.registers.standing(under: register.key, later)
      result.changes.append(
        TakenBack.Change(key: register.key, value: now.value, then: then.map { ($0.value, $0.dot.replica) }))
    }
    return result
  }
}

/// What a removal takes back.
package struct TakenBack: Sendable {
  /// A decision that stood, and does not any more.
  package struct Change: Sendable {
    /// Of the register, encoded.
    package let key: [UInt8]
    package let value: [UInt8]
    /// What stands then, and who had decided it; nil: nothing.
    package let then: (value: [UInt8], author: ReplicaID)?
  }

  /// In the order of their keys, at most ``Limits/takenBack``, of the first ``Limits/takenBackLookedAt`` decisions that are taken back.
  package var changes: [Change] = []
  /// How many decisions are taken back, those among them that somebody else had outbid.
  package var count = 0
  /// How many writes of the device it had replaced itself: they are gone, and nothing of them stands again.
  package var replaced: UInt64 = 0
  /// Who is a member then and is none now, by seniority: whoever is removed had put them out, or removed them. And whether that one had
  /// let them in, so that they can be disowned.
  package var membersAgain: [(device: MembershipGroup.Device, isLetIn: Bool)] = []
  /// Who is a member now and is none then, by seniority, but for whoever is removed.
  package var membersOut: [MembershipGroup.Device] = []
}

/// What must be on disk before anything of the same ``Effects`` leaves the device: one transaction, one fsync.
///
/// It is a list in the order in which things happened, and a disk takes them in that order: the last of a register is what it
/// holds, the last of anything else is how it stands. Nothing can be put ahead of what it followed, but for the pieces of deltas
/// that waited in memory, which are older than all of it.
public struct Durable: Sendable {
  /// One thing to be made durable.
  package enum Change: Sendable {
    /// Writes that won their registers.
    case written(WriteBatch)
    /// Registers that hold nothing any more.
    case removed([RegisterID])
    /// What replicas have written beyond these sequences leaves its registers: there may be a ledger full of them.
    case voided([Dot])
    /// The whole version vector, where entries were lowered.
    case vector(VersionVector)
    /// New entries of the version vector.
    case claimed([Dot])
    /// What proves whose writes these are.
    case proven([ProofChange])
    /// How much there is of the ledger now: of all that comes before.
    case counted(Inventory)
    /// The replica that this device now writes under.
    case replica(ReplicaID)
    /// New membership records.
    case records([MembershipRecord])
    /// All membership records that are held: of those before, some were given up.
    case membership([MembershipRecord])
    /// What became of the invitation.
    case invitation(InvitationChange)
    /// The group this device now belongs to.
    case group(GroupID)
    /// New entries of the address book.
    case addresses([KnownPeer.Listening])
    /// Whether the device wants to be on the network.
    case online(Bool)
    /// What time it is, and who vouches for it.
    case time(TrustedTime.Persisted)
    /// When members were last heard from.
    case contacts([KnownPeer.Contact])
    /// What an earlier damage had spoilt is here again.
    case repaired
    /// What this device had forgotten is here again: see ``Engine/setBack``.
    case caughtUp
    /// All that is set aside for its authors.
    case setAside(SetAside)
    /// What was known, by the hour: new marks, and old ones that give way.
    case known([VectorHistory.Entry])
  }

  /// Everything, in its order.
  package private(set) var changes: [Change]

  package init(_ changes: [Change] = []) { self.changes = changes }

  /// Whether there is nothing to be made durable.
  public var isEmpty: Bool { changes.isEmpty }

  /// Adds what comes after everything so far; a list of nothing is nothing.
  package mutating func append(_ change: Change) {
    switch change {
    case .claimed(let dots) where dots.isEmpty: return
    case .voided(let dots) where dots.isEmpty: return
    case .proven(let proofs) where proofs.isEmpty: return
    case .records(let records) where records.isEmpty: return
    case .addresses(let entries) where entries.isEmpty: return
    case .contacts(let contacts) where contacts.isEmpty: return
    case .known(let entries) where entries.isEmpty: return
    case .written, .removed, .voided, .vector, .claimed, .proven, .counted, .replica, .records, .membership,
      .invitation, .group, .addresses, .online, .time, .contacts, .repaired, .caughtUp, .setAside, .known:
      changes.append(change)
    }
  }

  /// Adds what becomes durable in the same transaction, after this.
  package mutating func append(_ later: Durable) { changes += later.changes }

  /// Adds writes that come before everything so far.
  package mutating func prepend(_ batches: [WriteBatch]) {
    changes.insert(contentsOf: batches.map { .written($0) }, at: 0)
  }
}

// MARK: - Looking

extension Durable {
  /// The writes, in their order.
  package var writes: [WriteBatch] {
    changes.compactMap { if case .written(let batch) = $0 { batch } else { nil } }
  }

  /// Whether other devices alone wrote what is written.
  ///
  /// - Parameter own: the replica that this device writes under
  package func isHearsay(to own: ReplicaID) -> Bool {
    replica == nil && writes.allSatisfy { !$0.replicas.contains(own) }
  }

  /// The new entries of the version vector, in their order.
  package var claims: [Dot] {
    changes.flatMap { change -> [Dot] in if case .claimed(let dots) = change { dots } else { [] } }
  }

  /// The proofs, in their order.
  package var proofs: [ProofChange] {
    changes.flatMap { change -> [ProofChange] in if case .proven(let proofs) = change { proofs } else { [] } }
  }

  /// The replica that this device writes under, if that changes.
  package var replica: ReplicaID? { last { if case .replica(let replica) = $0 { replica } else { nil } } }

  /// What becomes of the invitation, if anything does.
  package var invitation: InvitationChange? {
    last { if case .invitation(let change) = $0 { change } else { nil } }
  }

  /// Whether registers, or what proves them, change.
  package var changesLedger: Bool { changes.contains(where: \.isOfLedger) }

  /// What the disk holds of the ledger after this; nil: nobody has counted since it changed.
  package var inventory: Inventory? {
    for change in changes.reversed() {
      if case .counted(let inventory) = change { return inventory }
      if change.isOfLedger { return nil }
    }
    return nil
  }

  private func last<Value>(_ value: (Change) -> Value?) -> Value? {
    for change in changes.reversed() { if let value = value(change) { return value } }
    return nil
  }
}

extension Durable.Change {
  /// Whether an ``Inventory`` counts it.
  fileprivate var isOfLedger: Bool {
    switch self {
    case .written, .removed, .voided: true
    case .proven(let proofs): proofs.contains { if case .incarnation = $0 { false } else { true } }
    case .vector, .claimed, .counted, .replica, .records, .membership, .invitation, .group, .addresses,
      .online, .time, .contacts, .repaired, .caughtUp, .setAside, .known:
      false
    }
  }
}

// What others have written.
extension Holdings {
  /// Merges writes of others.
  ///
  /// - Parameter isOfDelta: whether they are a piece of a delta, and may wait for the disk. All others have to be durable before
  ///   anything is said about them
  package mutating func merge(
    _ batch: SignedBatch, isOfDelta: Bool = false, isRepair: Bool = false, at present: Instant,
    _ effects: inout Effects
  ) -> MergeOutcome {
    // Own writes that are not signed yet would not be known for what they are.
    seal()
    let outcome = replica.merge(batch, ceiling: Stamp.ceiling(at: present), isRepair: isRepair)
    if let stamp = outcome.greatestStamp { hold(stamp, at: present) }
    if !outcome.won.isEmpty {
      if isOfDelta {
        outbox.keep(outcome.won, &effects)
      } else {
        effects.durable.append(.written(outcome.won))
      }
      ledgerCache.note(outcome.won)
      effects.changed = true
    }
    if outcome.isOwnNews { hasOwnNews = true }
    return outcome
  }

  /// What has left the registers leaves the disk as well, with whatever the vector claims no more.
  package mutating func drop(_ change: Durable.Change, _ effects: inout Effects) {
    outbox.flush(&effects)
    effects.durable.append(change)
    effects.durable.append(.vector(replica.vector))
    effects.changed = true
    ledgerCache.invalidate()
  }
}

// Taking in what a store has signed.
extension Holdings {
  /// Takes in items that were verified before. What is refused is kept as evidence, as long as there is room for it.
  package mutating func ingest(
    _ items: [IngestedItem], of identity: Identity, at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    let signed = items.flatMap { $0.writes(identity, replica.cryptography) }
    return write(signed + evidence(of: items), at: moment, &effects)
  }

  private mutating func evidence(of items: [IngestedItem]) -> [LocalWrite] {
    let evidence = items.compactMap { $0.evidence?.writes(replica.cryptography) }.filter { writes in
      // The item comes last. What is known already takes no room.
      writes.last.map { replica.registers.value($0.key) == nil } ?? false
    }
    // Whoever brings nothing bad does not have the ledger read for it.
    guard !evidence.isEmpty else { return [] }
    let room = max(0, Limits.refusedItems - ledger { $0.refusals }.reduce(0) { $0 + $1.count })
    return evidence.prefix(room).flatMap(\.self)
  }
}

import PeerSyncCore
import Synchronization
import Testing

/// What a member has written by the hundred thousand leaves at little cost when it is removed.
@Suite struct CutCostTests {
  private final class Count: Sendable {
    let value = Atomic(0)
  }

  private static let commits: UInt64 = 100
  private static let each: UInt64 = 16

  /// So many commits of the second author, each of as many gifts.
  private func filled(_ cryptography: Cryptography, areSeveral: Bool) -> Replica {
    let (own, liar) = (Author(1), Author(2))
    var replica = Replica(id: own.replica, cryptography: cryptography)
    replica.restore(.incarnation(own.incarnation, replica: own.replica))
    let members = (1...(areSeveral ? 3 : 2)).map { Author($0).key.publicKey }
    replica.authors = Authors(members: members)
    for place in 0..<Self.commits {
      let writes = (1...Self.each).map { number -> Write in
        let sequence = place * Self.each + number
        let entry = CreditEntry.moved(from: liar.replica, to: ReplicaID(high: 99, low: sequence))
        return Write(
          key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: [],
          dot: Dot(replica: liar.replica, sequence: sequence))
      }
      #expect(replica.merge(Commit.signed(writes).batch, ceiling: Stamp(rawValue: .max)).isWhole)
    }
    return replica
  }

  @Test(
    "I11: of commits that are void as a whole no hash is made, and no proof stays", arguments: [false, true])
  func voidCommits(areSeveral: Bool) {
    let hashes = Count()
    let counted = Cryptography(
      hash: {
        hashes.value.add(1, ordering: .relaxed)
        return Cryptography.simulated.hash($0)
      }, verify: Cryptography.simulated.verify)
    var replica = filled(counted, areSeveral: areSeveral)
    var proofs = PersistedProofs()
    for change in replica.takeProofChanges() { proofs.apply(change) }
    let before = hashes.value.load(ordering: .relaxed)
    // In the middle of the third commit.
    let cut = 2 * Self.each + 4
    let outcome = replica.apply([Author(2).replica: cut], own: Author(1).key.publicKey)
    #expect(outcome.removed == Int(Self.commits * Self.each - cut) && replica.count == Int(cut))
    // Of the commit that is cut in two, and of the newest, which backs a claim.
    #expect(hashes.value.load(ordering: .relaxed) - before < 3 * Int(Self.each))
    let changes = replica.takeProofChanges()
    #expect(changes.count < 3 * Int(Self.each))
    for change in changes { proofs.apply(change) }
    let newest = (Self.commits - 1) * Self.each + 1
    let firsts = [1, 1 + Self.each, 1 + 2 * Self.each, newest]
    #expect(proofs.commits.keys.map(\.sequence).sorted() == firsts)
    #expect(proofs.replaced.keys.map(\.sequence).sorted() == Array(cut + 1...3 * Self.each))
    // The same registers are left as where nothing else ever came.
    var plain = RegisterMap()
    for write in replica.sortedWrites() { write.withView { _ = plain.merge($0) } }
    #expect(plain.digest == replica.digest)
  }

  @Test("I11: the removal of whoever wrote numbers reads those that stay, and these once")
  func numbersAreReadOnce() {
    let harness = Harness.withOwls()
    let others = (1...100).map { ReplicaID(high: 99, low: $0) }
    harness.perform(1) { engine, _, effects in
      let gifts = others.map { CreditEntry.moved(from: engine.replica.id, to: $0) }
      engine.holdings.write(gifts, total: 1, of: "owls", &effects)
    }
    harness.settle()
    harness.lose { harness.write(1, "value", [1]) }
    harness.perform(1) { engine, _, effects in
      engine.holdings.write([.spent(by: engine.replica.id)], total: 2, of: "owls", &effects)
    }
    harness.settle()
    harness.cut()
    let before = harness.engines[0].holdings.ledgerCache.readings
    let removal = Request.remove(harness.identities[1].device, recoveryKey: nil, takingBack: .everything)
    let request = harness.request(removal, of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
    #expect(harness.engines[0].holdings.ledgerCache.readings == before + 1)
    let row = RegisterKey.creditRowAgain(
      credit: "owls", life: harness.replica(1).id, by: harness.replica(0).id)
    #expect(harness.replica(0).sortedWrites().contains { $0.key == row.encoded && $0.stamp.rawValue == 2 })
  }
}

import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A member writes more than any device of a person does: its removal with all that it had decided gives the room back.
@Suite struct FullLedgerTests {
  private func remove(_ harness: Harness, _ takingBack: TakingBack) -> Answer? {
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: nil, takingBack: takingBack), of: 0)
    return harness.answers[request]
  }

  private func told(_ harness: Harness, _ index: Int) -> [Phrase] {
    var told: [Phrase] = []
    harness.adjust(index) { engine in engine.look { told = $0.oddityWarnings } }
    return told
  }

  /// A little at a time, as a device with a queue would.
  private func fill(_ harness: Harness) {
    for first in stride(from: 0, through: Limits.registersOfOne, by: 4_096) {
      let writes = (first..<first + 4_096).map {
        LocalWrite(key: RegisterKey.value(key: "\($0)").encoded, value: [1])
      }
      harness.request(.write(writes), of: 1)
      harness.settle()
    }
  }

  @Test("I11: whoever fills a ledger makes room when it is removed") func removalMakesRoom() {
    let harness = Harness(3)
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.write(0, "kept", [1])
    let bought = Fixtures.buy("bought", Fixtures.credits, "2026-01-01", quantity: 1)
    harness.request(.write(SimulatedStore.writes(of: bought)), of: 1)
    harness.settle()
    let (kept, liar) = (harness.replica(0).count, harness.identities[1].key)
    #expect(kept > 1 && told(harness, 0).isEmpty)
    fill(harness)
    for index in [0, 2] {
      #expect(harness.replica(index).registerCount(of: liar) > Limits.registersOfOne)
      #expect(told(harness, index).count == 1)
    }
    // Without all that it decided its writes stay; then it is removed again.
    #expect(remove(harness, .nothing) == .done(changed: 1))
    harness.settle()
    #expect(harness.replica(0).registerCount(of: liar) > Limits.registersOfOne && told(harness, 0).count == 1)
    #expect(remove(harness, .everything) == .done(changed: 1))
    harness.settle()
    for index in [0, 2] {
      #expect(harness.replica(index).registerCount(of: liar) == Limits.registersOfOne)
      #expect(harness.replica(index).count <= kept + Limits.registersOfOne && told(harness, index).isEmpty)
    }
    #expect(harness.replica(0).digest == harness.replica(2).digest)
    // Nothing is left to take back.
    #expect(remove(harness, .everything) == .refused(.removedAlready))
  }

  @Test("D44: what it had spent and given before it filled the ledger stays spent and given")
  func whatItSpentStays() {
    let harness = Harness(3)
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.request(.addProducts([Fixtures.credits], version: 0), of: 0)
    var bought = Fixtures.buy("bought", Fixtures.credits, "2026-01-01")
    bought.bundleId = Harness.bundleId
    bought.accountToken = CreditHolder(harness.replica(1).id).accountToken
    harness.request(.write(SimulatedStore.writes(of: bought)), of: 1)
    harness.settle()
    for (index, id) in [(1, "its own"), (2, "given")] {
      harness.request(.spend(Spending(credit: "owls", amount: 1, id: id)), of: index)
      harness.settle()
    }
    fill(harness)
    #expect(balance(harness) == 3 && remove(harness, .everything) == .done(changed: 1))
    harness.settle()
    // Asked for again they are done already.
    for (index, id) in [(0, "its own"), (0, "given"), (2, "its own")] {
      let request = harness.request(.spend(Spending(credit: "owls", amount: 1, id: id)), of: index)
      harness.settle()
      #expect(harness.answers[request] == .spent(Spent(id: id, amount: 1, balance: 3, isRepeated: true)))
    }
    for index in [0, 2] {
      harness.adjust(index) { engine in
        #expect(engine.ledger { $0.balance("owls") == 3 && $0.doubts(of: "owls").isEmpty })
      }
    }
  }

  /// What nobody has signed, under the keys of items of the store, and parts that no item names.
  private func junk(_ numbers: Range<Int>) -> [LocalWrite] {
    numbers.flatMap { number -> [LocalWrite] in
      let value = StoreItem.verbatim(text: Array("\(number)".utf8)).encoded(.standing)
      let subject = StoreSubject(Fixtures.buy("\(number)", Fixtures.credits, "2026-01-01"), device: nil)
      let stamp = Stamp(rawValue: UInt64(number))
      let part = StorePart.chain(Array("\(number)".utf8)).encoded
      return [
        LocalWrite(
          key: subject.key(of: value, stamp: stamp, .simulated).encoded, stamp: stamp, value: value),
        LocalWrite(
          key: RegisterKey.storePart(StorePart.id(of: part, .simulated)).encoded, stamp: Stamp(rawValue: 0),
          value: part),
      ]
    }
  }

  /// ``Limits/doubtfulItems``
  @Test("I11: items that no store has signed leave with whoever made them up") func madeUpItemsLeave() {
    let harness = Harness(3)
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.request(.addProducts([Fixtures.credits], version: 0), of: 0)
    let batch = 2_048
    for first in stride(from: 0, through: 3 * Limits.registersOfOne / 4, by: batch) {
      harness.request(.write(junk(first..<first + batch)), of: 1)
      var bought = Fixtures.buy("bought \(first)", Fixtures.credits, "2026-01-01")
      bought.bundleId = Harness.bundleId
      harness.request(.write(SimulatedStore.writes(of: bought)), of: 1)
      harness.settle()
    }
    let balance = balance(harness)
    #expect(balance > 0 && harness.replica(0).count > Limits.registersOfOne)
    #expect(remove(harness, .everything) == .done(changed: 1))
    harness.settle()
    for index in [0, 2] {
      let rewritten = harness.replica(index).sortedWrites().filter { write in
        write.dot.replica != harness.replica(1).id && RegisterKind.isSignedByStore(write.key)
      }
      let genuine = rewritten.filter {
        let key = try? RegisterKey(decoding: $0.key[...])
        return if case .transaction(_, _, let id, _, _)? = key { id.hasPrefix("bought") } else { false }
      }
      // Parts are written again for items that name them alone.
      #expect(!genuine.isEmpty && rewritten.count == Limits.doubtfulItems + genuine.count)
    }
    #expect(self.balance(harness) == balance && harness.replica(0).digest == harness.replica(2).digest)
    harness.expectSaved(0)
  }

  private func balance(_ harness: Harness) -> Int64 {
    var balance: Int64 = 0
    harness.adjust(0) { engine in
      balance = engine.ledger { $0.balance(Fixtures.credits.boughtCredit ?? "") }
    }
    return balance
  }
}

import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A member writes more than any device of a person does: its removal with all that it had decided gives the room back.
@Suite struct FullLedgerTests {
  private func remove(_ harness: Harness, _ takingBack: TakingBack, _ index: Int = 1) -> Answer? {
    let request = harness.request(
      .remove(harness.identities[index].device, recoveryKey: nil, takingBack: takingBack), of: 0)
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

  /// The first device removes one that it has heard nothing of: all that it has written is void on another one.
  private func void(_ index: Int, on other: Int, _ harness: Harness) {
    harness.settle()
    harness.cut()
    #expect(remove(harness, .nothing, index) == .done(changed: 1))
    harness.connect(0, other)
    harness.settle()
    harness.cut()
    #expect(harness.replica(other).registerCount(of: harness.identities[index].key) == 0)
    #expect(harness.replica(0).digest == harness.replica(other).digest)
  }

  @Test("I11: of items that no store has signed as few stay however many who made them up are removed")
  func madeUpItemsOfSeveralLeave() {
    let harness = Harness(4)
    let each = Limits.doubtfulItems * 3 / 4
    for index in 1...2 {
      harness.connect(index, 3)
      harness.request(.write(junk(index * each..<(index + 1) * each)), of: index)
      void(index, on: 3, harness)
      let items = harness.replica(0).sortedWrites().filter { RegisterKind.isSignedByStore($0.key) }
      // Parts that nothing names have left.
      #expect(items.count == min(index * each, Limits.doubtfulItems))
      #expect(items.allSatisfy { $0.dot.replica == harness.replica(3).id })
    }
  }

  /// Genuine items that nobody needs: a signature that is packed in many ways, snapshots of one purchase that were signed one after
  /// another, and what was signed for another app.
  private func needless(_ bought: Transaction, _ numbers: Range<Int>) -> [LocalWrite] {
    let jws = SimulatedStore.sign(bought)
    let chain = StorePart.id(of: StorePart.chain(jws.header).encoded, .simulated)
    let part = StorePart.template(PayloadTemplate(chain: chain, pieces: [.any, .any, .any])).encoded
    let template = StorePart.id(of: part, .simulated)
    let packed = numbers.map { number -> LocalWrite in
      // So many pairs of places there are that split the payload.
      let (first, second) = (number % 256, 256 + number / 256)
      var values = ByteWriter()
      for piece in [jws.payload[..<first], jws.payload[first..<second], jws.payload[second...]] {
        values.write(bytes: Array(piece))
      }
      let value = StoreItem.compact(template: template, signature: jws.signature, values: values.bytes)
        .encoded(bought.rank)
      let key = StoreSubject(bought, device: nil).key(of: value, stamp: bought.stamp, .simulated)
      return LocalWrite(key: key.encoded, stamp: bought.stamp, value: value)
    }
    let signed = numbers.prefix(128).flatMap { number -> [LocalWrite] in
      var (later, elsewhere) = (bought, Fixtures.buy("\(number)", Fixtures.credits, "2026-01-01"))
      later.signedDate = bought.signedDate.advanced(byMilliseconds: Int64(number + 1))
      elsewhere.bundleId = "elsewhere"
      return SimulatedStore.writes(of: later) + SimulatedStore.writes(of: elsewhere)
    }
    return [
      LocalWrite(
        key: RegisterKey.storePart(template).encoded, stamp: Stamp(rawValue: 0), value: part)
    ] + packed + signed
  }

  /// ``Limits/itemsOfSubject``
  @Test("I11: of genuine items those are written again that say something") func itemsThatSayNothingLeave() {
    let harness = Harness(3)
    harness.request(.addProducts([Fixtures.credits], version: 0), of: 0)
    harness.connect(1, 2)
    var bought = Fixtures.buy("bought", Fixtures.credits, "2026-01-01")
    bought.bundleId = Harness.bundleId
    harness.request(.write(needless(bought, 0..<4_096)), of: 1)
    void(1, on: 2, harness)
    let items = harness.replica(0).sortedWrites().filter {
      $0.key.first == RegisterKind.transaction.rawValue
    }
    let own = items.filter {
      let key = try? RegisterKey(decoding: $0.key[...])
      return if case .transaction(_, Harness.bundleId, _, _, _)? = key { true } else { false }
    }
    #expect(own.count == Limits.itemsOfSubject && items.count == own.count + 128)
    #expect(balance(harness) == 5)
  }

  private func balance(_ harness: Harness) -> Int64 {
    var balance: Int64 = 0
    harness.adjust(0) { engine in
      balance = engine.ledger { $0.balance(Fixtures.credits.boughtCredit ?? "") }
    }
    return balance
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A member that signs properly and overwrites whatever it can of the purchases of others.
@Suite struct RewritingTests {
  private static let hostile = Author(40)
  private static let ids = ["1", "2", "3"]

  private static func purchase(_ id: String, _ date: String = "2026-01-01") -> Transaction {
    var transaction = Fixtures.buy(id, Fixtures.threeMonths, date)
    transaction.bundleId = Harness.bundleId
    return transaction
  }

  /// Three devices in a chain, each of which has bought something.
  private func household() -> Harness {
    let harness = Harness(3)
    connect(harness)
    let product = LocalWrite(
      key: RegisterKey.product(id: Fixtures.threeMonths.id).encoded, stamp: Stamp(rawValue: 0),
      value: Fixtures.threeMonths.encoded)
    harness.request(.write([product]), of: 0)
    for (index, id) in Self.ids.enumerated() {
      harness.request(.write(SimulatedStore.writes(of: Self.purchase(id))), of: index)
    }
    harness.settle()
    harness.expectConverged()
    return harness
  }

  private func connect(_ harness: Harness) {
    harness.connect(0, 1)
    harness.connect(1, 2)
    harness.settle()
  }

  /// Nine months on every device, from nobody but the store.
  private func expectPurchases(_ harness: Harness, sourceLocation: SourceLocation = #_sourceLocation) {
    for index in harness.engines.indices {
      harness.adjust(index) { engine in
        let counting = engine.ledger { $0.transactions() }.filter(\.transaction.isAccepted)
        #expect(counting.map(\.transaction.transactionId) == Self.ids, sourceLocation: sourceLocation)
        #expect(counting.allSatisfy { $0.rejection == nil }, sourceLocation: sourceLocation)
        let expires = engine.ledger { $0.expires() }
        #expect(expires == instant("2026-10-01"), "engine \(index)", sourceLocation: sourceLocation)
      }
    }
  }

  /// Writes of the hostile member, from a sequence on, as one commit.
  private func commit(_ writes: [LocalWrite], from first: UInt64) -> Commit {
    .signed(
      writes.enumerated().map {
        Write($1, dot: Dot(replica: Self.hostile.replica, sequence: first + UInt64($0)))
      })
  }

  /// What it would like the register of a write to hold.
  private func overwriting(_ write: Write) -> [LocalWrite] {
    let later = Stamp(rawValue: write.stamp.rawValue + 1)
    return [
      LocalWrite(key: write.key, stamp: Stamp(rawValue: .max), value: [0xff]),
      LocalWrite(key: write.key, stamp: later, value: write.value),
      LocalWrite(key: write.key, stamp: write.stamp, value: [0xff] + write.value),
      LocalWrite(key: write.key, stamp: later, value: []),
    ]
  }

  @Test func nobodyRewritesTheRegistersOfOthers() {
    let harness = household()
    let before = harness.replica(0).sortedWrites()
    let store = before.filter { RegisterKind(rawValue: $0.key[0])?.isSignedByStore ?? false }
    #expect(store.count == 5, "three items, a template and a chain")
    for index in harness.engines.indices {
      for write in store.flatMap(overwriting) {
        for isDelta in [false, true] {
          let session = harness.welcomed(index, as: Self.hostile)
          let commit = commit([write], from: 1)
          let chunk = DeltaChunk(delta: 1, index: 0, commits: commit.batch)
          let effects = harness.handle(index, [.received(session, isDelta ? .delta(chunk) : .commit(commit))])
          #expect(effects.closings.map(\.1) == [.forged] && effects.closings.map(\.0) == [session])
        }
      }
      #expect(harness.replica(index).sortedWrites() == before)
    }
    harness.expectConverged()
    expectPurchases(harness)
  }

  /// All that is left to it: items of its own about the purchases of others, and copies of theirs.
  private func allowed(_ harness: Harness) -> [LocalWrite] {
    var writes: [LocalWrite] = []
    for id in Self.ids {
      var claim = Self.purchase(id).refunded("2026-06-01")
      writes.append(claim.unsigned(stamp: Stamp(rawValue: .max)))
      claim.verification = .unverified
      writes += SimulatedStore.writes(of: claim)
      let subject = StoreSubject(claim, device: nil)
      for (value, stamp) in garbage(of: SimulatedStore.writes(of: Self.purchase(id))) {
        let key = subject.key(of: value, stamp: stamp, .simulated)
        writes.append(LocalWrite(key: key.encoded, stamp: stamp, value: value))
      }
      writes += SimulatedStore.writes(of: Self.purchase(id))
    }
    return writes
  }

  /// The value of an item under a later stamp, cut short, with another rank, and no item at all.
  private func garbage(of writes: [LocalWrite]) -> [(value: [UInt8], stamp: Stamp)] {
    guard let item = writes.last, let stamp = item.stamp else { return [] }
    let later = Stamp(rawValue: stamp.rawValue + 1 << 30)
    return [
      (item.value, later), (Array(item.value.dropLast()), later), ([0x21] + item.value.dropFirst(), stamp),
      ([], later), ([0xff], later), ([0x12] + Array("a.b.c".utf8), later),
    ]
  }

  @Test func whatItMayWriteHidesNothing() throws {
    let harness = household()
    for index in harness.engines.indices {
      let session = harness.welcomed(index, as: Self.hostile)
      harness.handle(index, [.received(session, .commit(commit(allowed(harness), from: 1)))])
      harness.settle()
    }
    #expect(!harness.closeReasons.contains(.forged))
    harness.expectConverged()
    expectPurchases(harness)
    harness.adjust(2) { engine in
      #expect(engine.ledger { $0.refusals.reduce(0) { $0 + $1.count } } == 8 * Self.ids.count)
    }
    // Its copies have won some registers: they go with it.
    #expect(harness.replica(0).sortedWrites().contains(where: isOfHostile))
    let request = harness.request(.remove(Self.hostile.device, recoveryKey: nil), of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
    expectConvergedPurchases(harness)
    // A removal leaves what was known before it. Whoever forks is cut deeper, down to nothing.
    for index in harness.engines.indices { harness.apply([Self.hostile.replica: 0], on: index) }
    expectConvergedPurchases(harness)
    for index in harness.engines.indices {
      harness.restart(index)
      #expect(!harness.replica(index).sortedWrites().contains(where: isOfHostile))
    }
    expectPurchases(harness)
  }

  private func isOfHostile(_ write: Write) -> Bool { write.dot.replica == Self.hostile.replica }

  private func expectConvergedPurchases(_ harness: Harness) {
    for _ in 0..<2 {
      harness.cut()
      connect(harness)
      harness.advance(4 * Limits.beatMilliseconds)
    }
    harness.expectConverged()
    expectPurchases(harness)
  }

  /// A disk that lies: the damaged register is left out, and a repair brings it back.
  @Test func aDamagedItemIsRepaired() {
    let harness = household()
    var disk = harness.disks[1]
    for (key, var write) in disk.registers where write.key[0] == RegisterKind.transaction.rawValue {
      write.stamp = Stamp(rawValue: .max)
      write.value[20] ^= 1
      disk.registers[key] = write
    }
    harness.cut()
    harness.restart(1, from: disk)
    #expect(harness.replica(1).count == harness.replica(0).count - 3)
    connect(harness)
    harness.advance(4 * Limits.beatMilliseconds)
    expectPurchases(harness)
    #expect(harness.replica(1).digest == harness.replica(0).digest)
  }
}

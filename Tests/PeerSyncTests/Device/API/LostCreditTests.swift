import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What people are told of credits that somebody took over from a device that nobody has met.
@Suite struct LostCreditTests {
  /// Three members; what the last one has bought the first one knows, and of that device nothing.
  private func group() -> Harness {
    let harness = Harness(3)
    harness.buyOwls(by: 0, for: harness.replica(2).id)
    return harness
  }

  /// What the first device tells: what counts, what does not, and by whom it has happened.
  private func told(
    _ harness: Harness
  ) -> (counted: [ReplicaID], void: [ReplicaID], occurrences: [(what: Occurrence.What, device: DeviceID?)]) {
    var told:
      (counted: [ReplicaID], void: [ReplicaID], occurrences: [(what: Occurrence.What, device: DeviceID?)])
    told = ([], [], [])
    harness.adjust(0) { engine in
      engine.look { view in
        told.counted = view.takenFromLost(of: "owls").map(\.by)
        told.void = view.voidTakings(of: "owls").map(\.by)
        told.occurrences = view.history(at: Instant(clamping: Harness.wall), atMost: 100)
          .map { ($0.what, $0.device?.id) }
          .filter { if case .reclaimed = $0.what { true } else { false } }
      }
    }
    return told
  }

  @Test(
    "F59: what was taken over from a device that turns up is told as before, and does not count",
    arguments: [false, true])
  func turnsUp(isSaid: Bool) throws {
    let harness = group()
    let (victim, taker) = (harness.replica(2).id, harness.replica(1).id)
    harness.perform(1) { engine, _, effects in
      engine.holdings.write(
        [isSaid ? .lost(from: victim, by: taker) : .taken(from: victim, by: taker)], total: 3, of: "owls",
        &effects)
    }
    harness.connect(0, 1)
    harness.settle()
    let before = told(harness)
    #expect(before.counted == [taker] && before.void.isEmpty)
    #expect(before.occurrences.map(\.what) == [.reclaimed(3, of: "owls", counts: true)])
    harness.request(.rename("Cora"), of: 2)
    harness.connect(0, 2)
    harness.settle()
    let after = told(harness)
    #expect(after.counted.isEmpty && after.void == [taker])
    #expect(after.occurrences.map(\.what) == [.reclaimed(3, of: "owls", counts: false)])
    #expect((before.occurrences + after.occurrences).allSatisfy { $0.device == harness.identities[1].device })
  }

  /// A member signs in lives that it has made up, or repeats what another one had signed so.
  @Test(
    "F59: what made-up devices took over from the lost is told together, with who names it",
    arguments: [false, true])
  func madeUp(isSaid: Bool) throws {
    let harness = group()
    let (victim, liar) = (harness.replica(2).id, harness.author(1))
    let writes = try [Author(98), Author(99)].enumerated().map { place, madeUp in
      let taking: CreditEntry =
        isSaid ? .lost(from: victim, by: madeUp.replica) : .taken(from: victim, by: madeUp.replica)
      let shown = try #require(madeUp.proofs(of: [taking]).first)
      let key = try RegisterKey(decoding: shown.number.key[...]).named(by: liar.replica)
      return Write(
        key: try #require(key).encoded, stamp: shown.number.stamp, value: shown.proof,
        dot: Dot(replica: liar.replica, sequence: UInt64(place) + 1))
    }
    let session = harness.welcomed(0, as: liar)
    for write in writes {
      harness.handle(0, [.received(session, .commit(try #require(liar.commit([write]))))])
    }
    harness.adjust(0) { engine in
      let taken = engine.look { $0.takenFromLost(of: "owls") }
      #expect(taken.map(\.by) == [liar.replica] && taken.map(\.amount) == [2] && taken.allSatisfy(\.isNamed))
    }
    let told = told(harness)
    let each = Occurrence.What.reclaimed(1, of: "owls", counts: true, isNamed: true)
    #expect(told.occurrences.map(\.what) == [each, each])
    #expect(told.occurrences.allSatisfy { $0.device == harness.identities[1].device })
  }

  @Test("I12: of a device that was removed nobody is told to remove it for what it had spent")
  func overspent() {
    let harness = group()
    let liar = harness.replica(1).id
    harness.perform(1) { engine, _, effects in
      engine.holdings.write([.spent(by: liar)], total: 9, of: "owls", &effects)
    }
    harness.connect(0, 1)
    harness.settle()
    func warnings() -> [String] {
      var warnings: [String] = []
      harness.adjust(0) { engine in
        warnings = engine.look { view in view.doubtWarnings }.map { $0.text(in: .english) }
      }
      return warnings
    }
    #expect(warnings().map { $0.hasSuffix("Remove it if it is not honest") } == [true])
    harness.removeSecond()
    #expect(warnings().map { $0.hasSuffix("It was removed, and nothing else is to be done") } == [true])
  }
}

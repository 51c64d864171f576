import PeerSyncCore
import Testing

/// Whatever a peer says, in whatever phase: no trap, no acknowledged write lost, no unbounded answer.
@Suite struct HostileMessageTests {
  private static let known = SyncTests.writes(60, by: 8)

  /// Writes to registers that are known, none of which wins.
  private func losers(_ random: inout SeededGenerator) -> SignedBatch {
    var writes: [Write] = []
    for _ in 0..<random.below(5) {
      var write = random.pick(Self.known)
      write.stamp = Stamp(rawValue: write.stamp.rawValue - UInt64(1 + random.below(3)))
      write.value = random.bytes(random.below(200))
      // Not by the author of what is known: two commits for one sequence would be evidence against it.
      let author = Author(UInt64(10 + random.below(10)))
      write.dot = Dot(replica: author.replica, sequence: Dot.generate(&random).sequence)
      writes.append(write)
    }
    return .signed(writes)
  }

  private func message(_ random: inout SeededGenerator, _ engine: Engine) -> Message {
    switch random.below(8) {
    case 0:
      .delta(
        DeltaChunk(delta: UInt64(random.below(3)), index: UInt64(random.below(3)), commits: losers(&random)))
    case 1:
      .deltaEnd(
        DeltaEnd(
          delta: UInt64(random.below(3)), chunks: UInt64(random.below(3)),
          baseHash: engine.replica.vectorHash,
          claims: VersionVector.generate(&random).entries))
    case 2: .items(RangeItems(range: .all, wantsReply: true, commits: losers(&random)))
    case 3: .ranges(KeyRange.all.children.map { RangeDigest(range: $0, count: 1, digest: Digest()) })
    case 4:
      .summary(Summary(isProbe: true, vectorHash: engine.replica.vectorHash, digest: .generate(&random)))
    default: .generate(&random)
    }
  }

  private func isFinal(_ type: MessageType) -> Bool {
    [.hello, .welcome, .join, .introduction, .consent, .admitted, .close].contains(type)
  }

  private func expectKnown(_ replica: Replica, seed: UInt64) {
    for write in Self.known {
      let held = replica.register(write.key)
      #expect(held?.stamp == write.stamp && held?.value == write.value, "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all) func intoAReadySession(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let harness = Harness(start: false)
    // Generated messages are signed by the authors 0 to 3: under this device's own key they would use its dots.
    harness.add(disk: HarnessDisk(Self.known), author: Author(30))
    harness.add()
    for index in 0...1 { harness.start(index) }
    let own = harness.identities[0].replica
    var session = readySession(harness)
    for number in 0..<1_500 {
      // Slowly enough that most is answered.
      harness.monotonic += 10
      var message = message(&random, harness.engines[0])
      while isFinal(message.type), !random.chance(1, of: 40) {
        message = self.message(&random, harness.engines[0])
      }
      let before = harness.sent.count
      let effects = harness.handle(0, [.received(session, message)])
      #expect(effects.messages.count <= 64 && harness.sent.count == before, "seed \(seed)")
      harness.handle(0, [.drained(session)])
      if !effects.closings.isEmpty {
        harness.handle(0, [.closed(session)])
        session = readySession(harness)
      }
      if number % 100 == 0 {
        expectKnown(harness.replica(0), seed: seed)
        harness.write(0, "own", [UInt8(number / 100)])
        // A claim on this device's own writes may use up its dots. It never makes it use one twice.
        let dots = harness.history.filter { $0.dot.replica == own }.map(\.dot)
        #expect(Set(dots).count == dots.count, "seed \(seed)")
      }
    }
    expectKnown(harness.replica(0), seed: seed)
    // Pieces of a delta wait in memory until the session that brought them ends.
    harness.handle(0, [.closed(session)])
    harness.expectSaved(0)
  }

  /// A session of the first engine with the second, which only the test speaks for.
  private func readySession(_ harness: Harness) -> SessionID {
    harness.welcomed(0, as: Author(2))
  }

  /// Before a session is ready nothing gets through at all.
  @Test(arguments: Seeds.all) func intoASessionThatIsNotReady(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(Self.known))
    harness.start(0)
    let before = (harness.replica(0).digest, harness.replica(0).vector)
    for _ in 0..<1_500 {
      let address = random.chance(1, of: 2) ? Address(host: "there", port: 1) : nil
      let session = harness.open(0, dialled: address)
      for _ in 0..<3 {
        let effects = harness.handle(0, [.received(session, message(&random, harness.engines[0]))])
        #expect(effects.messages.isEmpty && effects.durable.isEmpty, "seed \(seed)")
      }
      harness.handle(0, [.closed(session)])
    }
    #expect(harness.replica(0).digest == before.0 && harness.replica(0).vector == before.1)
  }
}

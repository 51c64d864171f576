import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What a member does by the hundred has others say no more to each other than a peer may.
@Suite struct PaceTests {
  private func message(_ harness: Harness, from: Int, to: Int, _ type: MessageType, since start: Int) -> Int {
    harness.sent.dropFirst(start).count { $0.from == from && $0.to == to && $0.message.type == type }
  }

  /// Little deltas, each of which claims something: others are asked to compare at a pace, and in the end all agree.
  @Test func littleDeltas() {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let member = harness.welcomed(0, as: Author(8))
    let (start, count) = (harness.sent.count, 2 * Int(Limits.askings))
    for (place, write) in SyncTests.writes(count, by: 8).enumerated() {
      let number = UInt64(place + 1)
      let chunk = DeltaChunk(delta: number, index: 0, commits: Commit.signed([write]).batch)
      let claim = Dot(replica: write.dot.replica, sequence: number)
      let end = DeltaEnd(delta: number, chunks: 1, baseHash: harness.replica(0).vectorHash, claims: [claim])
      harness.handle(0, [.received(member, .delta(chunk)), .received(member, .deltaEnd(end))])
    }
    let asked = message(harness, from: 0, to: 1, .summary, since: start)
    #expect(asked <= Int(Limits.askings) && asked > 1)
    harness.settle()
    harness.advance(10 * Limits.askingMilliseconds)
    harness.settle()
    #expect(harness.replica(0).vector[Author(8).replica] == UInt64(count) && harness.closeReasons.isEmpty)
    harness.expectConverged()
  }

  /// A member contradicts itself in one life after another: the others stay connected, and each hears of all of it.
  @Test func livesThatContradictThemselves() {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let member = harness.welcomed(0, as: Author(8))
    let start = harness.sent.count
    let count = 40
    for life in 0..<UInt64(count) {
      for value in [[UInt8(1)], [2]] {
        var liar = Forger(Author(8).key, nonce: Nonce(high: 77, low: life))
        let write = LocalWrite(
          key: RegisterKey.value(key: "k").encoded, stamp: Stamp(rawValue: 1), value: value)
        guard let made = liar.commit([write]) else { continue }
        harness.handle(0, [.received(member, .commit(made.commit))])
      }
    }
    #expect(harness.replica(0).forks.count == count && harness.closeReasons.isEmpty)
    harness.settle()
    #expect(message(harness, from: 0, to: 1, .forks, since: start) <= Int(Limits.tellings))
    harness.advance(2 * Limits.tellingMilliseconds)
    harness.settle()
    #expect(harness.replica(1).forks.count == count && harness.closeReasons.isEmpty)
    #expect(harness.engines[1].readySessions == 1)
    harness.write(1, "a", [3])
    harness.settle()
    harness.expectConverged()
    #expect(harness.value(0, "a") == [3])
  }
}

import PeerSyncCore
import Testing

/// Devices that catch up through each other all know soon that they have, without asking again and again.
@Suite struct CatchingUpTests {
  private static let count = 5

  /// All connect with all within a short time, in which each writes something. On one session messages keep their order; which session
  /// is next is drawn.
  private func meet(_ seed: UInt64) -> Harness {
    let harness = Harness(Self.count)
    var random = SeededGenerator(seed: seed)
    var turns: [() -> Void] = (0..<Self.count).map { index in { harness.write(index, "\(index)", [1]) } }
    for dialler in 0..<Self.count {
      turns += (0..<dialler).map { listener in { harness.connect(dialler, listener) } }
    }
    turns.shuffle(using: &random)
    while !turns.isEmpty || !harness.wire.isEmpty {
      if let turn = turns.last, harness.wire.isEmpty || random.chance(8) {
        turns.removeLast()
        turn()
      } else {
        deliver(harness, using: &random)
      }
    }
    harness.expectConverged()
    return harness
  }

  private func deliver(_ harness: Harness, using random: inout SeededGenerator) {
    let session = harness.wire[Int.random(in: harness.wire.indices, using: &random)].session
    guard let next = harness.wire.firstIndex(where: { $0.session == session }) else { return }
    harness.wire.insert(harness.wire.remove(at: next), at: 0)
    harness.deliver()
  }

  private func pairsInSync(_ harness: Harness) -> Int {
    harness.engines.reduce(0) { $0 + $1.peers.count { $0.isConnected && $0.isInSync } }
  }

  @Test(arguments: Seeds.all) func allKnowSoonThatTheyAreInStep(seed: UInt64) {
    let harness = meet(seed)
    let (pairs, start) = (Self.count * (Self.count - 1), harness.sent.count)
    harness.advance(Limits.reportMilliseconds)
    #expect(pairsInSync(harness) == pairs, "seed \(seed)")
    // Once to each, and nobody answers.
    let sent = harness.sent[start...]
    #expect(sent.count <= pairs && sent.allSatisfy { $0.message.type == .summary }, "seed \(seed)")
    harness.advance(Limits.reportMilliseconds * 10)
    #expect(harness.sent.count == start + sent.count, "seed \(seed)")
  }

  /// What a peer was sent it need not be told as well.
  @Test func whatIsPushedIsNotReported() {
    let harness = Harness(3)
    for (dialler, listener) in [(1, 0), (2, 0), (2, 1)] { harness.connect(dialler, listener) }
    harness.settle()
    harness.advance(Limits.reportMilliseconds)
    for index in 0..<3 {
      harness.write(index, "\(index)", [1])
      harness.settle()
      #expect(pairsInSync(harness) == 6)
      let start = harness.sent.count
      harness.advance(Limits.reportMilliseconds * 10)
      #expect(harness.sent.count == start)
    }
  }

  /// A device that goes on moving says so twice a second and not more often.
  @Test func reportsAreFewWhileMuchComes() {
    let harness = Harness(3)
    harness.connect(1, 0)
    harness.connect(2, 1)
    harness.settle()
    harness.advance(Limits.reportMilliseconds)
    // What the first device pushes to the second one does not reach the third by itself, as if its queue were full.
    harness.filter = { envelope in
      if case .commit = envelope.message, envelope.to == 2 { return [] }
      return [envelope]
    }
    let start = harness.sent.count
    for _ in 0..<100 {
      harness.write(0, "a", [1])
      harness.advance(10)
    }
    let told = harness.sent[start...].count { $0.from == 1 && $0.to == 2 && $0.message.type == .summary }
    #expect(told <= 2)
  }
}

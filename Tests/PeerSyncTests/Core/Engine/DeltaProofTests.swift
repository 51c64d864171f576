import PeerSyncCore
import Testing

/// What a delta may claim follows from what its sender can prove.
@Suite struct DeltaProofTests {
  /// A disk that has lost a write of a commit cannot prove the others: the delta leaves the commit out, and claims nothing.
  @Test func aDamagedCommitIsNotClaimed() {
    let harness = Harness(start: false)
    let writes = SyncTests.writes(3, by: 8)
    var disk = HarnessDisk(writes)
    disk.proofs = KeptProofs([Commit.signed(Array(writes[...1])), Commit.signed([writes[2]])])
    disk.registers[writes[0].key] = nil
    harness.add(disk: disk)
    harness.add()
    for index in 0...1 { harness.start(index) }
    harness.connect(0, 1)
    harness.settle()
    #expect(
      harness.replica(1).register(writes[2].key) != nil && harness.replica(1).register(writes[1].key) == nil)
    #expect(harness.replica(1).vector[Author(8).replica] == 0)
  }

  /// A commit comes while a delta is under way: one of its writes replaces what the delta has yet to send, and goes out in
  /// its place; another is held back, and goes out as a hash. Then the clock allows it, and it replaces something further
  /// on. The delta begins again, or its claims would be false.
  @Test(arguments: [false, true]) func aWriteThatComesBackDuringADelta(isLater: Bool) throws {
    let numbers = [UInt64(8), 9].sorted { (Author($0).replica < Author($1).replica) != isLater }
    let known = SyncTests.writes(60, by: numbers[1])
    let (harness, feed) = try feeding(known)
    harness.drains = false
    harness.connect(0, 1)
    harness.settle()
    var writes = SyncTests.writes(2, by: numbers[0])
    (writes[0].key, writes[1].key) = (known[59].key, known[40].key)
    writes[0].stamp = Stamp(Instant(clamping: Harness.wall + 3_600_000))
    writes[1].stamp = Stamp(Instant(clamping: Harness.wall))
    let commit = Message.commit(.signed(writes))
    let last = known[59]
    harness.handle(0, [.received(feed, commit)])
    try drain(harness, last)
    while harness.replica(1).register(known[40].key)?.value != writes[1].value, harness.replica(1).count < 61
    {
      try drain(harness, last)
    }
    #expect(harness.replica(1).register(known[59].key) == nil)
    harness.skew = [3_600_000, 3_600_000, 3_600_000]
    harness.handle(0, [.received(feed, commit)])
    harness.drains = true
    try drain(harness, last)
    #expect(harness.replica(1).vector.contains(known[59].dot))
    #expect(harness.replica(1).register(known[59].key)?.value == writes[0].value)
  }

  /// Two engines with small queues, of which the first holds some writes, and its session with a third that feeds it.
  private func feeding(_ known: [Write]) throws -> (Harness, SessionID) {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(known))
    for _ in 0..<2 { harness.add() }
    harness.adjust(0) {
      $0.chunkBytes = 300
      $0.queueLimit = 2_000
    }
    for index in 0...2 { harness.start(index) }
    harness.connect(2, 0)
    harness.settle()
    return (harness, try #require(harness.sent.last { $0.to == 0 && $0.from == 2 }?.session))
  }

  /// Lets everything through that waits. A write that is claimed is there, itself or a greater one.
  private func drain(_ harness: Harness, _ write: Write) throws {
    let waiting = try #require(harness.sent.last { $0.from == 0 && $0.to == 1 }?.fromSession)
    harness.handle(0, [.drained(waiting)])
    while harness.deliver() != nil {
      let isClaimed = harness.replica(1).vector.contains(write.dot)
      #expect(!isClaimed || harness.replica(1).register(write.key) != nil)
    }
  }
}

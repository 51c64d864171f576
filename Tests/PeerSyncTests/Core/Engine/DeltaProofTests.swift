import PeerSyncCore
import Testing

/// What a delta may claim follows from what its sender can prove.
@Suite struct DeltaProofTests {
  /// A disk that has lost a write of a commit cannot prove the others: the delta leaves the commit out, and claims nothing.
  @Test func aDamagedCommitIsNotClaimed() {
    let harness = Harness(start: false)
    let writes = SyncTests.writes(3, by: 8)
    var disk = HarnessDisk(writes)
    disk.proofs = PersistedProofs([Commit.signed(Array(writes[...1])), Commit.signed([writes[2]])])
    disk.registers[writes[0].register] = nil
    harness.add(disk: disk)
    harness.add()
    for index in 0...1 { harness.start(index) }
    harness.connect(0, 1)
    harness.settle()
    #expect(
      harness.replica(1).register(writes[2].key) != nil && harness.replica(1).register(writes[1].key) == nil)
    #expect(harness.replica(1).vector[Author(8).replica] == 0)
  }

  /// A repair brings back, while a delta is under way, a write that was replaced when the delta named its registers: the delta
  /// begins again, or its claims would be false.
  @Test func aWriteThatComesBackDuringADelta() throws {
    let known = SyncTests.writes(60, by: 8)
    let back = known[20]
    let (harness, feed) = try feeding(known, without: back)
    harness.drains = false
    harness.connect(0, 1)
    harness.settle()
    let items = RangeItems(range: .all, wantsReply: false, commits: Commit.signed(known).batch)
    harness.handle(0, [.received(feed, .items(items))])
    #expect(harness.replica(0).revivals == 1)
    harness.drains = true
    try drain(harness, back)
    #expect(harness.replica(1).vector.contains(back.dot))
    #expect(harness.replica(1).registers[back.register] == back)
  }

  /// Two engines with small queues, of which the first holds some writes, and its session with a third that feeds it.
  ///
  /// - Parameter replaced: one of them, of which it has the hash alone
  private func feeding(_ known: [Write], without replaced: Write) throws -> (Harness, SessionID) {
    let harness = Harness(start: false)
    var disk = HarnessDisk(known)
    disk.proofs = PersistedProofs([Commit.signed(known)])
    disk.registers[replaced.register] = nil
    var replica = Author(1).emptyReplica
    _ = replica.merge(Commit.signed(known).batch, ceiling: Stamp(rawValue: .max))
    var later = replaced
    later.dot = Dot(replica: replaced.dot.replica, sequence: 61)
    _ = replica.merge(Commit.signed([later]).batch, ceiling: Stamp(rawValue: .max))
    for change in replica.takeProofChanges() { if case .replaced = change { disk.proofs.apply(change) } }
    harness.add(disk: disk)
    for _ in 0..<2 { harness.add() }
    harness.adjust(0) {
      $0.holdings.outbox.chunkBytes = 300
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

import PeerSyncCore
import Testing

@Suite struct PushTests {
  private func connected(_ links: [(Int, Int)], _ count: Int) -> Harness {
    let harness = Harness(count)
    for (dialler, listener) in links { harness.connect(dialler, listener) }
    harness.settle()
    harness.expectConverged()
    return harness
  }

  @Test func aWriteGoesAtOnce() {
    let harness = connected([(0, 1)], 2)
    let start = harness.sent.count
    harness.write(0, "a", [1])
    #expect(harness.types(from: 0, since: start) == [.commit])
    harness.halfRound()
    #expect(harness.value(1, "a") == [1])
    harness.settle()
    #expect(harness.types(from: 1, since: start) == [.summary])
    #expect(harness.engines[0].peers.filter(\.isConnected).map(\.isInSync) == [true])
  }

  /// Several requests that wait together are one commit.
  @Test func oneBatchIsOneCommit() {
    let harness = connected([(0, 1)], 2)
    let start = harness.sent.count
    let events = (0..<5).map { number in
      let write = LocalWrite(key: RegisterKey.value(key: "\(number)").encoded, value: [1])
      return Event.requested(RequestID(rawValue: UInt64(1_000 + number)), .write([write]))
    }
    let commits = harness.disks[0].commits
    harness.handle(0, events)
    #expect(harness.types(from: 0, since: start) == [.commit])
    #expect(harness.disks[0].commits == commits + 1)
  }

  /// A commit that is too large for one frame goes as several.
  @Test func largeCommitsArePieces() {
    let harness = connected([(0, 1)], 2)
    let start = harness.sent.count
    let writes = (0..<20).map {
      LocalWrite(
        key: RegisterKey.value(key: "\($0)").encoded, value: Array(repeating: 1, count: Limits.valueBytes))
    }
    harness.request(.write(writes), of: 0)
    let commits = harness.sent[start...].filter { $0.message.type == .commit }
    #expect(commits.count > 1)
    #expect(commits.allSatisfy { Frame.encode($0.message).count <= Limits.frameBytes })
    harness.settle()
    harness.expectConverged()
  }

  @Test func aChainPassesOnAndNeverBack() {
    let harness = connected([(0, 1), (1, 2)], 3)
    let start = harness.sent.count
    for round in 0..<5 { harness.write(0, "a", [UInt8(round)]) }
    harness.settle()
    harness.expectConverged()
    let commits = harness.sent[start...].filter { $0.message.type == .commit }
    #expect(commits.count { $0.from == 0 && $0.to == 1 } == 5)
    #expect(commits.count { $0.from == 1 && $0.to == 2 } == 5)
    #expect(commits.count == 10)
  }

  @Test func inAMeshACommitCrossesEachLinkAtMostTwice() {
    let harness = connected([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], 4)
    let start = harness.sent.count
    harness.write(0, "a", [1])
    harness.settle()
    harness.expectConverged()
    let later = harness.sent[start...]
    #expect(later.count { $0.message.type == .commit } <= 3 + 2 * 3)
    // And nobody asks for anything.
    #expect(later.allSatisfy { [.commit, .summary].contains($0.message.type) })
    harness.write(3, "b", [1])
    harness.write(1, "b", [2])
    harness.settle()
    harness.expectConverged()
  }

  /// Nor does news go back to a peer of which nothing is known yet.
  @Test func neverBackToWhereItCameFrom() throws {
    let harness = Harness(2)
    let session = harness.welcomed(0)
    var batch = WriteBatch()
    batch.append(SyncTests.writes(1, by: 8)[0])
    let effects = harness.handle(0, [.received(session, .commit(Commit.signed(batch)))])
    #expect(harness.replica(0).vector[Author(8).replica] == 1)
    #expect(effects.messages.map(\.1.type) == [.summary])
  }

  /// News that nobody can claim yet is not passed on: in a ring it would go round for ever.
  @Test func whatIsEarlyStaysWhereItIs() {
    let harness = connected([(0, 1), (1, 2), (2, 3), (3, 1)], 4)
    harness.filter = { _ in [] }
    harness.write(0, "a", [1])
    harness.filter = { [$0] }
    let start = harness.sent.count
    harness.write(0, "b", [2])
    harness.settle()
    #expect(harness.sent[start...].count { $0.message.type == .commit } == 1)
    harness.advance(2 * Limits.beatMilliseconds)
    harness.expectConverged()
  }

  /// A push was lost: the ones behind it are kept and not claimed, and a beat repairs it.
  @Test func aLostPush() {
    let harness = connected([(0, 1)], 2)
    let author = harness.identities[0].replica
    let before = harness.replica(1).vector[author]
    harness.filter = { _ in [] }
    harness.write(0, "a", [1])
    harness.filter = { [$0] }
    harness.write(0, "b", [2])
    harness.settle()
    #expect(harness.value(1, "b") == [2] && harness.value(1, "a") == nil)
    #expect(harness.replica(1).vector[author] == before)
    harness.expectClaimsHold()
    harness.advance(2 * Limits.beatMilliseconds)
    harness.expectConverged()
  }

  @Test func aPushThatComesTwiceOrLate() {
    let harness = connected([(0, 1), (1, 2)], 3)
    var held: [Harness.Envelope] = []
    harness.filter = { envelope in
      guard envelope.message.type == .commit, envelope.from == 0 else { return [envelope] }
      if held.isEmpty {
        held = [envelope]
        return []
      }
      return [envelope, envelope] + held.popAll()
    }
    harness.write(0, "a", [1])
    harness.write(0, "b", [2])
    while harness.deliver() != nil { harness.expectClaimsHold() }
    // The one behind got news that its neighbour could not claim yet by comparing vectors.
    harness.expectConverged()
  }

  /// A queue that does not empty: pushes stop, and once it has emptied vectors are compared.
  @Test func aFullQueueFallsBackToAntiEntropy() throws {
    let harness = connected([(0, 1)], 2)
    harness.drains = false
    harness.adjust(0) { $0.queueLimit = 500 }
    let start = harness.sent.count
    for number in 0..<50 { harness.write(0, "\(number)", [1]) }
    let pushed = harness.types(from: 0, since: start).count
    #expect(pushed < 10)
    harness.settle()
    #expect(harness.replica(1).count < harness.replica(0).count)
    let session = try #require(harness.sent.last { $0.from == 0 }?.fromSession)
    let effects = harness.handle(0, [.drained(session)])
    #expect(effects.messages.map(\.1.type) == [.summary])
    harness.drains = true
    harness.settle()
    harness.expectConverged()
    // Only once.
    #expect(harness.handle(0, [.drained(session)]).messages.isEmpty)
  }

  /// A delta never puts more than the limit, and one piece, into a queue.
  @Test func aDeltaWaitsForTheQueue() throws {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(SyncTests.writes(500, by: 8, value: 100)))
    harness.add()
    harness.adjust(0) {
      $0.holdings.outbox.chunkBytes = 1_000
      $0.queueLimit = 4_000
    }
    for index in 0...1 { harness.start(index) }
    harness.drains = false
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.replica(1).count < 60)
    harness.drains = true
    let session = try #require(harness.sent.last { $0.from == 0 }?.fromSession)
    harness.handle(0, [.drained(session)])
    harness.settle()
    harness.expectConverged()
  }
}

import PeerSyncCore
import Testing

/// Equal vectors, different registers: what only a faulty disk or a fault of the program brings about.
@Suite struct RepairTests {
  /// Two engines that both claim all writes, each of which lacks some of them.
  private func diverged(_ count: Int, missing: (Int, Write) -> Bool) -> Harness {
    let harness = Harness(start: false)
    let writes = SyncTests.writes(count, by: 8)
    for index in 0...1 {
      var disk = HarnessDisk(writes)
      for write in writes where missing(index, write) { disk.registers[write.register] = nil }
      harness.add(disk: disk)
      harness.start(index)
    }
    #expect(harness.replica(0).vector == harness.replica(1).vector)
    return harness
  }

  private func isDivergence(_ notice: Notice) -> Bool {
    if case .divergence = notice { true } else { false }
  }

  @Test(arguments: [1, 10, 100, 1_000]) func endsEqualWithAnAlarm(differences: Int) {
    let count = 3_000
    let harness = diverged(count) { index, write in
      write.key.first == RegisterKind.value.rawValue && write.dot.sequence <= differences
        && write.dot.sequence % 2 == index
    }
    #expect(harness.replica(0).digest != harness.replica(1).digest)
    harness.connect(1, 0)
    harness.settle()
    harness.advance(4 * Limits.beatMilliseconds)
    #expect(harness.replica(0).digest == harness.replica(1).digest)
    #expect(harness.replica(0).count == count)
    #expect(harness.notices.contains { isDivergence($0.notice) })
    for index in 0...1 { #expect(harness.disks[index].registers.count == count) }
    // In proportion to the difference: one repair, not one per message of the repair.
    #expect(harness.sent.count < 100 + 8 * differences, "\(harness.sent.count) messages")
    #expect(harness.notices.count { isDivergence($0.notice) } <= 2)
  }

  /// Neither of the two has voided a write. One of them has its writes from a device that has, and that lacked what they had replaced.
  @Test func whatVoidWritesHadReplacedElsewhereIsNoAlarm() {
    let harness = diverged(50) { index, write in index == 1 && write.dot.sequence == 4 }
    for index in 0...1 { harness.apply([Author(8).replica: 50], on: index) }
    harness.connect(1, 0)
    harness.settle()
    harness.advance(4 * Limits.beatMilliseconds)
    #expect(!harness.notices.contains { isDivergence($0.notice) })
    #expect(harness.replica(0).digest == harness.replica(1).digest && harness.replica(1).count == 50)
  }

  /// What is under way when two compare is so again when one of them asks a second time at once. It is no fault yet.
  @Test func askingTwiceAtOnceIsNoAlarm() {
    let harness = diverged(50) { index, write in index == 1 && write.dot.sequence % 4 == 0 }
    harness.connect(1, 0)
    harness.settle()
    for index in 0...1 {
      harness.perform(index) { engine, now, effects in
        for id in engine.network.sessions.ready { engine.network.probe(id, engine.holdings, &effects) }
      }
    }
    harness.settle()
    #expect(!harness.notices.contains { isDivergence($0.notice) })
    #expect(harness.replica(0).digest != harness.replica(1).digest)
    harness.advance(2 * Limits.differenceMilliseconds)
    harness.settle()
    #expect(harness.notices.contains { isDivergence($0.notice) })
    #expect(harness.replica(0).digest == harness.replica(1).digest)
  }

  /// A member has told one of them to claim what the other one wrote, and has held it back. They meet for a few seconds.
  @Test(arguments: [(0, 1), (1, 0)]) func whoeverMeetsForAMomentHearsOfIt(dialler: Int, listener: Int) {
    let harness = diverged(50) { index, write in index == 1 && write.dot.sequence % 4 == 0 }
    harness.connect(dialler, listener)
    harness.settle()
    #expect(harness.replica(0).digest != harness.replica(1).digest)
    harness.advance(2 * Limits.differenceMilliseconds)
    harness.settle()
    #expect(harness.replica(0).digest == harness.replica(1).digest)
  }

  /// The queue takes a few ranges at a time: the rest follows as soon as it has drained, and not with the next beat.
  @Test func aFullQueueIsNoEndOfIt() {
    let harness = diverged(600) { index, write in
      write.key.first == RegisterKind.value.rawValue && write.dot.sequence % 2 == index
    }
    for index in 0...1 {
      harness.adjust(index) { engine in
        engine.holdings.outbox.chunkBytes = 200
        engine.queueLimit = 500
      }
    }
    harness.connect(1, 0)
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(harness.replica(0).digest == harness.replica(1).digest)
    #expect(harness.replica(0).count == 600)
  }

  /// Message by message, so that a report follows every item.
  @Test func oneRepairAtATime() {
    let harness = diverged(2_000) { index, write in
      index == 1 && write.key.first == RegisterKind.value.rawValue && write.dot.sequence % 4 == 0
    }
    harness.connect(0, 1)
    while harness.deliver() != nil {}
    for _ in 0..<3 {
      harness.monotonic += Limits.beatMilliseconds * 11 / 10
      harness.handle(0, [.deadline])
      while harness.deliver() != nil {}
    }
    #expect(harness.replica(0).digest == harness.replica(1).digest)
    #expect(harness.sent.count < 2_500, "\(harness.sent.count) messages")
  }

  /// What was interrupted is no fault: writes that are here and not claimed travel with the next delta, without alarm.
  @Test(arguments: [0, 1]) func whatIsNotClaimedIsNoAlarm(holder: Int) throws {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let session = try #require(harness.sent.last { $0.to == holder }?.session)
    // A commit whose predecessor nobody has any more.
    var batch = WriteBatch()
    batch.append(SyncTests.writes(5, by: 8)[4])
    harness.handle(holder, [.received(session, .commit(Commit.signed(batch)))])
    harness.settle()
    harness.advance(4 * Limits.beatMilliseconds)
    #expect(harness.replica(0).digest == harness.replica(1).digest && harness.replica(0).count == 1)
    #expect(!harness.notices.contains { isDivergence($0.notice) })
  }
}

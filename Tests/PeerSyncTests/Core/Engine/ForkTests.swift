import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A device that was copied, and what others do about it.
@Suite struct ForkTests {
  private func chain(_ count: Int) -> Harness {
    let harness = Harness(count)
    for index in 1..<count { harness.connect(index - 1, index) }
    harness.settle()
    harness.expectConverged()
    return harness
  }

  /// Makes two devices of one: the last engine of the harness runs on a copy of the first one's disk.
  private func cloned() -> Harness {
    let harness = chain(3)
    harness.cut()
    harness.addClone(of: 0)
    return harness
  }

  private func isForked(_ notice: Notice) -> Bool { if case .forked = notice { true } else { false } }

  /// Both go on alone; the others meet one of them each, and then each other.
  @Test func twoLivesUnderOneName() {
    let harness = cloned()
    let before = harness.replica(0).vector[Author(1).replica]
    harness.write(0, "shared", [1])
    harness.write(3, "shared", [2])
    harness.write(3, "more", [2])
    harness.connect(0, 1)
    harness.connect(3, 2)
    harness.settle()
    #expect(harness.value(1, "shared") == [1] && harness.value(2, "shared") == [2])
    harness.connect(1, 2)
    harness.settle()
    for index in 1...2 {
      #expect(harness.replica(index).forkedReplicas == [Author(1).replica], "engine \(index)")
      #expect(harness.replica(index).forks.map(\.cut) == [before])
      #expect(harness.value(index, "shared") == nil && harness.value(index, "more") == nil)
      #expect(harness.notices.contains { $0.engine == index && isForked($0.notice) })
      harness.expectSaved(index)
    }
    harness.connect(1, 2)
    harness.advance(2 * Limits.beatMilliseconds)
    #expect(harness.replica(1).digest == harness.replica(2).digest)
  }

  /// E47: a run of a device's program that comes back after another gives both away. Neither decides anything any more,
  /// until one is started anew while the other is not at work.
  @Test func twoAtWorkAreFenced() {
    let harness = cloned()
    for index in [0, 3] {
      harness.connect(index, 1)
      harness.settle()
      harness.cut()
    }
    #expect(!harness.engines[0].isFenced && !harness.engines[3].isFenced)
    for index in [0, 3] {
      // Whoever is connected as well does not take itself for a copy.
      harness.connect(index, 2)
      harness.settle()
      harness.connect(index, 1)
      harness.settle()
      #expect(harness.engines[index].isFenced && !harness.engines[1].isFenced && !harness.engines[2].isFenced)
      #expect(harness.notices.contains { $0.engine == index && $0.notice == .cloned })
      #expect(harness.write(index, "decision", [1]) == .refused(.cloned))
      #expect(harness.isIdle(index))
    }
    let taking = harness.request(.reclaim(credit: "owls"), of: 0)
    #expect(harness.answers[taking] == .refused(.cloned))
    // What the store says is not a decision: it is kept.
    let bought = Transaction(
      transactionId: "1", productId: "p", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), verification: .simulated)
    let purchase = harness.request(.write(SimulatedStore.writes(of: bought)), of: 0)
    #expect(harness.answers[purchase] == .done(changed: 3))
    harness.cut()
    harness.restart(0)
    harness.connect(0, 1)
    harness.settle()
    #expect(!harness.engines[0].isFenced && harness.engines[0].readySessions == 1)
    #expect(harness.write(0, "decision", [2]) == .done(changed: 1))
    harness.settle()
    #expect(harness.value(1, "decision") == [2])
  }

  /// Whoever says untruly that a device is a copy can be removed by it. A stranger is not even listened to.
  @Test func whoeverFencesAnotherIsNotSafeFromIt() {
    let harness = Harness(1)
    let unproven = harness.open(0, as: Author(36))
    harness.handle(0, [.received(unproven, .close(.cloned))])
    #expect(!harness.engines[0].isFenced)
    let session = harness.welcomed(0)
    harness.handle(0, [.received(session, .close(.cloned))])
    #expect(harness.engines[0].isFenced)
    let removal = harness.request(.remove(Author(40).device, recoveryKey: nil), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
  }

  /// What a run of a program had sent before it ended may come after the next run was met. It is no second copy.
  @Test func whatWasUnderWayForLongGivesNobodyAway() {
    let harness = Harness(1)
    func meet(_ bootID: UInt64, on session: SessionID) -> [CloseReason] {
      harness.handle(
        0, [.received(session, Harness.hello(bootID: bootID)), .received(session, Harness.welcome)]
      )
      .closings.map(\.1)
    }
    let first = harness.open(0)
    #expect(meet(1, on: first).isEmpty)
    harness.handle(0, [.closed(first)])
    let late = harness.open(0)
    let second = harness.open(0)
    #expect(meet(2, on: second).isEmpty)
    #expect(meet(1, on: late) == [.duplicate])
    #expect(harness.engines[0].readySessions == 1)
    harness.handle(0, [.closed(late), .closed(second)])
    let third = harness.open(0)
    #expect(meet(2, on: third).isEmpty && harness.engines[0].readySessions == 1)
    // On a session that was opened since, it is one.
    #expect(meet(1, on: harness.open(0)).contains(.cloned))
  }

  /// Nor where only the end of its handshake came that late.
  @Test func aHandshakeThatAnotherRunHasOvertakenGivesNobodyAway() {
    let harness = Harness(1)
    let (late, next) = (harness.open(0), harness.open(0))
    harness.handle(0, [.received(late, Harness.hello(bootID: 1))])
    harness.handle(0, [.received(next, Harness.hello(bootID: 2)), .received(next, Harness.welcome)])
    let closings = harness.handle(0, [.received(late, Harness.welcome)]).closings
    #expect(closings.map(\.0) == [late] && closings.map(\.1) == [.duplicate])
    harness.handle(0, [.closed(late), .closed(next)])
    let again = harness.open(0)
    harness.handle(0, [.received(again, Harness.hello(bootID: 2)), .received(again, Harness.welcome)])
    #expect(harness.engines[0].readySessions == 1)
  }

  /// Of two copies that were found out one is stopped, and the other started anew. What the one that was stopped had under way comes
  /// just then.
  @Test func whoWasStartedAnewIsNotFencedByWhatWasUnderWay() {
    let harness = Harness(1)
    func say(_ bootID: UInt64, on session: SessionID) -> [SessionID] {
      harness.handle(
        0, [.received(session, Harness.hello(bootID: bootID)), .received(session, Harness.welcome)]
      )
      .closings.filter { $0.1 == .cloned }.map(\.0)
    }
    for bootID in [1, 2] as [UInt64] {
      let session = harness.open(0)
      #expect(say(bootID, on: session).isEmpty)
      harness.handle(0, [.closed(session)])
    }
    let found = harness.open(0)
    #expect(say(1, on: found) == [found])
    harness.handle(0, [.closed(found)])
    let (late, copy, anew) = (harness.open(0), harness.open(0), harness.open(0))
    harness.handle(
      0, [.received(copy, Harness.hello(bootID: 1)), .received(anew, Harness.hello(bootID: 3))])
    #expect(say(2, on: late) == [late, copy])
    #expect(harness.handle(0, [.received(anew, Harness.welcome)]).closings.isEmpty)
    #expect(harness.engines[0].readySessions == 1)
    // Only what was opened since shows that the other one is at work still: then neither decides.
    let again = harness.open(0)
    #expect(say(2, on: again) == [anew, again])
  }

  /// Both stay connected with a third device, and nobody cuts them off.
  @Test(arguments: [[0, 3], [3, 0]]) func twoThatNobodyCutsOffAreFenced(order: [Int]) {
    let harness = cloned()
    // Whoever is not connected any more comes back.
    for index in order + order {
      harness.connect(index, 1)
      harness.settle()
    }
    for index in order {
      #expect(harness.engines[index].isFenced, "engine \(index)")
    }
    #expect(!harness.engines[1].isFenced)
  }

  /// The devices learn of it themselves, continue as new incarnations, and what they had acknowledged is there again, everywhere.
  @Test func nothingOfItsOwnIsLost() {
    let harness = cloned()
    harness.write(0, "first", [1])
    harness.write(3, "second", [2])
    harness.connect(0, 1)
    harness.connect(3, 2)
    harness.settle()
    harness.connect(1, 2)
    harness.settle()
    for index in [0, 3] {
      harness.connect(index, 1)
      harness.settle()
      #expect(harness.hasBegunAnew(index), "engine \(index)")
      harness.expectSaved(index)
    }
    // One after the other, each started anew: at work in turns they would be fenced.
    for index in [0, 3, 0, 3] {
      harness.cut()
      harness.restart(index)
      harness.connect(index, 1)
      harness.settle()
    }
    harness.cut()
    harness.restart(0)
    for index in [0, 2] { harness.connect(index, 1) }
    harness.advance(3 * Limits.beatMilliseconds)
    for index in 0...3 {
      #expect(
        harness.value(index, "first") == [1] && harness.value(index, "second") == [2], "engine \(index)")
      #expect(harness.replica(index).digest == harness.replica(0).digest)
      harness.expectSaved(index)
    }
  }

  /// Evidence goes to all other peers at once, outlives a restart, and is told when devices connect, until the other has
  /// shown it itself.
  @Test func evidenceGoesRound() throws {
    let harness = chain(3)
    let session = try #require(harness.sent.last { $0.to == 1 && $0.from == 0 }?.session)
    let fork = try #require(self.fork(Author(8)))
    harness.handle(1, [.received(session, .forks([fork]))])
    harness.settle()
    #expect(harness.replica(1).forks == [fork] && harness.replica(2).forks == [fork])
    for index in 1...2 { harness.restart(index) }
    #expect(harness.replica(1).forks == [fork] && harness.replica(2).forks == [fork])
    for isFirst in [true, false] {
      let start = harness.sent.count
      harness.connect(1, 2)
      harness.settle()
      #expect(harness.sent[start...].contains { $0.message.type == .forks } == isFirst)
      harness.cut()
    }
    harness.connect(0, 2)
    harness.settle()
    #expect(harness.replica(0).forks == [fork])
  }

  private func fork(_ author: Author, by signer: Author? = nil) -> Fork? {
    let heads = [UInt64(1), 2].map {
      (signer ?? author).head(3, 4, ContentHash(words: ($0, 0, 0, 0)))
    }
    return Fork(author: author.incarnation, heads[0], heads[1])
  }

  @Test func evidenceThatIsNone() throws {
    let harness = chain(2)
    let session = try #require(harness.sent.last { $0.to == 0 }?.session)
    let forged = try #require(fork(Author(2), by: Author(30)))
    let effects = harness.handle(0, [.received(session, .forks([forged]))])
    #expect(effects.closings.map(\.1) == [.forged] && harness.replica(0).forks.isEmpty)
  }

  /// A restored device is told its own writes: it must not use their dots again.
  @Test func ownNewsAreNoticed() {
    let harness = chain(2)
    let old = harness.disks[0]
    harness.write(0, "a", [1])
    harness.settle()
    harness.cut()
    harness.restart(0, from: old)
    #expect(!harness.hasBegunAnew(0))
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.hasBegunAnew(0))
    // Its sessions have ended with its earlier life.
    harness.connect(0, 1)
    harness.settle()
    harness.write(0, "b", [2])
    harness.settle()
    harness.expectConverged()
    #expect(harness.value(1, "b") == [2] && harness.replica(0).forks.isEmpty)
  }

  // MARK: Cuts

  /// What a void write had replaced comes again from those who still have it.
  @Test func whatWasReplacedComesAgain() {
    let harness = chain(3)
    harness.write(0, "a", [1])
    harness.settle()
    harness.write(1, "b", [2])
    harness.settle()
    harness.cut()
    // The second and the third engine lose sight of the first; the second replaces what it had decided and the third keeps.
    let before = harness.replica(2).vector[Author(2).replica]
    harness.write(1, "b", [3])
    harness.write(1, "a", [3])
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.value(0, "a") == [3] && harness.value(0, "b") == [3])
    harness.apply([Author(2).replica: before], on: 0)
    // What it had outbid stands again at once.
    #expect(harness.value(0, "a") == [1] && harness.value(0, "b") == nil)
    // Nobody need meet again for that.
    #expect(harness.closeReasons.isEmpty && harness.engines[0].readySessions == 1)
    harness.expectSaved(0)
    harness.apply([Author(2).replica: before], on: 2)
    harness.cut()
    harness.connect(0, 2)
    // A device goes on to claim what it has taken: the digests tell, and a repair brings it at once. It is not an alarm.
    harness.settle()
    #expect(harness.value(0, "b") == [2])
    harness.advance(4 * Limits.beatMilliseconds)
    #expect(!harness.notices.contains { if case .divergence = $0.notice { true } else { false } })
    #expect(harness.replica(0).digest == harness.replica(2).digest)
    harness.expectSaved(0)
  }

  /// The store's facts stay, under the name of whoever holds them, also after a restart.
  @Test func purchasesOutliveTheirDevice() throws {
    let harness = chain(2)
    let transaction = Transaction(
      transactionId: "1", productId: "p", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Harness.wall), verification: .simulated)
    let writes = SimulatedStore.writes(of: transaction)
    harness.request(.write(writes), of: 1)
    harness.settle()
    harness.apply([Author(2).replica: 0], on: 0)
    func expectKept() {
      for write in writes {
        #expect(harness.replica(0).register(write.key)?.value == write.value)
        let held = harness.replica(0).sortedWrites().first { $0.key == write.key }
        #expect(held?.dot.replica == Author(1).replica && held?.stamp == write.stamp)
      }
      harness.expectSaved(0)
    }
    expectKept()
    harness.restart(0)
    expectKept()
  }
}

extension Harness {
  /// Adds an engine on a copy of another's disk: the same device twice.
  func addClone(of index: Int) {
    add(disk: disks[index], author: author(index))
    start(engines.count - 1)
  }

  /// Lets an engine do what its lead would: cut replicas.
  func apply(_ cuts: [ReplicaID: UInt64], on index: Int) {
    perform(index) { engine, now, effects in engine.apply(cuts, now: now, &effects) }
  }

  /// Whether an engine continues as another incarnation than its first, durably, and has said so.
  func hasBegunAnew(_ index: Int) -> Bool {
    let replica = replica(index).id
    let isSaid = notices.contains { $0.engine == index && $0.notice == .reincarnated(replica) }
    return replica != author(index).replica && disks[index].replica == replica && isSaid
  }
}

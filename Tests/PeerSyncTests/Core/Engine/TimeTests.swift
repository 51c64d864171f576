import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct TimeTests {
  private static let day: Int64 = 86_400_000

  /// Two engines that have met.
  private func met(skew: Int64 = 0) -> Harness {
    let harness = Harness(2)
    harness.skew[1] = skew
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  private func reading(_ harness: Harness, _ index: Int) -> TimeReading {
    var engine = harness.engines[index]
    return engine.time(at: harness.now(index))
  }

  // MARK: Clocks of peers

  @Test func bothMeasureEachOther() {
    let harness = met(skew: 90_000)
    #expect(harness.engines[0].peers.filter(\.isConnected).map(\.clockSkew) == [90_000])
    #expect(harness.engines[1].peers.filter(\.isConnected).map(\.clockSkew) == [-90_000])
    #expect(harness.sent.filter { $0.message.type == .time }.count == 4)
    #expect(harness.notices.allSatisfy { !$0.notice.isOfClocks })
    // Both vouch, for the earlier of the two.
    let peers = harness.identities.map(\.device)
    #expect(reading(harness, 0).evidence?.voucher == .peer(peers[1]))
    #expect(reading(harness, 1).evidence?.instant == harness.now(0).wall)
  }

  /// Half of the round trip is the way back.
  @Test func theWayIsTakenIntoAccount() {
    let harness = Harness(2)
    harness.connect(0, 1)
    while !harness.wire.isEmpty {
      harness.monotonic += 2_000
      harness.halfRound()
    }
    #expect(harness.engines[0].peers.filter(\.isConnected).map(\.clockSkew) == [0])
    #expect(harness.engines[1].peers.filter(\.isConnected).map(\.clockSkew) == [0])
  }

  @Test func anAnswerThatTookTooLongSaysNothing() {
    let harness = Harness(2)
    harness.connect(0, 1)
    // Both ask again, once in a round trip: that goes on for ever.
    for _ in 0..<20 {
      if harness.wire.contains(where: { $0.message.type == .time }) {
        harness.monotonic += Limits.clockAnswerMilliseconds
      }
      harness.halfRound()
    }
    #expect(harness.engines.flatMap(\.peers).allSatisfy { $0.clockSkew == nil })
    #expect(reading(harness, 0).evidence == nil)
  }

  @Test func clocksThatDifferAreTold() {
    let harness = met(skew: 600_000)
    let peers = harness.identities.map(\.device)
    #expect(harness.notices.contains { $0.notice == .clocksDiffer(peers[1], milliseconds: 600_000) })
    #expect(harness.notices.contains { $0.notice == .clocksDiffer(peers[0], milliseconds: -600_000) })
    #expect(reading(harness, 0).evidence == nil && reading(harness, 1).evidence == nil)
    // Asked at every beat while they differ, told once.
    harness.advance(5 * Limits.beatMilliseconds)
    #expect(harness.notices.count { if case .clocksDiffer = $0.notice { true } else { false } } == 2)
    harness.skew[1] = 0
    harness.advance(2 * Limits.beatMilliseconds)
    #expect(harness.engines[0].peers.filter(\.isConnected).map(\.clockSkew) == [0])
    #expect(reading(harness, 0).evidence != nil)
  }

  /// Clocks that agree are asked for now and then only.
  @Test func askingIsRare() {
    let harness = met()
    let start = harness.sent.count
    harness.advance(Limits.peerClockMilliseconds + 2 * Limits.beatMilliseconds)
    #expect(harness.sent[start...].count { $0.message.type == .time } == 4)
  }

  @Test func aForgedAnswerIsNotTaken() throws {
    let harness = Harness(1)
    let lone = harness.open(0)
    harness.handle(0, [.received(lone, .time(ClockReading(isAnswer: true, question: 1, wall: .epoch)))])
    #expect(harness.closeReasons == [.unexpected])
    let met = met()
    let session = try #require(met.sent.last { $0.to == 0 }?.session)
    let late = harness.now(0).wall.advanced(byMilliseconds: 200_000)
    for question: UInt64 in [0, 1, 2, .max] {
      met.handle(0, [.received(session, .time(ClockReading(isAnswer: true, question: question, wall: late)))])
    }
    #expect(met.engines[0].peers.filter(\.isConnected).map(\.clockSkew) == [0])
  }

  // MARK: Clocks that were wrong alike [F68]

  /// Three engines, of which the first two are ahead alike for a while, apart from the third.
  private func wrongAlike() -> Harness {
    let harness = Harness(3)
    harness.connect(0, 1)
    harness.connect(0, 2)
    harness.connect(1, 2)
    harness.settle()
    harness.cut()
    (harness.skew[0], harness.skew[1]) = (400 * Self.day, 400 * Self.day)
    harness.connect(0, 1)
    harness.advance(2 * Limits.beatMilliseconds)
    (harness.skew[0], harness.skew[1]) = (0, 0)
    harness.advance(2 * Limits.beatMilliseconds)
    return harness
  }

  private var isAhead: (TimeReading) -> Bool { { $0.rollback.map { $0 > 399 * Self.day } ?? false } }

  @Test func aThirdClockBearsThemOut() throws {
    let harness = wrongAlike()
    #expect(isAhead(reading(harness, 0)) && isAhead(reading(harness, 1)))
    harness.connect(0, 2)
    harness.connect(1, 2)
    harness.settle()
    for index in 0..<3 { #expect(reading(harness, index).now == harness.now(index).wall) }
    let (first, second) = (harness.identities[0].device, harness.identities[1].device)
    let fell = harness.notices.filter { if case .timeWithdrawn = $0.notice { true } else { false } }
    #expect(fell.map(\.engine) == [0, 1])
    #expect(fell.map(\.notice).contains(.timeWithdrawn(second, milliseconds: 400 * Self.day)))
    // It is said as long as the engine runs, and durable.
    let now = harness.now(0)
    let findings = harness.engines[0].clockFindings(reading(harness, 0), at: now)
    #expect(findings == [.withdrawn(second, 400 * Self.day)])
    #expect(harness.disks[1].time.peers.contains { $0.device == first && $0.bound != nil })
    for index in 0...1 {
      harness.restart(index)
      #expect(reading(harness, index).now == harness.now(index).wall)
    }
  }

  /// It is asked no more, and the clocks of the others are asked at once.
  @Test func whatARemovedDeviceVouchedForFalls() {
    let harness = wrongAlike()
    harness.skew[1] = 400 * Self.day
    harness.advance(2 * Limits.beatMilliseconds)
    harness.connect(0, 2)
    harness.settle()
    #expect(isAhead(reading(harness, 0)))
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.settle()
    #expect(reading(harness, 0).now == harness.now(0).wall)
  }

  @Test func whoIsPairedThenBearsNobodyOut() throws {
    let harness = wrongAlike()
    var disk = harness.disks[0]
    let floor = try #require(disk.time.evidence).instant.milliseconds - disk.time.ran
    let supplier = harness.identities[1].device
    disk.time.peers = disk.time.peers.map {
      $0.device == supplier ? $0 : TrustedTime.Peer(device: $0.device, since: floor)
    }
    harness.restart(0, from: disk)
    harness.connect(0, 1)
    harness.connect(0, 2)
    harness.settle()
    #expect(isAhead(reading(harness, 0)))
    let remedy = ClockRemedy(hasWitness: false, mayAccept: true)
    let findings = harness.engines[0].clockFindings(reading(harness, 0), at: harness.now(0))
    #expect(findings.contains(.behind(reading(harness, 0).rollback ?? 0, .peer(supplier), remedy: remedy)))
  }

  @Test func aPersonDecidesForTheDevice() {
    let harness = wrongAlike()
    let request = harness.request(.acceptTime, of: 0)
    harness.settle()
    #expect(harness.answers[request] == .done(changed: 0))
    #expect(reading(harness, 0).now == harness.now(0).wall && reading(harness, 0).accepted != nil)
    #expect(isAhead(reading(harness, 1)) && reading(harness, 1).accepted == nil)
    #expect(harness.notices.contains { $0.engine == 0 && $0.notice.isAcceptance })
    // The other vouches for the time anew, and right.
    let evidence = reading(harness, 0).evidence
    #expect(
      evidence
        == TrustedTime.Evidence(instant: harness.now(0).wall, voucher: .peer(harness.identities[1].device)))
    harness.restart(0)
    #expect(reading(harness, 0).now == harness.now(0).wall && reading(harness, 0).accepted != nil)
  }

  @Test func anAppCanForbidIt() {
    let harness = Harness(0)
    var disk = HarnessDisk()
    disk.time.mayAccept = false
    harness.add(disk: disk)
    harness.start(0)
    let request = harness.request(.acceptTime, of: 0)
    #expect(harness.answers[request] == .refused(.mayNotAccept))
    #expect(reading(harness, 0).accepted == nil)
  }

  // MARK: The floor

  @Test func aClockTurnedBackIsToldAndDoesNotCount() {
    let harness = met()
    let before = harness.now(0).wall
    harness.skew[0] = -30 * Self.day
    harness.handle(0, [.deadline])
    #expect(harness.notices.contains { $0.notice == .clockSet(milliseconds: -30 * Self.day) })
    #expect(reading(harness, 0).now == before && reading(harness, 0).rollback == 30 * Self.day)
    // Its writes and those of others are as good as before.
    harness.settle()
    harness.write(1, "from the other", [1])
    harness.write(0, "from here", [2])
    harness.settle()
    #expect(harness.value(0, "from the other") == [1] && harness.value(1, "from here") == [2])
    harness.expectConverged()
  }

  @Test func theFloorIsKept() {
    let harness = met()
    let first = harness.disks[0].time.evidence
    #expect(first != nil)
    // Not with every write,
    for _ in 0..<100 { harness.write(0, "k", [UInt8.random(in: 0...255)]) }
    #expect(harness.disks[0].time.evidence == first)
    // but with one that comes a minute later,
    harness.monotonic += Limits.timeKeptAlongMilliseconds
    harness.write(0, "k", [])
    let second = harness.disks[0].time.evidence
    #expect(second?.instant == first?.instant.advanced(byMilliseconds: 60_000))
    // and by itself, in the time that the limit says.
    harness.cut()
    let commits = harness.disks[0].commits
    harness.advance(3 * Limits.timeKeptMilliseconds)
    #expect(harness.disks[0].commits == commits + 3)
    #expect(harness.disks[0].time.evidence?.instant == harness.now(0).wall)
    // It is there again after a restart with a clock turned back.
    harness.skew[0] = -30 * Self.day
    harness.restart(0)
    #expect(reading(harness, 0).now == harness.now(1).wall)
  }

  /// Nobody reads, and the floor moves on all the same.
  @Test func theStoreVouchesWithoutAReader() {
    let harness = Harness(1)
    var transaction = Transaction(
      transactionId: "1", productId: "p", bundleId: Harness.bundleId, environment: .sandbox,
      purchaseDate: harness.now(0).wall, verification: .simulated)
    transaction.signedDate = harness.now(0).wall.advanced(byMilliseconds: 3_600_000)
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: 0)
    harness.advance(Limits.timeKeptMilliseconds)
    #expect(harness.disks[0].time.evidence?.voucher == .store(signed: transaction.signedDate))
    // One that a wrong clock has signed counts as a purchase and not as evidence.
    transaction.transactionId = "2"
    transaction.signedDate = harness.now(0).wall.advanced(byMilliseconds: 800 * Self.day)
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: 0)
    #expect(reading(harness, 0).now < harness.now(0).wall.advanced(byMilliseconds: 2 * 3_600_000))
  }
}

extension Notice {
  fileprivate var isAcceptance: Bool { if case .timeAccepted = self { true } else { false } }

  /// Whether it tells of clocks.
  var isOfClocks: Bool {
    switch self {
    case .clocksDiffer, .clockSet, .stampedAnew, .heldBack, .heldBackThere: true
    default: false
    }
  }
}

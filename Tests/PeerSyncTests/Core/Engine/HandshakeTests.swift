import PeerSyncCore
import Testing

@Suite struct HandshakeTests {
  @Test func theDiallerSpeaksFirst() {
    let harness = Harness(2)
    harness.connect(0, 1)
    #expect(harness.types(from: 0) == [.hello] && harness.types(from: 1) == [])
    harness.halfRound()
    #expect(harness.types(from: 1) == [.hello, .welcome])
    #expect(harness.engines.map(\.readySessions) == [0, 0])
    harness.halfRound()
    #expect(harness.types(from: 0) == [.hello, .welcome, .summary, .time])
    #expect(harness.engines.map(\.readySessions) == [1, 0])
    harness.halfRound()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.settle()
    harness.expectConverged()
    #expect(harness.closings.isEmpty)
  }

  // MARK: Strangers

  /// Who is not a member gets nothing but a close, whatever it says, on whichever side it is.
  @Test(arguments: [true, false])
  func aStrangerGetsOnlyAClose(isDialled: Bool) {
    let harness = Harness(1)
    let session = harness.open(
      0, dialled: isDialled ? Address(host: "there", port: 1) : nil, as: Author(41))
    #expect(harness.closings.map(\.reason) == [.stranger])
    let effects = harness.handle(
      0, [.received(session, Harness.hello(of: Author(41))), .received(session, Harness.welcome)])
    #expect(effects.messages.isEmpty && effects.durable.isEmpty)
    #expect(harness.engines[0].readySessions == 0)
  }

  /// So does a member of another environment, app or version.
  @Test(arguments: [true, false])
  func aMemberThatDoesNotFit(isDialled: Bool) {
    let harness = Harness(1)
    let hellos = [
      (Harness.hello(environment: .production), CloseReason.stranger),
      (Harness.hello(bundleId: "com.example.other"), .stranger), (Harness.hello(versions: 2...3), .version),
    ]
    for (message, reason) in hellos {
      let session = harness.open(0, dialled: isDialled ? Address(host: "there", port: 1) : nil)
      let before = harness.replica(0).vectorHash
      let effects = harness.handle(0, [.received(session, message)])
      #expect(effects.messages.isEmpty && effects.durable.isEmpty)
      #expect(effects.closings.map(\.1) == [reason])
      #expect(harness.replica(0).vectorHash == before)
      harness.handle(0, [.closed(session)])
    }
  }

  /// Those who may connect are the members, from the start on.
  @Test func theRunnerIsToldWhoMayConnect() {
    let harness = Harness(1)
    #expect(harness.admitted[0] == (UInt64(1)...40).map { Author($0).key.publicKey })
  }

  // MARK: Out of turn

  /// A phase of a session, and how to get there.
  enum Phase: CaseIterable {
    case accepted, dialled, welcoming, exchangingRecords, joining, inviting, ready

    /// What may come. (`close` always may.)
    var allowed: Set<MessageType> {
      switch self {
      case .accepted, .dialled: [.hello]
      case .welcoming: [.welcome]
      case .exchangingRecords: [.recordHashes, .records]
      case .joining: [.records]
      case .inviting: []  // A join that is right; generated ones are of other apps.
      case .ready:
        [
          .summary, .vector, .commit, .delta, .deltaEnd, .ranges, .items, .addresses, .recordHashes, .records,
          .forks, .time, .heldBack, .rightsWanted, .rightsGiven, .dialBack, .dialledBack,
        ]
      }
    }
  }

  private func session(_ phase: Phase, _ harness: Harness) -> SessionID {
    let address = Address(host: "there", port: 1)
    let invitation = Channel.invitation(exporter: ContentHash(words: (1, 2, 3, 4)))
    switch phase {
    case .accepted: return harness.open(0)
    case .dialled: return harness.open(0, dialled: address)
    case .joining:
      harness.request(.join(address, JoiningTests.key), of: 0)
      return harness.open(0, dialled: address, over: invitation)
    case .inviting:
      harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
      return harness.open(0, over: invitation)
    case .welcoming, .exchangingRecords:
      let session = harness.open(0)
      harness.handle(0, [.received(session, Harness.hello())])
      if phase == .exchangingRecords {
        harness.handle(0, [.received(session, .welcome(ContentHash(words: (1, 2, 3, 4))))])
      }
      return session
    case .ready: return harness.welcomed(0)
    }
  }

  @Test(arguments: Phase.allCases, MessageType.allCases)
  func whatComesOutOfTurnEndsTheSession(phase: Phase, type: MessageType) {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<5 {
      let message = Message.generate(type, &random)
      let harness = Harness(2)
      let session = session(phase, harness)
      let before = (harness.replica(0).digest, harness.replica(0).vector)
      let effects = harness.handle(0, [.received(session, message)])
      if phase.allowed.contains(type) { continue }
      #expect(effects.closings.count == 1 && effects.closings.first?.0 == session)
      #expect(effects.messages.isEmpty)
      #expect(effects.durable.isEmpty)
      #expect(harness.replica(0).digest == before.0 && harness.replica(0).vector == before.1)
      // What still comes is ignored.
      let late = harness.handle(
        0, [.received(session, Harness.welcome), .received(session, Harness.hello())])
      #expect(late.closings.isEmpty && late.messages.isEmpty)
    }
  }

  @Test func noWelcomeInTime() {
    let harness = Harness(1)
    _ = harness.open(0)
    #expect(harness.engines[0].nextDeadline == harness.monotonic + Limits.handshakeMilliseconds)
    harness.monotonic += Limits.handshakeMilliseconds - 1
    harness.handle(0, [.deadline])
    #expect(harness.closings.isEmpty)
    harness.monotonic += 1
    harness.handle(0, [.deadline])
    #expect(harness.closeReasons == [.handshakeTimeout])
    #expect(harness.isIdle(0))
  }

  @Test func sessionsAreBounded() {
    let harness = Harness(1)
    for _ in 0..<Limits.sessions { _ = harness.open(0) }
    #expect(harness.closings.isEmpty)
    _ = harness.open(0)
    #expect(harness.closeReasons == [.busy])
  }

  // MARK: Two sessions between two devices

  /// Both dial at the same moment, whichever messages come first: one session stays, the same for both.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func simultaneousDials(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.connect(1, 0)
    while !harness.wire.isEmpty {
      // Messages of one session stay in order; the two sessions race.
      let session = random.pick(harness.wire).session
      if let index = harness.wire.firstIndex(where: { $0.session == session }) {
        let next = harness.wire.remove(at: index)
        harness.wire.insert(next, at: 0)
      }
      harness.deliver()
    }
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.write(0, "a", [1])
    harness.write(1, "b", [2])
    harness.settle()
    harness.expectConverged()
  }

  /// Two sessions dialled by the same device: the older one stays, for it lives, and is the only one that the dialler means.
  @Test func theOlderOfTwoAlike() {
    let harness = Harness(2)
    let old = harness.connect(0, 1)
    harness.settle()
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    #expect(!harness.closings.map(\.session).contains(where: [old.dialler, old.listener].contains))
    #expect(Set(harness.closeReasons).isSubset(of: [.duplicate, .leaving]))
  }

  /// Somebody passes on what two say, and holds parts of it as long as they like: what stands directly is not ended for that. Where both have
  /// dialled at the same time, and the device with the smaller id what is held, it is: then that has to answer.
  @Test(arguments: 0..<8) func whatIsHeldOnTheWayTakesNothingsPlace(passed: Int) {
    let harness = Harness(2)
    let held = harness.connect(1, 0)
    for _ in 0..<passed where !harness.wire.isEmpty { harness.deliver() }
    // What stood before has to show that it lives, and does not.
    if harness.engines.contains(where: { $0.readySessions > 0 }) { return }
    var late = harness.wire
    harness.wire = []
    let direct = harness.connect(0, 1)
    while !harness.wire.isEmpty {
      late += harness.wire.filter { [held.dialler, held.listener].contains($0.session) }
      harness.wire.removeAll { [held.dialler, held.listener].contains($0.session) }
      harness.deliver()
    }
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.wire = late
    harness.settle()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    #expect(!harness.closings.map(\.session).contains(where: [direct.dialler, direct.listener].contains))
  }

  /// Handshakes with one device that nobody completes: the oldest give way.
  @Test func handshakesWithOneDeviceAreBounded() {
    let harness = Harness(1)
    let sessions = (0...Limits.handshakes).map { _ in
      let session = harness.open(0)
      harness.handle(0, [.received(session, Harness.hello())])
      return session
    }
    #expect(harness.closings.map(\.session) == [sessions[0]])
    harness.handle(0, [.received(sessions[1], Harness.welcome)])
    #expect(harness.engines[0].readySessions == 1)
  }

  /// A device whose session is refused because there is another one hears who it reached, and leaves that address alone
  /// while the other session lives, under whatever name it knows the address.
  @Test func aDuplicateIsNotDialledAgainAndAgain() {
    let harness = Harness(2)
    let alias = Address(host: "alias", port: 1)
    harness.connect(0, 1)
    harness.settle()
    harness.restart(1)
    harness.connect(0, 1)
    harness.settle()
    harness.handle(1, [.started(listening: [harness.address(1)], peers: [alias])])
    #expect(harness.dials.filter { $0.address == alias }.count == 1)
    harness.connect(1, 0, at: alias)
    harness.settle()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.advance(600_000)
    #expect(harness.dials.filter { $0.address == alias }.count == 1)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  /// The peer has forgotten a session that this side still holds: the old session must prove that it lives.
  @Test func aHalfOpenSessionGivesWay() {
    let harness = Harness(2)
    let old = harness.connect(0, 1)
    harness.settle()
    harness.handle(1, [.closed(old.listener)])
    #expect(harness.engines.map(\.readySessions) == [1, 0])
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.closings.contains { $0.engine == 0 && $0.reason == .duplicate })
    harness.advance(Limits.proofMilliseconds)
    #expect(harness.closings.contains { $0.session == old.dialler && $0.reason == .silence })
    harness.handle(0, [.closed(old.dialler)])
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  /// The peer has moved right after a session began: it is dialled where it is now, once the old session is given up.
  @Test func whoHasMovedSaysWhereAlsoWhenRefused() {
    let harness = Harness(2)
    let old = harness.connect(0, 1)
    harness.settle()
    harness.handle(1, [.closed(old.listener)])
    let moved = Address(host: "moved", port: 1)
    harness.handle(1, [.networkChanged(listening: [moved])])
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.closings.contains { $0.engine == 0 && $0.reason == .duplicate })
    harness.advance(Limits.proofMilliseconds)
    harness.handle(0, [.closed(old.dialler)])
    harness.advance(Limits.redialMinimumMilliseconds)
    #expect(harness.dials.contains { $0.engine == 0 && $0.address == moved })
  }

  /// The peer has restarted: a session with an earlier run of its program is over.
  @Test func theSessionOfAnEarlierRunGivesWayAtOnce() {
    let harness = Harness(2)
    let old = harness.welcomed(0, dialled: harness.address(1), as: Author(2))
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.closings.contains { $0.session == old && $0.reason == .duplicate })
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  @Test func ownAddressIsForgotten() {
    let harness = Harness(1, start: false)
    harness.connectsDials = true
    harness.start(0, peers: [harness.address(0)])
    harness.settle()
    #expect(harness.closeReasons.contains(.itself))
    harness.advance(600_000)
    #expect(harness.dials.count == 1 && harness.isIdle(0))
  }

  // MARK: Offline

  @Test func offlineClosesAndRefuses() {
    let harness = Harness(2, start: false)
    harness.connectsDials = true
    harness.start(1)
    harness.start(0, peers: [harness.address(1)])
    harness.settle()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.request(.setOnline(false), of: 0)
    #expect(harness.closeReasons == [.leaving] && !harness.engines[0].isOnline)
    harness.settle()
    #expect(harness.isIdle(0))
    let refused = harness.open(0)
    #expect(harness.closings.last?.session == refused && harness.closings.last?.reason == .leaving)
    let join = harness.request(.join(harness.address(1), JoiningTests.key), of: 0)
    #expect(harness.answers[join] == .refused(.offline))
    #expect(harness.write(0, "a", [1]) == .done(changed: 1))
    harness.request(.setOnline(true), of: 0)
    harness.advance(1_000)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.expectConverged()
  }

  /// A record that comes while a session is being opened reaches the other side, however far the two are.
  @Test(arguments: 0..<8) func whatComesWhileASessionOpensIsTold(delivered: Int) {
    let harness = Harness()
    for index in 0..<2 {
      harness.add()
      harness.start(index)
    }
    harness.connect(0, 1)
    for _ in 0..<delivered { harness.deliver() }
    let removal = harness.request(.remove(Author(40).device, recoveryKey: nil), of: 0)
    harness.settle()
    #expect(harness.answers[removal] == .done(changed: 1))
    let isMember = harness.engines[1].group.isMember(Author(40).key.publicKey)
    #expect(!isMember)
  }
}

import PeerSyncCore
import Testing

/// Addresses that come and go, and sessions that die without a word.
@Suite struct NetworkChangeTests {
  private static func address(_ host: String) -> Address { Address(host: host, port: 1) }
  private static let far = Stamp(Instant(clamping: Harness.wall))

  /// A device that knows where the device of author 2 listens, and dials for as long as it takes.
  private func engine(_ addresses: [Address]) -> (Harness, Author) {
    let (harness, peer) = (Harness(1), Author(2))
    let session = harness.welcomed(0, as: Author(40))
    harness.handle(
      0,
      [
        .received(
          session,
          .addresses([KnownPeer.Listening(device: peer.device, addresses: addresses, stamp: Self.far)]))
      ])
    return (harness, peer)
  }

  /// Where members listen is known from the disk, and of nobody else.
  @Test func whereMembersListenIsKnownAtTheStart() {
    let harness = Harness(2)
    let stranger = Author(99).device
    harness.disks[0].addresses = [harness.identities[1].device, stranger].map {
      KnownPeer.Listening(device: $0, addresses: [Self.address("host of \($0)")], stamp: Self.far)
    }
    harness.restart(0)
    let host = "host of \(harness.identities[1].device)"
    #expect(harness.engines[0].addressesOfMembers.map(\.host) == [host])
  }

  private func dialled(_ harness: Harness) -> [String] { harness.dials.map(\.address.host) }

  // MARK: Several addresses

  /// Each address has its lead before the next is dialled beside it, the likeliest first.
  @Test func addressesAreDialledSideBySide() {
    let (harness, _) = engine(["a", "b", "c"].reversed().map(Self.address))
    #expect(dialled(harness) == ["c"])
    for expected in [["c", "b"], ["c", "b", "a"]] {
      harness.monotonic += Limits.dialLeadMilliseconds - 1
      #expect(harness.handle(0, [.deadline]).dials.isEmpty)
      harness.monotonic += 1
      harness.handle(0, [.deadline])
      #expect(dialled(harness) == expected)
    }
  }

  /// Where nobody answers the next address need not wait.
  @Test func aFailureEndsTheLead() {
    let (harness, _) = engine(["a", "b"].map(Self.address))
    harness.handle(0, [.unreachable(Self.address("a"), nil)])
    #expect(dialled(harness) == ["a", "b"])
  }

  /// Of two that stand the first is kept, before the peer hears of the second; and what has not begun does not begin.
  @Test func theFirstThatStandsIsKept() {
    let (harness, peer) = engine(["a", "b", "c"].map(Self.address))
    harness.monotonic += Limits.dialLeadMilliseconds
    harness.handle(0, [.deadline])
    let first = harness.open(0, dialled: Self.address("b"), as: peer)
    let sent = harness.sent.count
    let second = harness.open(0, dialled: Self.address("a"), as: peer)
    #expect(harness.sent.count == sent)
    #expect(harness.closings.map(\.session) == [second] && harness.closings.map(\.reason) == [.duplicate])
    harness.handle(0, [.closed(second)])
    harness.handle(0, [.received(first, Harness.hello(of: peer)), .received(first, Harness.welcome)])
    #expect(harness.engines[0].readySessions == 2)
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(dialled(harness) == ["a", "b"])
    #expect(harness.engines[0].peers.first { $0.device == peer.device }?.address == Self.address("b"))
  }

  /// An entry replaces all addresses of the one before.
  @Test func addressesThatAreGoneAreForgotten() {
    let (harness, peer) = engine(["a", "b"].map(Self.address))
    let session = harness.welcomed(0, as: Author(3))
    let later = KnownPeer.Listening(
      device: peer.device,
      addresses: [Self.address("c"), Self.address("fe80::1"), Self.address("169.254.1.1")],
      stamp: Stamp(rawValue: Self.far.rawValue + 1))
    let effects = harness.handle(0, [.received(session, .addresses([later]))])
    // What means something on one link alone is neither kept nor passed on.
    #expect(effects.durable.addresses.map(\.addresses) == [[Self.address("c")]])
    harness.handle(0, [.unreachable(Self.address("a"), nil)])
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(Set(dialled(harness).dropFirst()) == ["c"])
  }

  // MARK: Another network

  /// A change is told to every peer, ends every back-off, and has each session show that it lives.
  @Test func aChangeIsToldAndEndsEveryBackOff() throws {
    let harness = Harness(2)
    let nowhere = Self.address("nowhere")
    harness.handle(0, [.started(listening: [Self.address("old")], peers: [nowhere])])
    for _ in 0..<8 {
      harness.handle(0, [.unreachable(nowhere, nil)])
      harness.monotonic += Limits.redialMaximumMilliseconds
      harness.handle(0, [.deadline])
    }
    harness.handle(0, [.unreachable(nowhere, nil)])
    harness.connect(0, 1)
    harness.settle()
    let (dials, sent) = (harness.dials.count, harness.sent.count)
    let moved = [Self.address("new"), Self.address("newer")]
    harness.handle(0, [.networkChanged(listening: moved)])
    #expect(harness.dials.count == dials + 1 && harness.dials.last?.address == nowhere)
    #expect(harness.sent.dropFirst(sent).map(\.message.type) == [.summary, .addresses])
    harness.settle()
    let device = harness.identities[0].device
    #expect(harness.disks[1].addresses.last { $0.device == device }?.addresses == moved)
    #expect(harness.engines.map(\.readySessions) == [1, 1] && harness.closings.isEmpty)
    // Nothing has changed, but the machine has slept: nothing is announced anew.
    let before = harness.sent.count
    harness.handle(0, [.networkChanged(listening: moved)])
    #expect(harness.sent.dropFirst(before).map(\.message.type) == [.summary])
    harness.filter = { _ in [] }
    harness.settle()
    harness.monotonic += Limits.proofMilliseconds
    harness.handle(0, [.deadline])
    #expect(harness.closings.map(\.reason) == [.silence])
  }

  /// A change behind the hello that told the old addresses is told once data flows, and what came of others meanwhile once.
  @Test func aChangeInAHandshakeIsToldBehindIt() {
    let (harness, peer) = (Harness(1), Author(2))
    let other = harness.welcomed(0)
    let session = harness.open(0, as: peer)
    harness.handle(0, [.received(session, Harness.hello(of: peer))])
    let third = KnownPeer.Listening(
      device: Author(3).device, address: Self.address("third"), stamp: Stamp(rawValue: 1))
    let early = harness.handle(
      0, [.networkChanged(listening: [Self.address("new")]), .received(other, .addresses([third]))])
    #expect(early.messages.allSatisfy { $0.0 != session })
    let late = harness.handle(0, [.received(session, Harness.welcome)])
    let told = late.messages.compactMap { message -> [Address]? in
      if case .addresses(let entries) = message.1 { entries.flatMap(\.addresses) } else { nil }
    }
    #expect(told == [[Self.address("third")], [Self.address("new")]])
    #expect(harness.handle(0, [.drained(session)]).messages.allSatisfy { $0.1.type != .addresses })
  }

  /// Whatever a runner says of its addresses: peers take what is announced, and nothing is announced twice.
  @Test func whatPeersRefuseIsNotAnnounced() {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let many = (1...9).map { Self.address("192.0.2.\($0)") }
    let given = [Self.address("fe80::1"), many[0], many[0], Self.address("169.254.1.1")] + many
    for addresses in [given, given] { harness.handle(0, [.networkChanged(listening: addresses)]) }
    harness.settle()
    let told = Array(many.prefix(Limits.deviceAddresses))
    let device = harness.identities[0].device
    #expect(harness.disks[1].addresses.last { $0.device == device }?.addresses == told)
    #expect(harness.sent.filter { $0.from == 0 && $0.message.type == .addresses }.count == 1)
    let long = (1...8).map { Self.address(String(repeating: "\($0)", count: Limits.deviceAddressBytes / 4)) }
    harness.handle(0, [.networkChanged(listening: long)])
    harness.settle()
    let entry = harness.disks[1].addresses.last { $0.device == device }
    #expect(entry?.addresses == Array(long.prefix(3)))
  }

  /// On no network nothing is announced, and nobody is invited; then it is.
  @Test func whereThereIsNoNetworkNobodyIsInvited() {
    let harness = Harness(2, start: false)
    harness.handle(0, [.started(listening: [], peers: [])])
    harness.start(1)
    let open = Invitation(key: JoiningTests.key, expires: Instant(clamping: Harness.wall + 60_000))
    let invitation = Request.invite(open)
    let early = harness.request(invitation, of: 0)
    #expect(harness.answers[early] == .refused(.noNetwork))
    // Whoever finds the device by its announcement needs no address.
    let nearby = harness.request(.invite(open, isAnnounced: true), of: 0)
    #expect(harness.answers[nearby] == .invited(at: nil) && harness.engines[0].invitation != nil)
    harness.connect(0, 1)
    harness.settle()
    #expect(!harness.disks[1].addresses.contains { $0.device == harness.identities[0].device })
    harness.handle(0, [.networkChanged(listening: [Self.address("new")])])
    harness.settle()
    #expect(harness.disks[1].addresses.contains { $0.device == harness.identities[0].device })
    let late = harness.request(invitation, of: 0)
    #expect(harness.answers[late] == .invited(at: Self.address("new")))
  }

  // MARK: Dead sessions

  /// What a peer does not answer within ten seconds after it was handed over, it never will; bytes of a long answer count.
  @Test func whoAnswersNothingIsDead() throws {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    harness.filter = { _ in [] }
    let session = try #require(harness.sent.first { $0.from == 0 }?.fromSession)
    harness.write(0, "a", [1])
    // As long as it waits here for a slow peer, its pace is what counts.
    harness.monotonic += 2 * Limits.answerMilliseconds
    harness.handle(0, [.deadline])
    #expect(harness.closings.isEmpty)
    harness.handle(0, [.drained(session)])
    harness.monotonic += Limits.answerMilliseconds - 1
    harness.handle(0, [.deadline])
    harness.handle(0, [.stirred(session)])
    harness.write(0, "a", [2])
    harness.handle(0, [.drained(session)])
    // More of it gives no more time.
    harness.monotonic += Limits.answerMilliseconds - 1
    harness.write(0, "a", [3])
    harness.handle(0, [.drained(session)])
    #expect(harness.handle(0, [.deadline]).closings.isEmpty)
    harness.monotonic += 1
    #expect(harness.engines[0].nextDeadline.map { $0 <= harness.monotonic } == true)
    #expect(harness.handle(0, [.deadline]).closings.map(\.1) == [.silence])
  }

  /// The other side has forgotten the session that this one holds for good: the new one takes its place at once.
  @Test func aNewSessionTakesThePlaceOfAnOldOne() {
    let harness = Harness(2)
    let old = harness.connect(0, 1)
    harness.settle()
    harness.monotonic += Limits.provenMilliseconds
    harness.handle(1, [.closed(old.listener)])
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.closings.map(\.session) == [old.dialler])
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  /// Where connections stand and nothing comes through, the next dial asks for small segments; where those do no better, not.
  @Test func smallSegmentsWhereLargeOnesVanish() {
    let (harness, peer) = engine([Self.address("a")])
    func next() -> Bool? {
      harness.monotonic += Limits.redialMaximumMilliseconds
      return harness.handle(0, [.deadline]).dials.first?.usesSmallSegments
    }
    for expected in [true, false, true] {
      harness.handle(0, [.unreachable(Self.address("a"), .handshakeTimeout)])
      #expect(next() == expected)
    }
    harness.handle(0, [.unreachable(Self.address("a"), nil)])
    #expect(next() == true)
    harness.handle(0, [.unreachable(Self.address("a"), nil), .networkChanged(listening: nil)])
    #expect(harness.dials.last?.address == Self.address("a"))
    // A session that the peer has opened fell silent: the way there is the same.
    let session = harness.welcomed(0, as: peer)
    harness.handle(0, [.received(session, .close(.silence)), .closed(session)])
    harness.handle(0, [.unreachable(Self.address("a"), nil)])
    #expect(next() == true)
  }
}

import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A peer that is asked tells whether it reaches this device.
@Suite struct DialBackTests {
  /// Two in sync; dials connect if `connectsDials`.
  private func pair(connectsDials: Bool) -> Harness {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    harness.connectsDials = connectsDials
    return harness
  }

  private func answer(_ request: RequestID, _ harness: Harness) -> [Bool]? {
    guard case .dialledBack(let peer, let dialled) = harness.answers[request] else { return nil }
    #expect(peer == harness.identities[1].device)
    #expect(dialled.allSatisfy { $0.address == harness.address(0) })
    return dialled.map(\.isReached)
  }

  @Test func aDeviceThatAnswersIsReached() {
    let harness = pair(connectsDials: true)
    let request = harness.request(.dialBack, of: 0)
    harness.settle()
    #expect(answer(request, harness) == [true])
    // The session that they have stays, and what was dialled ends before its hello.
    #expect(harness.engines.allSatisfy { $0.peers.first { $0.isConnected } != nil })
    #expect(harness.closings.map(\.reason) == [.duplicate, .leaving])
    let again = harness.request(.dialBack, of: 0)
    harness.settle()
    #expect(answer(again, harness) == [true])
  }

  @Test func oneThatDoesNotIsNot() {
    let harness = pair(connectsDials: false)
    let request = harness.request(.dialBack, of: 0)
    harness.settle()
    #expect(harness.dials.map(\.address) == [harness.address(0)] && answer(request, harness) == nil)
    harness.handle(1, [.unreachable(harness.address(0), nil)])
    harness.settle()
    #expect(answer(request, harness) == [false])
  }

  /// Whoever asks often does not have this device ask more than a peer answers.
  @Test func oneAnswerIsForAll() {
    let harness = pair(connectsDials: true)
    let before = harness.sent.count
    let requests = (0..<100).map { _ in harness.request(.dialBack, of: 0) }
    #expect(harness.sent.count == before + 1)
    harness.settle()
    for request in requests { #expect(answer(request, harness) == [true]) }
  }

  /// Somebody else may listen there by now.
  @Test func anotherKeyIsAnotherDevice() {
    let harness = pair(connectsDials: false)
    let request = harness.request(.dialBack, of: 0)
    harness.settle()
    let stranger = harness.open(1, dialled: harness.address(0), as: Author(30))
    harness.settle()
    #expect(answer(request, harness) == [false])
    #expect(!harness.closings.contains { $0.session == stranger })
  }

  @Test func nobodyWaitsForever() throws {
    let harness = pair(connectsDials: false)
    let request = harness.request(.dialBack, of: 0)
    harness.filter = { _ in [] }
    harness.settle()
    #expect(harness.answers[request] == nil)
    let deadline = harness.monotonic + Limits.dialBackMilliseconds
    #expect(try #require(harness.engines[0].nextDeadline) <= deadline)
    harness.monotonic = deadline
    harness.handle(0, [.deadline])
    #expect(answer(request, harness) == [])
    let other = harness.request(.dialBack, of: 0)
    harness.cut()
    #expect(answer(other, harness) == [])
    let alone = harness.request(.dialBack, of: 0)
    #expect(harness.answers[alone] == .dialledBack(by: nil, []))
  }

  /// A peer can tell of the addresses alone that this device announces, and answers nothing that was not asked.
  @Test func foreignAddressesAreNone() {
    let harness = Harness(1)
    let session = harness.welcomed(0)
    let foreign = DialledAddress(address: Address(host: "elsewhere", port: 1), isReached: true)
    let own = DialledAddress(address: harness.address(0), isReached: false)
    harness.handle(0, [.received(session, .dialledBack([own]))])
    let request = harness.request(.dialBack, of: 0)
    harness.handle(0, [.received(session, .dialledBack([foreign, own]))])
    #expect(harness.answers[request] == .dialledBack(by: Author(40).device, [own]))
  }

  /// A peer that comes again and again has no more dialled than once: the dials of a session that has ended are still there.
  @Test func anotherSessionAddsNoDials() {
    let harness = pair(connectsDials: false)
    func ask() -> (request: RequestID, dials: Int) {
      let before = harness.dials.count
      let request = harness.request(.dialBack, of: 0)
      harness.settle()
      return (request, harness.dials.count - before)
    }
    #expect(ask().dials == 1)
    for _ in 0..<5 {
      harness.cut()
      harness.connect(0, 1)
      harness.settle()
      #expect(ask().dials == 0)
    }
    let waiting = ask().request
    harness.handle(1, [.unreachable(harness.address(0), nil)])
    harness.settle()
    #expect(answer(waiting, harness) == [false])
    // What was found is told again for a moment, and then looked at anew.
    let again = ask()
    #expect(answer(again.request, harness) == [false] && again.dials == 0)
    harness.monotonic += Limits.handshakeMilliseconds
    #expect(ask().dials == 1)
    // Nothing is heard of that dial.
    harness.monotonic += Limits.dialBackMilliseconds
    harness.handle(0, [.deadline])
    #expect(ask().dials == 1)
  }

  /// Each question costs connections: a peer has few of them, and one that does not say where it listens has none dialled.
  @Test func questionsAreBounded() {
    let harness = Harness(1)
    let session = harness.welcomed(0)
    harness.handle(0, (0..<100).map { _ in .received(session, .dialBack) })
    #expect(harness.dials.isEmpty)
    #expect(harness.closings.map(\.reason) == [.busy])
  }
}

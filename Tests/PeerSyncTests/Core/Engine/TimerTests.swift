import PeerSyncCore
import Testing

@Suite struct TimerTests {
  private static let spread = Limits.beatMilliseconds / 10

  private func connected() -> Harness {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  /// The dialler asks once in a beat, the other answers: two small messages, and nothing else as long as nothing happens.
  @Test func beats() throws {
    let harness = connected()
    let start = harness.sent.count
    var last = harness.monotonic
    for beat in 1...8 {
      let next = try #require(harness.engines[0].nextDeadline)
      let wait = next - last
      #expect((Limits.beatMilliseconds - Self.spread...Limits.beatMilliseconds + Self.spread).contains(wait))
      harness.monotonic = next - 1
      #expect(harness.handle(0, [.deadline]).messages.isEmpty)
      harness.monotonic = next
      #expect(harness.handle(0, [.deadline]).messages.map(\.1.type) == [.summary])
      last = next
      harness.settle()
      #expect(harness.sent.count == start + 2 * beat)
    }
    #expect(harness.engines.map(\.readySessions) == [1, 1] && harness.closings.isEmpty)
  }

  @Test(arguments: [0, 1]) func silence(engine: Int) {
    let harness = connected()
    harness.filter = { _ in [] }
    let start = harness.monotonic
    for _ in 0..<10 where harness.closings.isEmpty {
      harness.monotonic = harness.engines[engine].nextDeadline ?? harness.monotonic
      harness.handle(engine, [.deadline])
    }
    #expect(harness.closings.map(\.reason) == [.silence])
    #expect(harness.monotonic == start + Limits.silenceMilliseconds)
    #expect(harness.engines[engine].readySessions == 0)
  }

  /// Anything that comes is a sign of life.
  @Test func aSignOfLife() {
    let harness = connected()
    harness.advance(20 * Limits.silenceMilliseconds)
    #expect(harness.closings.isEmpty && harness.engines.map(\.readySessions) == [1, 1])
  }

  /// Whatever is due has happened once `deadline` was handled: nothing spins.
  @Test func noDeadlineStaysInThePast() {
    let harness = Harness(3, start: false)
    for index in 0..<3 { harness.start(index, peers: [Address(host: "nowhere", port: UInt16(index))]) }
    harness.connect(0, 1)
    _ = harness.open(2)
    harness.request(.join(Address(host: "nobody", port: 1), JoiningTests.key), of: 2)
    harness.settle()
    for _ in 0..<400 {
      harness.monotonic += 997
      for index in 0..<3 {
        let effects = harness.handle(index, [.deadline])
        for dial in effects.dials { harness.handle(index, [.unreachable(dial.address, nil)]) }
        for (session, _) in effects.closings { harness.handle(index, [.closed(session)]) }
        #expect(harness.engines[index].nextDeadline.map { $0 > harness.monotonic } ?? true)
      }
      harness.settle()
    }
  }

  // MARK: Dialling

  @Test(arguments: Seeds.all) func backOffDoublesWithJitter(seed: UInt64) throws {
    let address = Address(host: "nowhere", port: 1)
    var engine = Engine(Harness.device(Author(1)), signer: Author(1).key, .simulated, seed: seed)
    var now: UInt64 = 1
    func handle(_ events: [Event]) -> Effects {
      engine.handle(events, now: Now(wall: Instant(clamping: Harness.wall), monotonic: now))
    }
    let dial = DialTarget(address: address)
    #expect(handle([.started(listening: nil, peers: [address])]).dials == [dial])
    #expect(engine.nextDeadline == 1 + Limits.timeKeptMilliseconds)
    var waits: [UInt64] = []
    for failures in 0..<14 {
      #expect(handle([.unreachable(address, nil)]).dials.isEmpty)
      let next = try #require(engine.nextDeadline)
      let bound = min(Limits.redialMinimumMilliseconds << UInt64(failures), Limits.redialMaximumMilliseconds)
      #expect((bound / 2...bound).contains(next - now), "seed \(seed)")
      waits.append(next - now)
      now = next
      #expect(handle([.deadline]).dials == [dial])
    }
    #expect(Set(waits.suffix(5)).count > 1)
  }

  /// A person knows that the network is there again: nothing waits for the end of a back-off.
  @Test func whoAsksToBeOnlineOnceMoreDialsAtOnce() throws {
    let harness = Harness(1)
    let address = Address(host: "nowhere", port: 1)
    harness.handle(0, [.started(listening: nil, peers: [address])])
    for _ in 0..<8 { harness.handle(0, [.unreachable(address, nil)]) }
    #expect(harness.handle(0, [.deadline]).dials.isEmpty)
    let effects = harness.handle(0, [.requested(RequestID(rawValue: 1), .setOnline(true)), .deadline])
    #expect(effects.dials == [DialTarget(address: address)])
  }

  /// A peer that goes away some time after its welcome is dialled again soon; one that hangs up before it or right after
  /// it, later and later.
  @Test(arguments: [false, true]) func onlyAGoodSessionEndsTheBackOff(isWelcomed: Bool) throws {
    let harness = Harness(2)
    let address = harness.address(1)
    harness.handle(0, [.started(listening: nil, peers: [address])])
    let hello = Harness.hello(of: Author(2))
    func attempt(lasting time: UInt64 = 0) throws -> UInt64 {
      let session = harness.open(0, dialled: address, as: Author(2))
      let messages = isWelcomed ? [hello, Harness.welcome] : [hello]
      harness.handle(0, messages.map { .received(session, $0) })
      harness.monotonic += time
      harness.handle(0, [.closed(session)])
      let next = try #require(harness.engines[0].nextDeadline)
      defer {
        harness.monotonic = next
        harness.handle(0, [.deadline])
      }
      return next - harness.monotonic
    }
    for _ in 0..<10 { _ = try attempt() }
    #expect(try attempt(lasting: Limits.provenMilliseconds - 1) >= Limits.redialMaximumMilliseconds / 2)
    let wait = try attempt(lasting: Limits.provenMilliseconds)
    #expect(isWelcomed == (wait <= Limits.redialMinimumMilliseconds))
  }

  @Test func comingOnlineDialsAtOnce() {
    let harness = Harness(1, start: false)
    let address = Address(host: "nowhere", port: 1)
    harness.start(0, peers: [address])
    for _ in 0..<8 {
      harness.handle(0, [.unreachable(address, nil)])
      harness.monotonic += Limits.redialMaximumMilliseconds
      harness.handle(0, [.deadline])
    }
    harness.handle(0, [.unreachable(address, nil)])
    harness.request(.setOnline(false), of: 0)
    #expect(harness.engines[0].nextDeadline == 1_000 + Limits.timeKeptMilliseconds)
    let before = harness.dials.count
    harness.request(.setOnline(true), of: 0)
    #expect(harness.dials.count == before + 1)
  }

  // MARK: Addresses

  @Test func addressesSpread() {
    let harness = Harness(3)
    harness.connect(0, 1)
    harness.settle()
    harness.connect(1, 2)
    harness.settle()
    for index in [0, 2] {
      let known = Set(harness.engines[index].peers.compactMap(\.address))
      #expect(known == Set([0, 1, 2].filter { $0 != index }.map(harness.address)))
    }
    #expect(harness.dials.contains { $0.engine == 0 && $0.address == harness.address(2) })
    #expect(Set(harness.disks[0].addresses.map(\.device)) == Set(harness.identities.map(\.device)))
  }

  /// An entry from the future would never be replaced: it counts as the oldest, and nothing at all beside another.
  @Test func anAddressFromTheFutureIsTheOldest() throws {
    let harness = connected()
    let session = try #require(harness.sent.last { $0.to == 0 }?.session)
    let device = Author(9).device
    let ahead = Stamp(Instant(clamping: Harness.wall).advanced(byMilliseconds: 86_400_000))
    let (oldest, past) = (Stamp(rawValue: 0), Stamp(rawValue: 5))
    for (stamp, taken) in [(ahead, oldest), (ahead, nil), (past, past), (past, nil), (ahead, nil)] {
      let address = Address(host: "far", port: 1)
      let entry = KnownPeer.Listening(device: device, address: address, stamp: stamp)
      let effects = harness.handle(0, [.received(session, .addresses([entry]))])
      let expected = taken.map { KnownPeer.Listening(device: device, address: address, stamp: $0) }
      #expect(effects.durable.addresses == [expected].compactMap(\.self))
    }
  }
}

import PeerSync
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
    for beat in 1...20 {
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
    harness.request(.join(Address(host: "nobody", port: 1), code: "c"), of: 2)
    harness.settle()
    for _ in 0..<400 {
      harness.monotonic += 997
      for index in 0..<3 {
        let effects = harness.handle(index, [.deadline])
        for address in effects.dials { harness.handle(index, [.unreachable(address)]) }
        for (session, _) in effects.closings { harness.handle(index, [.closed(session)]) }
        #expect(harness.engines[index].nextDeadline.map { $0 > harness.monotonic } ?? true)
      }
      harness.settle()
    }
  }

  // MARK: Dialling

  @Test(arguments: Seeds.all) func backOffDoublesWithJitter(seed: UInt64) throws {
    let harness = Harness()
    let identity = Harness(1).identities[0]
    let address = Address(host: "nowhere", port: 1)
    var engine = Engine(
      identity: identity, replica: Author(1).emptyReplica, signer: Author(1).key, seed: seed)
    var now: UInt64 = 1
    func handle(_ events: [Event]) -> Effects {
      engine.handle(events, now: Now(wall: Instant(clamping: Harness.wall), monotonic: now))
    }
    _ = harness
    #expect(handle([.started(listening: nil, peers: [address])]).dials == [address])
    #expect(engine.nextDeadline == nil)
    var waits: [UInt64] = []
    for failures in 0..<14 {
      #expect(handle([.unreachable(address)]).dials.isEmpty)
      let next = try #require(engine.nextDeadline)
      let bound = min(Limits.redialMinimumMilliseconds << UInt64(failures), Limits.redialMaximumMilliseconds)
      #expect((bound / 2...bound).contains(next - now), "seed \(seed)")
      waits.append(next - now)
      now = next
      #expect(handle([.deadline]).dials == [address])
    }
    #expect(Set(waits.suffix(5)).count > 1)
  }

  /// A peer that goes away some time after its welcome is dialled again soon; one that hangs up before it or right after
  /// it, later and later.
  @Test(arguments: [false, true]) func onlyAGoodSessionEndsTheBackOff(isWelcomed: Bool) throws {
    let harness = Harness(2)
    let address = harness.address(1)
    harness.handle(0, [.started(listening: nil, peers: [address])])
    let identity = harness.identities[1]
    let hello = Message.hello(
      Hello(
        versions: 1...1, group: identity.group, device: identity.device, replica: identity.replica,
        environment: identity.environment, bundleId: identity.bundleId, name: identity.name, listening: nil))
    func attempt(lasting time: UInt64 = 0) throws -> UInt64 {
      let session = harness.open(0, dialled: address)
      let messages = isWelcomed ? [hello, .welcome] : [hello]
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
      harness.handle(0, [.unreachable(address)])
      harness.monotonic += Limits.redialMaximumMilliseconds
      harness.handle(0, [.deadline])
    }
    harness.handle(0, [.unreachable(address)])
    harness.request(.setOnline(false), of: 0)
    #expect(harness.engines[0].nextDeadline == nil)
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
    #expect(harness.engines[0].peers.compactMap(\.address) == [harness.address(1), harness.address(2)])
    #expect(harness.engines[2].peers.compactMap(\.address) == [harness.address(0), harness.address(1)])
    #expect(harness.dials.contains { $0.engine == 0 && $0.address == harness.address(2) })
    #expect(harness.disks[0].addresses.count == 2)
  }

  /// An entry from the future would never be replaced.
  @Test func anAddressFromTheFutureIsIgnored() throws {
    let harness = connected()
    let session = try #require(harness.sent.last { $0.to == 0 }?.session)
    let device = DeviceID(high: 9, low: 9)
    let ahead = Stamp(Instant(clamping: Harness.wall).advanced(byMilliseconds: 86_400_000))
    for (stamp, isTaken) in [(ahead, false), (Stamp(rawValue: 5), true), (Stamp(rawValue: 5), false)] {
      let entry = AddressEntry(device: device, address: Address(host: "far", port: 1), stamp: stamp)
      let effects = harness.handle(0, [.received(session, .addresses([entry]))])
      #expect(effects.durable.addresses == (isTaken ? [entry] : []))
    }
  }
}

import PeerSyncCore
import Testing

/// What members tell of where others listen, truly or not.
@Suite struct HearsayTests {
  private static func address(_ host: String) -> Address { Address(host: host, port: 1) }
  private static let far = Stamp(Instant(clamping: Harness.wall))

  private static func dialled(_ harness: Harness) -> [String] { harness.dials.map(\.address.host) }

  /// A member says of another one that it is elsewhere: it is dialled where it said itself that it is as well, also after a start.
  @Test func wrongAddressesPartNobodyWhoHasMet() {
    let (harness, peer) = (Harness(1), Author(2))
    let own = KnownPeer.Listening(device: peer.device, address: Self.address("own"), stamp: Self.far)
    let session = harness.open(0, as: peer)
    harness.handle(
      0, [.received(session, Harness.hello(of: peer, listening: own)), .received(session, Harness.welcome)])
    let liar = harness.welcomed(0, as: Author(40))
    let lie = KnownPeer.Listening(
      device: peer.device, address: Self.address("lie"), stamp: Stamp(rawValue: Self.far.rawValue + 1))
    harness.handle(0, [.received(liar, .addresses([lie]))])
    #expect(harness.disks[0].addresses.filter { $0.device == peer.device } == [own])
    harness.handle(0, [.closed(session)])
    harness.advance(Limits.redialMaximumMilliseconds)
    // Its own word first: what others tell may lead to somebody who passes all on, and then holds it.
    #expect(Self.dialled(harness) == ["own"])
    harness.handle(0, [.unreachable(Self.address("own"), nil)])
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(Set(Self.dialled(harness)) == ["own", "lie"])
    let before = harness.dials.count
    harness.restart(0)
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(Set(Self.dialled(harness).dropFirst(before)) == ["own"])
    // What it says itself later replaces what it said before, whatever the stamps.
    let later = harness.open(0, as: peer)
    let moved = KnownPeer.Listening(device: peer.device, address: Self.address("moved"), stamp: Self.far)
    harness.handle(
      0, [.received(later, Harness.hello(of: peer, listening: moved)), .received(later, Harness.welcome)])
    #expect(harness.disks[0].addresses.filter { $0.device == peer.device } == [moved])
  }

  /// Somebody listens where others are said to be, and holds what they say: neither a handshake there nor how often nobody answered keeps
  /// a device from being dialled where it said itself that it is.
  @Test func aHandshakeThatIsHeldIsInNobodysWay() {
    let (harness, peer) = (Harness(1), Author(2))
    func stamp(_ later: UInt64) -> Stamp { Stamp(rawValue: Self.far.rawValue + later) }
    let own = KnownPeer.Listening(device: peer.device, address: Self.address("own"), stamp: Self.far)
    let session = harness.open(0, as: peer)
    harness.handle(
      0, [.received(session, Harness.hello(of: peer, listening: own)), .received(session, Harness.welcome)])
    let liar = harness.welcomed(0, as: Author(40))
    harness.handle(0, [.received(liar, .close(.leaving)), .closed(liar)])
    harness.handle(0, [.closed(session)])
    // It is away for long.
    for _ in 0..<10 {
      harness.advance(Limits.redialMaximumMilliseconds)
      harness.handle(0, [.unreachable(Self.address("own"), nil)])
    }
    let again = harness.welcomed(0, as: Author(40))
    let lie = KnownPeer.Listening(device: peer.device, address: Self.address("lie"), stamp: stamp(1))
    harness.handle(0, [.received(again, .addresses([lie]))])
    #expect(Self.dialled(harness).last == "lie")
    let held = harness.open(0, dialled: Self.address("lie"), as: peer)
    harness.handle(0, [.received(held, Harness.hello(of: peer, listening: own))])
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(Self.dialled(harness).last == "own")
    let direct = harness.open(0, dialled: Self.address("own"), as: peer)
    harness.handle(0, [.received(direct, Harness.hello(of: peer, listening: own))])
    harness.handle(0, [.received(direct, Harness.welcome)])
    #expect(harness.engines[0].peers.first { $0.device == peer.device }?.address == Self.address("own"))
    // Once it has been met it is dialled at once where it says that it is, however often nobody answered there, and nowhere else.
    let before = harness.dials.count
    let later = KnownPeer.Listening(device: peer.device, address: Self.address("later"), stamp: stamp(2))
    harness.handle(0, [.received(again, .addresses([later])), .closed(direct)])
    harness.advance(2 * Limits.redialMinimumMilliseconds)
    #expect(Array(Self.dialled(harness).dropFirst(before)) == ["own"])
  }

  /// The same where it is told of a third device, and where something else is told once the dial has begun.
  @Test(arguments: [false, true]) func noHandshakeAtHearsayIsInTheWay(isOfAnother: Bool) {
    let (harness, peer) = (Harness(1), Author(2))
    func tell(_ host: String, of device: DeviceID, later: UInt64, on session: SessionID) {
      let stamp = Stamp(rawValue: Self.far.rawValue + later)
      let entry = KnownPeer.Listening(device: device, addresses: [Self.address(host)], stamp: stamp)
      harness.handle(0, [.received(session, .addresses([entry]))])
    }
    let own = KnownPeer.Listening(device: peer.device, address: Self.address("own"), stamp: Self.far)
    let hello = Harness.hello(of: peer, listening: own)
    let session = harness.open(0, as: peer)
    harness.handle(0, [.received(session, hello), .received(session, Harness.welcome), .closed(session)])
    let liar = harness.welcomed(0, as: Author(40))
    harness.advance(Limits.redialMaximumMilliseconds)
    harness.handle(0, [.unreachable(Self.address("own"), nil)])
    tell("lie", of: isOfAnother ? Author(3).device : peer.device, later: 1, on: liar)
    harness.advance(Limits.dialLeadMilliseconds)
    #expect(Self.dialled(harness).contains("lie"))
    if !isOfAnother { tell("other", of: peer.device, later: 2, on: liar) }
    // The other side says nothing more.
    let held = harness.open(0, dialled: Self.address("lie"), as: peer)
    harness.handle(0, [.unreachable(Self.address("own"), nil)])
    let before = harness.dials.count
    harness.advance(Limits.handshakeMilliseconds - 1)
    #expect(Self.dialled(harness).dropFirst(before).contains("own"))
    let direct = harness.open(0, dialled: Self.address("own"), as: peer)
    harness.handle(0, [.received(direct, hello), .received(direct, Harness.welcome)])
    #expect(harness.engines[0].readySessions == 2 && !harness.closings.contains { $0.session == direct })
    harness.handle(0, [.closed(held)])
  }

  /// Handshakes that a device begins one after the other, and that somebody holds, do not keep it from being dialled.
  @Test func handshakesThatComeDoNotKeepFromDialling() {
    let (harness, peer) = (Harness(1), Author(2))
    let own = KnownPeer.Listening(device: peer.device, address: Self.address("own"), stamp: Self.far)
    for _ in 0..<20 {
      let held = harness.open(0, as: peer)
      harness.handle(0, [.received(held, Harness.hello(of: peer, listening: own))])
      harness.advance(Limits.dialMilliseconds / 2)
    }
    #expect(Self.dialled(harness).contains("own"))
  }

  /// A member says again and again that somebody, or it itself, is elsewhere: only so many dials come of it.
  @Test(arguments: [false, true]) func newAddressesHaveSoManyDialsMade(ofItself: Bool) {
    let harness = Harness(1)
    let liar = Author(40)
    let device = ofItself ? liar.device : Author(2).device
    let seconds: UInt64 = 60
    let pause = Limits.dialMilliseconds + 1
    for turn in 0..<seconds * 1_000 / pause {
      let session = harness.open(0, as: liar)
      let entry = KnownPeer.Listening(
        device: device,
        addresses: (0..<UInt64(Limits.deviceAddresses)).map { Self.address("a\(turn)-\($0)") },
        stamp: Stamp(rawValue: Self.far.rawValue - seconds * 1_000 + turn))
      let hello = Harness.hello(of: liar, listening: ofItself ? entry : nil)
      harness.handle(0, [.received(session, hello), .received(session, Harness.welcome)])
      if !ofItself { harness.handle(0, [.received(session, .addresses([entry]))]) }
      harness.handle(0, [.closed(session)])
      harness.advance(pause)
      for dial in harness.dials.suffix(40) { harness.handle(0, [.unreachable(dial.address, nil)]) }
    }
    #expect(UInt64(harness.dials.count) <= Limits.dials + seconds * 1_000 / Limits.dialMilliseconds + 1)
    #expect(UInt64(harness.dials.count) > Limits.dials)
  }

  /// A member says something else all the time: others tell each other once in a second, and the last word at the end.
  @Test func newAddressesAreToldAtAPace() {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let liar = harness.welcomed(0, as: Author(40))
    let before = harness.sent.count
    func told() -> [[KnownPeer.Listening]] {
      harness.sent.dropFirst(before).compactMap { envelope in
        guard envelope.to == 1, case .addresses(let entries) = envelope.message else { return nil }
        return entries
      }
    }
    let seconds: UInt64 = 3
    var last: KnownPeer.Listening?
    for turn in 1...seconds * 50 {
      let entry = KnownPeer.Listening(
        device: Author(3).device, address: Self.address("a\(turn)"), stamp: Stamp(rawValue: turn))
      last = entry
      harness.handle(0, [.received(liar, .addresses([entry]))])
      harness.settle()
      harness.advance(20)
    }
    harness.advance(Limits.tellingMilliseconds)
    harness.settle()
    #expect(
      (2...Limits.tellings + seconds + 1).contains(UInt64(told().count)) && told().last == last.map { [$0] })
    #expect(harness.disks[1].addresses.last == last && harness.engines[1].readySessions == 1)
  }
}

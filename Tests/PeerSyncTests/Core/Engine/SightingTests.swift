import PeerSyncCore
import Testing

/// Members that are seen on the local network, and those that this device is announced to.
@Suite struct SightingTests {
  private static func address(_ host: String) -> Address { Address(host: host, port: 1) }
  private static let peer = Author(2)

  @Test func whoIsSeenIsDialledAtOnce() {
    let harness = Harness(1)
    let key = Self.peer.key.publicKey
    harness.handle(0, [.sighted(key, [Self.address("a")])])
    for _ in 0..<8 {
      harness.handle(0, [.unreachable(Self.address("a"), nil)])
      harness.monotonic += Limits.redialMaximumMilliseconds
      harness.handle(0, [.deadline])
    }
    harness.handle(0, [.unreachable(Self.address("a"), nil)])
    let count = harness.dials.count
    // Elsewhere now: what was seen before is forgotten, and the back-off is over.
    harness.handle(0, [.sighted(key, [Self.address("b"), Self.address("c")])])
    #expect(harness.dials.dropFirst(count).map(\.address) == [Self.address("b")])
    harness.handle(0, [.unreachable(Self.address("b"), nil)])
    #expect(harness.dials.last?.address == Self.address("c"))
    #expect(harness.disks[0].addresses.allSatisfy { $0.device != Self.peer.device })
  }

  /// Whoever repeats an announcement for a moment has this device dial there no longer than that.
  @Test func whoIsAnnouncedNoMoreIsNotDialledThere() {
    let harness = Harness(2)
    let (told, shown) = (harness.address(1), Self.address("elsewhere"))
    harness.connect(0, 1)
    harness.settle()
    harness.cut()
    let key = harness.identities[1].key
    harness.handle(0, [.sighted(key, [shown, told])])
    #expect(harness.dials.contains { $0.address == shown })
    harness.handle(0, [.unreachable(shown, nil), .sighted(key, [])])
    let count = harness.dials.count
    harness.handle(0, [.unreachable(told, nil)])
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    harness.handle(0, [.networkChanged(listening: nil)])
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    // Where the device says itself that it listens it goes on being dialled.
    let later = harness.dials.dropFirst(count).filter { $0.engine == 0 }.map(\.address)
    #expect(!later.isEmpty && later.allSatisfy { $0 == told })
  }

  /// Whoever repeats the announcement of one member from where another one is takes nothing from that one, while it stands and after.
  @Test(arguments: [true, false])
  func anAddressOfOneIsNotLostToAnother(isTakenBack: Bool) {
    let harness = Harness(3)
    let told = harness.address(1)
    for other in 1...2 { harness.connect(0, other) }
    harness.settle()
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    let key = harness.identities[2].key
    harness.handle(0, [.sighted(key, [told])])
    if isTakenBack { harness.handle(0, [.sighted(key, [])]) }
    let count = harness.dials.count
    harness.handle(0, [.unreachable(told, nil)])
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials.dropFirst(count).contains { $0.engine == 0 && $0.address == told })
  }

  @Test func strangersAndOneselfAreNot() {
    let harness = Harness(1)
    for key in [Author(90).key.publicKey, harness.identities[0].key] {
      harness.handle(0, [.sighted(key, [Self.address("a")])])
    }
    harness.handle(0, [.sighted(Self.peer.key.publicKey, [])])
    #expect(harness.dials.isEmpty)
  }

  /// An announcement can be repeated by anybody.
  @Test func onlySoManySightingsCount() {
    let harness = Harness(1)
    func sight() -> Int {
      let count = harness.dials.count
      harness.handle(0, [.sighted(Self.peer.key.publicKey, [Self.address("a")])])
      if harness.dials.count > count { harness.handle(0, [.unreachable(Self.address("a"), .leaving)]) }
      return harness.dials.count - count
    }
    #expect((0..<20).map { _ in sight() }.reduce(0, +) == Int(Limits.sightings))
    harness.monotonic += Limits.sightingMilliseconds
    #expect(sight() >= 1)
  }

  /// The member may be there for good: where it was seen last counts later, unless it is gone by then.
  @Test(arguments: [true, false])
  func whatWasSeenTooOftenCountsLater(isGone: Bool) {
    let harness = Harness(1)
    let key = Self.peer.key.publicKey
    for _ in 0..<Limits.sightings { harness.handle(0, [.sighted(key, [Self.address("a")])]) }
    for host in ["b", "c"] { harness.handle(0, [.sighted(key, [Self.address(host)])]) }
    if isGone { harness.handle(0, [.sighted(key, [])]) }
    harness.advance(Limits.sightingMilliseconds)
    #expect(harness.dials.contains { $0.address == Self.address("c") } != isGone)
    #expect(!harness.dials.contains { $0.address == Self.address("b") })
    // Then nothing waits any more.
    let count = harness.dials.count
    harness.handle(0, [.unreachable(Self.address("c"), nil), .sighted(key, [])])
    harness.advance(2 * Limits.sightingMilliseconds)
    #expect(!harness.dials.dropFirst(count).contains { $0.address == Self.address("c") })
  }

  /// Whoever announces itself to this device has no session with it: one that there is has to show that it lives.
  @Test func aSessionWithWhoIsSeenHasToShowThatItLives() {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let key = harness.identities[1].key
    harness.handle(0, [.sighted(key, [Self.address("new")])])
    harness.advance(Limits.provenMilliseconds)
    #expect(harness.closings.isEmpty)
    harness.filter = { _ in [] }
    harness.handle(0, [.sighted(key, [Self.address("new")])])
    harness.settle()
    harness.monotonic += Limits.proofMilliseconds
    harness.handle(0, [.deadline])
    #expect(
      harness.closings.map(\.reason) == [.silence] && harness.dials.last?.address == Self.address("new"))
  }

  /// This device is announced to the members with which it has no session; offline, to nobody.
  @Test func membersWithoutASessionAreSought() throws {
    let harness = Harness(2, start: false)
    func sought(_ event: Event) -> Set<PublicKey>? { harness.handle(0, [event]).sought.map(Set.init) }
    let others = Set(harness.engines[0].group.members.map(\.key)).subtracting([harness.identities[0].key])
    #expect(!others.isEmpty && others.count <= Limits.announcedTags)
    #expect(sought(.started(listening: nil, peers: [])) == others)
    #expect(sought(.deadline) == nil)
    let session = harness.open(0, as: Self.peer)
    harness.handle(0, [.received(session, Harness.hello(of: Self.peer))])
    #expect(sought(.received(session, Harness.welcome)) == others.subtracting([Self.peer.key.publicKey]))
    #expect(sought(.closed(session)) == others)
    let effects = harness.handle(0, [.requested(RequestID(rawValue: 900), .setOnline(false))])
    #expect(effects.sought == [])
    let removal = Request.remove(Self.peer.device, recoveryKey: nil)
    harness.handle(0, [.requested(RequestID(rawValue: 901), removal)])
    let online = harness.handle(0, [.requested(RequestID(rawValue: 902), .setOnline(true))])
    #expect(online.sought.map(Set.init) == others.subtracting([Self.peer.key.publicKey]))
  }
}

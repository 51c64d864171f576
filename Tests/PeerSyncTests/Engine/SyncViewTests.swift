import PeerSync
import Testing

/// What watchers are told of how far peers are.
@Suite("Being in sync")
struct SyncViewTests {
  private let session = SessionID(rawValue: 1)
  private let peer = DeviceID(high: 2, low: 2)
  private let now = Now(wall: .epoch.advanced(byMilliseconds: 86_400_000), monotonic: 1000)

  /// An engine with a welcomed peer that has told that it knows nothing yet.
  private func engine() -> Engine {
    let identity = Identity(
      device: DeviceID(high: 1, low: 1), replica: ReplicaID(high: 1, low: 1), group: GroupID(high: 1, low: 1),
      name: "Phone", environment: .sandbox, bundleId: "com.example.app")
    var engine = Engine(identity: identity, replica: Author(1).emptyReplica, signer: Author(1).key, seed: 1)
    let member = LocalWrite(
      key: RegisterKey.member(peer).encoded, value: Member(name: "Tablet", joined: now.wall).encoded)
    let hello = Hello(
      versions: ProtocolVersion.supported, group: identity.group, device: peer,
      replica: Author(2).replica, environment: .sandbox, bundleId: identity.bundleId, name: "Tablet",
      listening: nil)
    _ = engine.handle([.started(listening: nil, peers: [])], now: now)
    _ = engine.handle([.requested(RequestID(rawValue: 1), .write([member]))], now: now)
    let channel = Channel.certificate(SigningKey.simulated(seed: 1).publicKey)
    let opening = Opening.accepted(from: Address(host: "127.0.0.1", port: 1))
    _ = engine.handle([.opened(session, opening, channel)], now: now)
    for message in [Message.hello(hello), .welcome, .vector(VersionVector())] {
      _ = engine.handle([.received(session, message)], now: now)
    }
    return engine
  }

  @Test("a delta that brings nothing new, but tells that the peer is level, is a change to look at")
  func delta() {
    var engine = engine()
    #expect(engine.peers.map(\.isInSync) == [false])
    let vector = engine.replica.vector
    let end = DeltaEnd(delta: 1, chunks: 0, baseHash: engine.replica.vectorHash, claims: vector.entries)
    let effects = engine.handle([.received(session, .deltaEnd(end))], now: now)
    #expect(engine.peers.map(\.isInSync) == [true])
    #expect(effects.changed)
  }

  @Test("so is a commit that was known")
  func commit() {
    var engine = engine()
    let writes = engine.replica.sortedWrites().sorted { $0.dot.sequence < $1.dot.sequence }
    // One commit each, as the engine made them: all in one would be another commit of the same author, a fork.
    let commits = writes.map { Event.received(session, .commit(.signed([$0]))) }
    let effects = engine.handle(commits, now: now)
    #expect(engine.peers.map(\.isInSync) == [true])
    #expect(effects.changed)
  }
}

import PeerSyncCore
import Testing

/// What watchers are told of how far peers are.
@Suite("Being in sync")
struct SyncViewTests {
  private let session = SessionID(rawValue: 1)
  private let now = Now(wall: .epoch.advanced(byMilliseconds: 86_400_000), monotonic: 1000)

  /// An engine with a purchase and a welcomed peer that has told that it knows nothing yet.
  private func engine() throws -> Engine {
    let author = Author(1)
    let device = Harness.device(author)
    let both = [author, Author(2)].map { ($0.key, Harness.device($0).founding) }
    let membership = try Membership.united(both, .simulated)
    var engine = Engine(
      identity: device.identity, signer: author.key, cryptography: .simulated, membership: membership,
      replica: author.emptyReplica, seed: 1)
    let value = LocalWrite(key: RegisterKey.value(key: "image").encoded, value: [1])
    _ = engine.handle([.started(listening: nil, peers: [])], now: now)
    _ = engine.handle([.requested(RequestID(rawValue: 1), .write([value]))], now: now)
    let opening = Opening.accepted(from: Address(host: "127.0.0.1", port: 1))
    _ = engine.handle([.opened(session, opening, .certificate(Author(2).key.publicKey))], now: now)
    let welcome = Message.welcome(membership.fingerprint)
    for message in [Harness.hello(of: Author(2)), welcome, .vector(VersionVector().told)] {
      _ = engine.handle([.received(session, message)], now: now)
    }
    return engine
  }

  @Test("a delta that brings nothing new, but tells that the peer is in sync, is a change to look at")
  func delta() throws {
    var engine = try engine()
    #expect(engine.peers.map(\.isInSync) == [false])
    let vector = engine.replica.vector
    let end = DeltaEnd(delta: 1, chunks: 0, baseHash: engine.replica.vectorHash, claims: vector.entries)
    let effects = engine.handle([.received(session, .deltaEnd(end))], now: now)
    #expect(engine.peers.map(\.isInSync) == [true])
    #expect(effects.changed)
  }

  @Test("when a member was last heard from is kept over a restart: the first time at once, then now and then")
  func whenItWasSeen() {
    let harness = Harness(2)
    func seen() -> [Instant?] { harness.engines[0].peers.filter { $0.name == "Device 2" }.map(\.lastSeen) }
    #expect(seen() == [nil])
    harness.connect(0, 1)
    harness.settle()
    let first = harness.now(0).wall
    #expect(seen() == [first])
    harness.restart(0)
    #expect(seen() == [first])
    harness.connect(0, 1)
    harness.advance(2 * Limits.timeKeptMilliseconds)
    let last = seen()
    harness.cut()
    let kept = harness.disks[0].contacts.count
    #expect((2...5).contains(kept))
    harness.restart(0)
    let passed = (seen()[0]?.milliseconds ?? 0) - first.milliseconds
    #expect(passed >= Int64(Limits.timeKeptMilliseconds) && seen()[0] ?? .epoch <= last[0] ?? .epoch)
  }

  @Test("so is a commit that was known")
  func commit() throws {
    var engine = try engine()
    let writes = engine.replica.sortedWrites().sorted { $0.dot.sequence < $1.dot.sequence }
    // One commit each, as the engine made them: all in one would be another commit of the same author, a fork.
    let commits = writes.map { Event.received(session, .commit(.signed([$0]))) }
    let effects = engine.handle(commits, now: now)
    #expect(engine.peers.map(\.isInSync) == [true])
    #expect(effects.changed)
  }
}

import PeerSyncCore
import PeerSyncSimulation

/// The machines of an engine, side by side and without it: those of the first author, in a group with others.
struct Machines {
  static let bundleId = "com.example.machines"
  static let wall: Int64 = 1_800_000_000_000

  let author: Author
  let identity: Identity
  var roster: Roster
  var holdings: Holdings
  var network: PeerNetwork
  var effects = Effects()

  init(_ author: Author = Author(1), with others: [Author] = [Author(2), Author(3)]) throws {
    self.author = author
    let devices = ([author] + others).map { ($0.key, Self.device($0)) }
    let records = try Membership.united(devices.map { ($0.0, $0.1.founding) }, .simulated)
    identity = devices[0].1.identity
    roster = Roster(of: identity, records, trusting: SimulatedStore.trustedRoots)
    holdings = Holdings(
      author.emptyReplica, signer: author.key,
      ledger: LedgerCache(environment: .sandbox, bundleId: Self.bundleId, store: .simulated), in: roster)
    network = PeerNetwork(of: identity.device, announcesAddresses: true, seed: 7)
    holdings.count(in: roster)
  }

  static func device(_ author: Author) -> NewDevice {
    NewDevice(
      signer: author.key, nonce: author.incarnation.nonce,
      recoveryKey: SigningKey.simulated(seed: .max - author.number).publicKey,
      name: "Device \(author.number)",
      environment: .sandbox, bundleId: bundleId, .simulated)
  }

  static func moment(_ passed: Int64 = 0, off: Int64 = 0) -> Moment {
    Moment(now(passed, off: off), present: Instant(clamping: wall + passed))
  }

  static func now(_ passed: Int64 = 0, off: Int64 = 0) -> Now {
    Now(wall: Instant(clamping: wall + passed + off), monotonic: 1_000 + UInt64(passed))
  }

  /// A session over which data flows.
  mutating func connect(_ peer: Author, as id: UInt64, boot: UInt64 = 1, dialled: Bool = true) {
    network.sessions[SessionID(rawValue: id)] = .ready(with: peer, as: id, boot: boot, dialled: dialled)
  }

  /// What has been sent since it was asked for last.
  mutating func takeMessages() -> [Message] {
    defer { effects.messages = [] }
    return effects.messages.map(\.1)
  }
}

extension Machines {
  /// Asks the peers that are to be asked to compare, and tells which sessions these are.
  mutating func asked() -> [UInt64] {
    effects.messages = []
    network.askPeers(holdings, now: Self.now(), &effects)
    return effects.messages.map(\.0.rawValue)
  }
}

extension Holdings {
  mutating func count(in roster: Roster) { countDecisions(in: roster, upTo: Stamp(rawValue: .max)) }

  /// The value that counts under a key of the app.
  func value(_ key: String) -> [UInt8]? { standing(.value(key: key))?.value }
}

extension Session {
  static func greeted(_ peer: Author, as id: UInt64, boot: UInt64 = 1, dialled: Bool = true) -> Session {
    let address = Address(host: "device-\(peer.number)", port: 1)
    var session = Session(
      id: SessionID(rawValue: id), opening: dialled ? .dialled(address) : .accepted(from: address),
      channel: .certificate(peer.key.publicKey), openedAt: 0)
    session.advance(
      to: .welcoming(Greeting(peer: .of(peer, boot: boot), toldFingerprint: ContentHash(words: (1, 1, 1, 1))))
    )
    return session
  }

  static func ready(with peer: Author, as id: UInt64, boot: UInt64 = 1, dialled: Bool = true) -> Session {
    var session = greeted(peer, as: id, boot: boot, dialled: dialled)
    _ = session.becomeReady(at: 0, nextBeat: nil)
    return session
  }
}

extension Peer {
  static func of(_ author: Author, boot: UInt64 = 1) -> Peer {
    Peer(
      key: author.key.publicKey, device: author.device,
      hello: Hello(
        versions: ProtocolVersion.supported, replica: author.replica, bootID: boot, environment: .sandbox,
        bundleId: Machines.bundleId, name: "Device \(author.number)", listening: nil))
  }
}

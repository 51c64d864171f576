/// What an engine knows of one live connection.
struct Session: Sendable {
  let id: SessionID
  let opening: Opening
  /// What the connection has proved.
  let channel: Channel
  /// When the session is given up unless data flows, on the monotonic clock.
  let handshakeDeadline: UInt64
  /// How far the handshake is.
  var phase = Phase.greeting
  /// Who the peer is; known from its hello on.
  var peer: Peer?
  /// The membership records as this side's welcome told of them.
  var toldFingerprint: ContentHash?
  /// Records of the peer on their way, in several messages.
  var incomingRecords: [MembershipRecord] = []
  /// What has been agreed so far over an invitation.
  var meeting: Meeting?
  /// When the session is dead unless something comes, on the monotonic clock.
  var silenceDeadline: UInt64
  /// From when on the session counts as a good one, on the monotonic clock; nil before its welcome.
  var provenAt: UInt64?
  /// When the next beat is due, on the monotonic clock. Only the side that dialled beats; the other answers.
  var nextBeat: UInt64?

  /// The peer's version vector as far as it has told.
  var peerVector: VersionVector?
  /// Hashes of the vectors last told to the peer, the newest last: a delta computed against one of them counts, for a
  /// vector only rises. More than one, because under load the next is told before the delta for the last has come.
  private(set) var announced: [UInt64] = []
  /// Hash of the vector told to the peer since this side last probed: not told again in the same exchange. The next
  /// exchange tells it again, though it be the same: what it brought the last time may have been held back.
  var toldHash: UInt64?
  /// Whether a probe has come on this session.
  var wasProbed = false
  /// Whether the last summary with an equal vector had a different digest.
  var isMismatched = false
  /// What this device's digest was then; nil: the two were alike. Once it changes, something has been repaired.
  var mismatchedDigest: Digest?
  /// Whether the peer was asked for what void writes had replaced here.
  var hasSought = false
  /// Whether the peer should hear where this side stands once everything is durable.
  var owesReport = false

  /// Hash of the vector at which rights were last rebalanced with the peer.
  var rebalancedAt: UInt64?

  /// The delta being sent.
  var outgoing: OutgoingDelta?
  /// A vector that came while a delta was being sent; its delta is next.
  var nextBase: VersionVector?
  /// Deltas begun on this session.
  var deltas: UInt64 = 0
  /// The delta being received.
  var incoming: IncomingDelta?
  /// What is known of the peer's clock.
  var clock = PeerClock()
  /// About how many bytes wait in the runner's queue.
  var queuedBytes = 0
  /// Whether something was not sent because the queue was full: once it drains, vectors are compared.
  var isBehind = false

  enum Phase: Hashable, Sendable {
    /// This side dialled over an invitation and waits to be admitted.
    case joining
    /// A device came over this side's invitation and is being admitted.
    case inviting
    /// Waiting for the peer's hello.
    case greeting
    /// The peer's hello is accepted and the welcome sent; waiting for the peer's welcome.
    case welcoming
    /// Both are welcome; membership records are on their way, and data only after them.
    case exchangingRecords
    /// Data flows.
    case ready
    /// This side has ended it; what still comes is ignored.
    case ending
  }

  /// Most hashes in ``announced``.
  private static let announcedLimit = 16

  /// Notes a vector that the peer is told, or knows to have been reached.
  mutating func noteAnnounced(_ hash: UInt64) {
    guard announced.last != hash else { return }
    announced.append(hash)
    if announced.count > Self.announcedLimit { announced.removeFirst() }
  }

  /// Whether the session stands between welcomed devices.
  package var isReady: Bool { phase == .ready }
  /// The peer's device, once known.
  package var device: DeviceID? { peer?.device }
  /// Whether it is for pairing alone.
  var isOverInvitation: Bool {
    if case .invitation = channel { return true }
    return false
  }
  /// Whether this device dialled.
  var isDialled: Bool {
    if case .dialled = opening { return true }
    return false
  }
}

/// Who is on the other side of a session.
struct Peer: Hashable, Sendable {
  let key: PublicKey
  let device: DeviceID
  let hello: Hello

  /// The incarnation that it writes under.
  var replica: ReplicaID { hello.replica }
}

/// A delta on its way out: the registers it takes, by name, and how far it has come.
///
/// The registers are named when the delta begins and read when a piece is filled. A register that a newer write has
/// won in between carries that write instead, in its own commit: what `claims` promises stays true.
struct OutgoingDelta: Sendable {
  let number: UInt64
  /// The vector that the names were computed against.
  let base: VersionVector
  /// What the receiver of every piece may claim.
  let claims: [Dot]
  let names: [UInt32]
  /// How often a replaced write had come back when the delta began. One that comes back while the delta is under way may
  /// have been sent as a hash before: then the delta begins again.
  let revivals: UInt64
  var progress = DeltaProgress()
  var chunks: UInt64 = 0
}

/// A delta on its way in: it counts as long as its pieces come in order and are taken whole.
struct IncomingDelta: Sendable {
  let number: UInt64
  var nextChunk: UInt64 = 0
  var isWhole = true
}

/// The live sessions in the order in which they were opened.
struct SessionTable: Sendable {
  private(set) var all: [Session] = []

  func isConnected(_ device: DeviceID) -> Bool {
    all.contains { $0.device == device && $0.phase != .ending }
  }

  /// The session of that id; nil when there is none (any more).
  subscript(id: SessionID) -> Session? {
    get { index(of: id).map { all[$0] } }
    set {
      switch (index(of: id), newValue) {
      case (let index?, let session?): all[index] = session
      case (let index?, nil): all.remove(at: index)
      case (nil, let session?): all.insert(session, at: all.firstIndex { $0.id > id } ?? all.count)
      case (nil, nil): break
      }
    }
  }

  /// Changes one session in place; nothing when there is none of that id.
  mutating func update<Result>(_ id: SessionID, _ body: (inout Session) -> Result) -> Result? {
    guard let index = index(of: id) else { return nil }
    return body(&all[index])
  }

  /// The ids of the sessions over which data flows.
  var ready: [SessionID] { all.filter(\.isReady).map(\.id) }

  private func index(of id: SessionID) -> Int? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].id == id ? low : nil
  }
}

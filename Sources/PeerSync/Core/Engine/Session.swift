/// What an engine knows of one live connection.
struct Session: Sendable {
  let id: SessionID
  let opening: Opening
  /// What the connection has proved.
  let channel: Channel
  /// Whom this device has reached by dialling, as the encryption has proved; nil: the peer dialled, or is no member.
  var reached: DeviceID?
  /// How far the handshake is.
  var phase = Phase.greeting
  /// Who the peer is; known from its hello on.
  var peer: Peer?
  /// The membership records as this side's welcome told of them.
  var toldFingerprint: ContentHash?
  /// Records that came in between this side's welcome and the moment that data flows: told then.
  var untoldRecords: [MembershipRecord] = []
  /// Records of the peer on their way, in several messages.
  var incomingRecords: [MembershipRecord] = []
  /// What has been agreed so far over an invitation.
  var meeting: Meeting?
  /// When something has to happen on it.
  var times: SessionTimes

  /// How far the two sides have compared what they hold.
  var comparison = SessionComparison()
  /// Hash of the vector at which rights were last rebalanced with the peer.
  var rebalancedAt: UInt64?
  /// The deltas being sent.
  var outgoing = OutgoingDeltas()
  /// The delta being received.
  var incoming: IncomingDelta?
  /// What is known of the peer's clock.
  var clock = PeerClock()
  /// What waits to be sent.
  var queue = SendQueue()

  enum Phase: Hashable, Sendable {
    /// This side dialled over an invitation and waits to be admitted.
    case joining
    /// A device came over this side's invitation and is being admitted.
    case inviting
    /// This side dialled to show who it is, and waits for the end.
    case introducing
    /// A device came that is to show who it is.
    case acquainting
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

  /// Whether the session stands between welcomed devices.
  package var isReady: Bool { phase == .ready }
  /// The peer's device, once known.
  package var device: DeviceID? { peer?.device }
  /// Whether it is for pairing alone.
  var isOverInvitation: Bool {
    if case .invitation = channel { return true }
    return false
  }
  /// Where this device dialled; nil: the peer did.
  var dialled: Address? { if case .dialled(let address) = opening { address } else { nil } }
  /// Whether this device dialled.
  var isDialled: Bool { dialled != nil }
}

/// Who is on the other side of a session.
struct Peer: Hashable, Sendable {
  let key: PublicKey
  let device: DeviceID
  let hello: Hello

  /// The incarnation that it writes under.
  var replica: ReplicaID { hello.replica }
}

/// The live sessions in the order in which they were opened.
struct SessionTable: Sendable {
  private(set) var all: [Session] = []

  func isConnected(_ device: DeviceID) -> Bool {
    all.contains { ($0.device == device || $0.reached == device) && $0.phase != .ending }
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

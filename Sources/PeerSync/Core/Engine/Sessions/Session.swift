/// What an engine knows of one live connection.
package struct Session: Sendable {
  package let id: SessionID
  package let opening: Opening
  /// What the connection has proved.
  package let channel: Channel
  /// Whom this device has reached by dialling, as the encryption has proved; nil: the peer dialled, or is no member.
  package var reached: DeviceID?
  /// Whether that was at an address that only others tell.
  var isByHearsay = false
  /// How far it is, with what is known by then.
  package private(set) var phase: Phase
  /// When something has to happen on it.
  package var times: SessionTimes
  /// What waits to be sent.
  package var queue = SendQueue()
  /// The devices of which the peer has not been told where they listen since that has changed.
  package var untoldAddresses: Set<DeviceID> = []
  /// The replicas of which there is evidence of a fork that the peer has not been told of.
  var untoldForks: Set<ReplicaID> = []
  /// Whether the peer has asked for membership records when there was no room for them.
  var asksForRecords = false

  /// When its handshake was complete, on the monotonic clock.
  let openedAt: UInt64

  package init(id: SessionID, opening: Opening, channel: Channel, openedAt now: UInt64) {
    openedAt = now
    self.id = id
    self.opening = opening
    self.channel = channel
    times = SessionTimes(openedAt: now)
    let isDialled = if case .dialled = opening { true } else { false }
    phase =
      switch channel {
      case .certificate: .greeting
      case .introduction:
        isDialled ? .introducing(IncomingRecords()) : .receivingIntroduction(IncomingRecords())
      case .invitation: isDialled ? .joining(.asking(IncomingRecords())) : .inviting(.waiting)
      }
  }

  package enum Phase: Sendable {
    /// This side dialled over an invitation and waits to be admitted.
    case joining(Joiner)
    /// A device came over this side's invitation and is being admitted.
    case inviting(Inviter)
    /// This side dialled to show who it is, and waits for what the other one has to show, and for the end.
    case introducing(IncomingRecords)
    /// A device came that is to show who it is, by these records.
    case receivingIntroduction(IncomingRecords)
    /// Waiting for the peer's hello.
    case greeting
    /// The peer's hello is accepted and the welcome sent; waiting for the peer's welcome.
    case welcoming(Greeting)
    /// Both are welcome; membership records are on their way, and data only after them.
    case exchangingRecords(Greeting, IncomingRecords)
    /// Data flows.
    case ready(DataFlow)
    /// This side has ended it; what still comes is ignored. Pieces of a delta that was on its way wait until the connection is gone.
    case ending(Peer?, IncomingDelta?)
  }

  /// What is known since the peer's hello was accepted.
  package struct Greeting: Sendable {
    let peer: Peer
    /// The membership records as this side's welcome told of them.
    let toldFingerprint: ContentHash
    /// Records that came in between this side's welcome and the moment that data flows: told then.
    var untoldRecords: [MembershipRecord] = []

    package init(peer: Peer, toldFingerprint: ContentHash) {
      self.peer = peer
      self.toldFingerprint = toldFingerprint
    }
  }
}

/// Who is on the other side of a session.
package struct Peer: Hashable, Sendable {
  package let key: PublicKey
  package let device: DeviceID
  package let hello: Hello

  package init(key: PublicKey, device: DeviceID, hello: Hello) {
    self.key = key
    self.device = device
    self.hello = hello
  }

  /// The incarnation that it writes under.
  package var replica: ReplicaID { hello.replica }
}

extension Session {
  /// What there is between the two once data flows.
  package var flow: DataFlow? { if case .ready(let flow) = phase { flow } else { nil } }
  /// What there is once the peer was greeted, until data flows.
  private var greeting: Greeting? {
    switch phase {
    case .welcoming(let greeting), .exchangingRecords(let greeting, _): greeting
    case .joining, .inviting, .introducing, .receivingIntroduction, .greeting, .ready, .ending: nil
    }
  }

  /// Whether the session stands between welcomed devices.
  package var isReady: Bool { if case .ready = phase { true } else { false } }
  /// Whether this side has ended it.
  package var isEnding: Bool { if case .ending = phase { true } else { false } }
  /// Whether the other side has not said who it is.
  package var isUnanswered: Bool {
    switch phase {
    case .greeting, .introducing: true
    case .joining, .inviting, .receivingIntroduction, .welcoming, .exchangingRecords, .ready, .ending: false
    }
  }
  /// Whether it waits for the end of an introduction.
  package var isIntroducing: Bool { if case .introducing = phase { true } else { false } }

  /// Who the peer is; known from its hello on.
  package var peer: Peer? {
    if case .ending(let peer, _) = phase { return peer }
    return flow?.peer ?? greeting?.peer
  }
  /// The peer's device, once known.
  package var device: DeviceID? { peer?.device }
  /// The delta being received.
  package var incoming: IncomingDelta? {
    if case .ending(_, let incoming) = phase { return incoming }
    return flow?.incoming
  }
  /// Whether it is for pairing alone.
  package var isOverInvitation: Bool {
    if case .invitation = channel { return true }
    return false
  }
  /// Where this device dialled; nil: the peer did.
  package var dialled: Address? { if case .dialled(let address) = opening { address } else { nil } }
  /// Whether this device dialled.
  package var isDialled: Bool { dialled != nil }

  /// Goes on, unless it has come to its end.
  package mutating func advance(to next: Phase) { if !isEnding { phase = next } }

  /// Goes on to the end, for which nothing is known but who it was.
  package mutating func end() { phase = .ending(peer, incoming) }

  /// Goes on to the exchange of records.
  package mutating func beginExchangingRecords() {
    if let greeting { phase = .exchangingRecords(greeting, IncomingRecords()) }
  }

  /// Lets data flow.
  ///
  /// - Returns: the records that the peer has not been told of
  package mutating func becomeReady(at now: UInt64, nextBeat: UInt64?) -> [MembershipRecord] {
    guard let greeting else { return [] }
    phase = .ready(DataFlow(peer: greeting.peer, toldFingerprint: greeting.toldFingerprint))
    times.noteReady(at: now, nextBeat: nextBeat)
    return greeting.untoldRecords
  }

  /// Notes records that came in: whoever was greeted is told of them once data flows.
  package mutating func noteUntold(_ records: [MembershipRecord]) {
    guard var greeting else { return }
    greeting.untoldRecords += records
    if case .exchangingRecords(_, let incoming) = phase {
      phase = .exchangingRecords(greeting, incoming)
    } else {
      phase = .welcoming(greeting)
    }
  }

  /// Changes what there is between the two, in place; nothing unless data flows.
  package mutating func changeFlow<Result>(_ body: (inout DataFlow) -> Result) -> Result? {
    guard case .ready(var flow) = phase else { return nil }
    // Held once, or what it holds would be copied.
    phase = .ending(nil, nil)
    defer { phase = .ready(flow) }
    return body(&flow)
  }

  /// How many bytes of membership records are here of a list that is not whole yet.
  package var incomingBytes: Int {
    switch phase {
    case .joining(.asking(let records)), .inviting(.asked(_, let records)), .introducing(let records),
      .receivingIntroduction(let records), .exchangingRecords(_, let records):
      records.bytes
    case .ready(let flow): flow.incomingRecords.bytes
    case .joining, .inviting, .greeting, .welcoming, .ending: 0
    }
  }

  /// Puts the parts of a list of records together, where the phase has them come.
  ///
  /// - Returns: the whole list once its last part is here
  package mutating func collect(_ part: RecordsPart) throws(CloseReason) -> [MembershipRecord]? {
    switch phase {
    case .joining(.asking(var records)):
      defer { phase = .joining(.asking(records)) }
      return try records.take(part)
    case .inviting(.asked(let joiner, var records)):
      defer { phase = .inviting(.asked(by: joiner, records)) }
      return try records.take(part)
    case .introducing(var records):
      defer { phase = .introducing(records) }
      return try records.take(part)
    case .receivingIntroduction(var records):
      defer { phase = .receivingIntroduction(records) }
      return try records.take(part)
    case .exchangingRecords(let greeting, var records):
      defer { phase = .exchangingRecords(greeting, records) }
      return try records.take(part)
    case .ready(var flow):
      defer { phase = .ready(flow) }
      return try flow.incomingRecords.take(part)
    case .joining, .inviting, .greeting, .welcoming, .ending: throw .unexpected
    }
  }
}

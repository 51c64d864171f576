/// What an engine wants done, in the only order that is safe: ``run(on:)``.
public struct Effects: Sendable {
  /// To be made durable first.
  package var durable = Durable()
  /// To be sent, in order.
  package var messages: [(SessionID, Message)] = []
  /// Sessions to end, after what is queued has been sent.
  package var closings: [(SessionID, CloseReason)] = []
  /// Who may open a session from now on, and who was removed, when that has changed.
  package var belonging: Belonging?
  /// Whom to announce this device to on the local network, when that has changed.
  package var sought: [PublicKey]?
  /// Whom to dial.
  package var dials: [DialTarget] = []
  /// Answers to requests.
  package var answers: [(RequestID, Answer)] = []
  /// To be signed by the store that the device simulates for itself; see ``Event/signed(_:_:)``.
  package var drafts: [(RequestID, Transaction)] = []
  /// Whether the ledger, the members, the peers or the network state may look different now.
  package var changed = false
  /// What a person who runs the device should read.
  package var notices: [Notice] = []

  package init() {}

  /// Does everything, durable things first: nothing is sent or acknowledged that a crash could take back.
  ///
  /// - Throws: whatever the runner's disk throws; nothing has been sent or answered then.
  public func run(on runner: some EffectRunner) throws {
    if !durable.isEmpty { try runner.persist(durable) }
    if let belonging { runner.admit(belonging) }
    if let invitation = durable.invitation { runner.invite(invitation) }
    if let sought { runner.seek(sought) }
    for (session, message) in messages { runner.send(message, on: session) }
    for (session, reason) in closings { runner.close(session, reason) }
    for dial in dials { runner.dial(dial) }
    for (request, answer) in answers { runner.answer(request, answer) }
    for (request, draft) in drafts { runner.sign(draft, for: request) }
    for notice in notices { runner.notice(notice) }
    if changed { runner.changed() }
  }
}

/// Does what an engine wants done. The daemon and the simulator are the two.
public protocol EffectRunner {
  /// Makes everything durable in one transaction, or throws and leaves nothing of it.
  func persist(_ durable: Durable) throws
  /// Queues a message. The runner reports ``Event/drained(_:)`` when its queue for the session has emptied.
  func send(_ message: Message, on session: SessionID)
  /// Ends a session once its queue has been sent. The runner reports ``Event/closed(_:)``.
  func close(_ session: SessionID, _ reason: CloseReason)
  /// Lets just the members open sessions.
  func admit(_ belonging: Belonging)
  /// Lets a device in over this invitation, or over none.
  func invite(_ invitation: InvitationChange)
  /// Announces this device on the local network to just these members, so that they can find it. A runner without discovery does
  /// nothing.
  func seek(_ members: [PublicKey])
  /// Connects, and reports ``Event/opened(_:_:_:)`` or ``DialTarget/failed(_:)``.
  func dial(_ target: DialTarget)
  /// Passes an answer on.
  func answer(_ request: RequestID, _ answer: Answer)
  /// Has the device's own store sign a draft, and reports ``Event/signed(_:_:)``, whatever comes of it.
  func sign(_ draft: Transaction, for request: RequestID)
  /// Tells the person who runs the device.
  func notice(_ notice: Notice)
  /// Lets whoever watches look again.
  func changed()
}

extension EffectRunner {
  /// Nothing: the device is found by its addresses alone.
  public func seek(_ members: [PublicKey]) {}
}

/// Who belongs to the group, and who did.
public struct Belonging: Hashable, Sendable {
  /// The keys of the members, by seniority. They alone open sessions.
  public let members: [PublicKey]
  /// The keys of those who were removed. They are dialled to show them so, and for nothing else.
  public let removed: [PublicKey]

  package init(to group: MembershipGroup) {
    members = group.members.map(\.key)
    removed = group.removed.map(\.device.key)
  }
}

/// An address to dial, and how to prove who one is.
public struct DialTarget: Hashable, Sendable {
  /// Where to connect.
  public let address: Address
  /// By an invitation; nil: by certificate.
  public let invitation: InvitationKey?
  /// By certificate, to show records: to a member that does not know this device those that make it one, and to one that was removed those
  /// that removed it.
  public let isIntroduction: Bool
  /// Whether to ask for segments of ``Limits/smallSegmentBytes`` at most: longer ones seem to vanish on the way.
  public let usesSmallSegments: Bool

  package init(
    address: Address, invitation: InvitationKey? = nil, isIntroduction: Bool = false,
    usesSmallSegments: Bool = false
  ) {
    self.address = address
    self.invitation = invitation
    self.isIntroduction = isIntroduction
    self.usesSmallSegments = usesSmallSegments
  }

  /// What to report when no connection has come about. At one address another dial may be under way, by other means.
  ///
  /// - Parameter reason: the one that the other side gave; nil: it gave none
  public func failed(_ reason: CloseReason?) -> Event {
    invitation == nil ? .unreachable(address, reason) : .notJoined(address, reason)
  }
}

/// Something a person who runs the device should read in its log.
public enum Notice: Hashable, Sendable {
  /// A session was welcomed.
  case connected(DeviceID, name: String)
  /// A welcomed session ended.
  case disconnected(DeviceID)
  /// This side ended a session for a reason that is not ordinary.
  case refused(SessionID, CloseReason)
  /// The peer ended a session for a reason that is not ordinary.
  case refusedBy(SessionID, CloseReason)
  /// A device is new in this group.
  case admitted(DeviceID, name: String)
  /// A device, perhaps this one, was removed from the group.
  case removed(DeviceID, name: String)
  /// Somebody tried a wrong code on the open invitation.
  case wrongCode(triesLeft: Int)
  /// Another copy of this device is at work.
  case cloned
  /// This device continues as a new incarnation.
  case reincarnated(ReplicaID)
  /// This device has lived so often that there is no room for another incarnation.
  case outlived
  /// A peer is in sync with this device, whose disk had been set back.
  case caughtUp
  /// This device has written again what it had forgotten.
  case wroteForgottenAgain(writes: Int)
  /// Void commits of a member could not be set aside for it.
  case notSetAside(commits: Int)
  /// This device joined a group.
  case joined(GroupID)
  /// Equal version vectors, different digests: something is wrong, and a repair has begun.
  case divergence(DeviceID)
  /// A peer's writes are stamped too far ahead and are held back.
  case heldBack(DeviceID, writes: Int)
  /// A replica has signed two different commits for the same writes: a copied or dishonest device.
  case forked(ReplicaID, DeviceID)
  /// Writes were voided, and so many of them were written again by this device.
  case voided(registers: Int, kept: Int)
  /// What this device's own disk holds does not fit the signatures of its authors.
  case damaged(commits: Int)
  /// What this device's disk had spoilt is here again.
  case repaired([DiskLoss])
  /// A peer holds back writes of this device, stamped so many milliseconds ahead of its clock.
  case heldBackThere(DeviceID, writes: UInt64, ahead: Int64)
  /// The wall clock was set, by so many milliseconds (negative: turned back).
  case clockSet(milliseconds: Int64)
  /// A peer's clock is so many milliseconds ahead of this one's (negative: behind), more than the drift that is allowed.
  case clocksDiffer(DeviceID, milliseconds: Int64)
  /// What a peer had vouched for, so many milliseconds ahead, was withdrawn: its clock was put right, or it is no member any more.
  case timeWithdrawn(DeviceID, milliseconds: Int64)
  /// A person said that this device's clock is right: what peers had vouched for, so many milliseconds ahead of it at most, was
  /// dropped.
  case timeAccepted(milliseconds: Int64)
  /// So many writes were stamped too far ahead by a clock that was wrong, and have been stamped anew.
  case stampedAnew(writes: Int)
  /// So many decisions of devices that are no members any more had wrong stamps, and this device has decided the same.
  case decidedInPlace(writes: Int)
}

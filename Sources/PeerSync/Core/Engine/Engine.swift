/// The whole behaviour of a device as one value: events go in, effects come out.
///
/// An engine reads no clock, draws no random numbers and touches no socket or file. A runner tells it what happened and
/// what time it is, does what the ``Effects`` say in their order, and calls again at ``nextDeadline``. The daemon and
/// the simulator run the same engine; everything that can go wrong between devices is decided here and can be replayed.
///
/// The parts, one file each: sessions and their handshake, anti-entropy, pushing, the repair, requests of the user,
/// addresses and timers.
public struct Engine: Sendable {
  /// Who the device is, in the group that it belongs to now.
  public internal(set) var identity: Identity
  /// Whether the device wants to be on the network.
  public internal(set) var isOnline: Bool
  /// Whether members are told where this device listens.
  let announcesAddresses: Bool

  /// What the device holds.
  package var holdings: Holdings
  /// ``Limits/queuedBytes``, less in a simulation, so that queues are full now and then.
  package var queueLimit = Limits.queuedBytes

  var random: RandomState
  var sessions = SessionTable()
  var dialler = Dialler()
  /// What is known of other devices beyond their sessions.
  var knownPeers: [DeviceID: KnownPeer] = [:]
  /// Who belongs to whom, and what follows from that.
  package internal(set) var roster: Roster
  let cryptography: Cryptography
  /// Drawn when the engine was made: tells this run of the program from earlier ones, and from a copy.
  let bootID: UInt64
  package internal(set) var invitation: Invitation?
  /// When it ends, on the monotonic clock.
  var invitationEnd: UInt64?
  var joining: Joining?
  /// How often strangers may still show who they are: see ``Limits/introductions``.
  var introductions = TokenBucket(
    capacity: Limits.introductions * Limits.introductionMilliseconds, perMillisecond: 1)
  /// Whom the runner was told to announce this device to.
  var toldSought: [PublicKey] = []
  /// Where this device listens, once started.
  var listening: KnownPeer.Listening?
  /// Spends that wait for rights of peers.
  var pendingSpends: [PendingSpend] = []
  /// Purchases and refunds that wait for the signature of the store.
  var drafts: [PendingDraft] = []
  /// When rights are rebalanced with peers in sync, on the monotonic clock.
  var rebalanceDue: UInt64?
  /// What time it is, and who says so.
  var timekeeper: Timekeeper
  /// What the disk has spoilt and nobody has brought back yet.
  package internal(set) var damage: Damage?
  /// Since when the disk is known to have been set back behind what this device had acknowledged, by its wall clock. Nil
  /// once a peer has brought back what the group knows.
  package internal(set) var setBack: Instant?
  /// Own writes of a forgotten life that peers have brought back and that are not written again yet.
  var forgotten: [Write] = []
  /// Void writes of other members that wait for their authors.
  package internal(set) var setAside: SetAside

  /// - Parameters:
  ///   - replica: what the disk kept; it knows the incarnation behind `identity.replica`
  ///   - signer: this device's key, the one of that incarnation
  ///   - addresses: the address book the disk kept
  ///   - time: what the disk kept of the time
  ///   - contacts: what the disk kept of when members were last heard from
  ///   - damage: what the disk has spoilt
  ///   - isOnline: whether the device was on the network when it last ran
  ///   - announcesAddresses: whether members are told where the device listens
  ///   - setBack: since when the disk is known to have been set back
  ///   - setAside: void writes of other members that the disk kept
  ///   - history: what the disk kept of what was known when
  ///   - seed: where this engine's random numbers (jitter) start; the runner draws it
  ///   - store: decides which items of the store are real
  ///   - trustedRoots: the roots that this device trusts by itself besides Apple's; those that the members brought
  ///     along come to them
  package init(
    identity: Identity, signer: SigningKey, cryptography: Cryptography, membership: Membership,
    replica: Replica, addresses: [KnownPeer.Listening] = [], invitation: Invitation? = nil,
    time: TrustedTime.Persisted = TrustedTime.Persisted(), contacts: [KnownPeer.Contact] = [],
    damage: Damage? = nil,
    setBack: Instant? = nil, setAside: SetAside = SetAside(), history: VectorHistory = VectorHistory(),
    isOnline: Bool = true, announcesAddresses: Bool = true, seed: UInt64,
    store: StoreVerifier = .none, trustedRoots: Set<ContentHash> = []
  ) {
    self.identity = identity
    self.cryptography = cryptography
    roster = Roster(of: identity, membership, trusting: trustedRoots)
    holdings = Holdings(
      replica, signer: signer,
      ledger: LedgerCache(environment: identity.environment, bundleId: identity.bundleId, store: store),
      history: history, in: roster, stamps: addresses.map(\.stamp))
    self.invitation = invitation
    self.isOnline = isOnline
    self.announcesAddresses = announcesAddresses
    self.damage = damage
    self.setBack = setBack
    self.setAside = setAside
    timekeeper = Timekeeper(time)
    random = RandomState(seed: seed)
    bootID = random.next()
    for entry in addresses where entry.device != identity.device { remember(entry) }
    for contact in contacts where group.members.contains(where: { $0.id == contact.device }) {
      knownPeers[contact.device, default: KnownPeer()].seen = contact.seen
      knownPeers[contact.device]?.savedSeen = contact.seen
    }
    timekeeper.know(group.others(than: identity.device))
  }

  /// Takes in what happened, as one commit, and answers with what to do.
  ///
  /// Everything written in one call becomes durable in one transaction and travels as one commit, so a runner that hands
  /// over all that waits gets group commit for nothing.
  public mutating func handle(_ events: [Event], now: Now) -> Effects {
    perform(now: now) { engine, effects in
      for event in events { engine.handle(event, now: now, &effects) }
    }
  }

  /// Does something that no event stands for (applying cuts, continuing as a new incarnation), as one commit.
  package mutating func perform(now: Now, _ body: (inout Engine, inout Effects) -> Void) -> Effects {
    var effects = Effects()
    readClocks(now, &effects)
    countDecisions(now: now)
    body(&self, &effects)
    // Whom the events told of may have said something of its earlier lives with them.
    countDecisions(now: now)
    renewIncarnation(now: now, &effects)
    writeForgottenAgain(now: now, &effects)
    rebalance(now: now, &effects)
    settlePending(now: now, &effects)
    push(&effects)
    holdings.save(isReceiving: sessions.all.contains { $0.incoming != nil }, &effects)
    if effects.durable.changesLedger { effects.durable.append(.counted(holdings.replica.inventory)) }
    holdings.keepHistory(at: timekeeper.trusted.reading(at: now).now, &effects)
    keepTime(now, &effects)
    keepContacts(&effects)
    sendReports(now: now, &effects)
    for id in sessions.ready { continueDelta(id, &effects) }
    if isOnline { dialDue(now: now, &effects) }
    noteWanting(effects.messages, now: now)
    tellSought(&effects)
    if sessions.all.allSatisfy({ $0.flow?.outgoing.current == nil }) { holdings.replica.compact() }
    return effects
  }

  private mutating func handle(_ event: Event, now: Now, _ effects: inout Effects) {
    switch event {
    case .started(let addresses, let peers): start(listening: addresses, peers: peers, now: now, &effects)
    case .networkChanged(let addresses): changeNetwork(listening: addresses, now: now, &effects)
    case .deadline: checkDeadlines(now: now, &effects)
    case .opened(let id, let opening, let channel): open(id, opening, channel, now: now, &effects)
    case .received(let id, let message): receive(message, on: id, now: now, &effects)
    case .sighted(let key, let addresses): sight(key, at: addresses, now: now, &effects)
    case .drained(let id): drained(id, now: now, &effects)
    case .stirred(let id): _ = sessions.update(id) { $0.times.noteHeard(at: now.monotonic) }
    case .closed(let id): closed(id, now: now, &effects)
    case .unreachable(let address, let reason): unreachable(address, reason, now: now, &effects)
    case .wrongCode: countWrongCode(&effects)
    case .requested(let id, let request): answer(id, request, now: now, &effects)
    case .signed(let id, let jws): takeSigned(jws, for: id, now: now, &effects)
    }
  }

  /// Queues a message and counts its bytes.
  mutating func send(_ message: Message, on id: SessionID, _ effects: inout Effects) {
    _ = sessions.update(id) { $0.queue.add(message) }
    effects.messages.append((id, message))
  }

  /// Whether a peer's queue has room for more than what has to be said.
  func hasRoom(on id: SessionID) -> Bool { (sessions[id]?.queue.bytes ?? .max) < queueLimit }

  /// The moment that the clocks show.
  func moment(_ now: Now) -> Moment { Moment(now, present: timekeeper.trusted.reading(at: now).now) }

  /// Has the ledger count the decisions that count by now.
  mutating func countDecisions(now: Now) {
    holdings.countDecisions(in: roster, upTo: moment(now).ceiling)
  }
}

extension Message {
  /// About how many bytes the frame takes; exact where it matters, for the messages that carry writes.
  var approximateBytes: Int {
    switch self {
    case .commit(let commit): commit.batch.bytes.count + 64
    case .delta(let chunk): chunk.commits.bytes.count + 64
    case .items(let items): items.commits.bytes.count + 64
    case .vector(let vector): vector.entries.count * 26 + 64
    case .deltaEnd(let end): end.claims.count * 26 + 64
    case .ranges(let ranges): ranges.count * 40 + 64
    case .addresses(let entries): entries.count * 560 + 64
    case .recordHashes(let hashes): hashes.count * 32 + 64
    case .records(let part): part.records.reduce(64) { $0 + $1.encoded.count }
    case .admitted(let record): record.encoded.count + 64
    case .forks(let forks): forks.count * 300 + 64
    case .hello, .join: 1024
    case .introduction, .consent: 192
    case .heldBack(let held): held.latest.count * 26 + 64
    case .rightsWanted, .rightsGiven: 320
    case .welcome, .summary, .close, .time: 64
    }
  }
}

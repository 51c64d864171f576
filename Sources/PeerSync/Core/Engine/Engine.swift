/// The whole behaviour of a device as one value: events go in, effects come out.
///
/// An engine reads no clock, draws no random numbers and touches no socket or file. A runner tells it what happened and
/// what time it is, does what the ``Effects`` say in their order, and calls again at ``nextDeadline``. The daemon and
/// the simulator run the same engine; everything that can go wrong between devices is decided here and can be replayed.
///
/// The engine itself conducts: it takes events, hands them to its machines in the one order that is right, and gathers what they want
/// done. Each machine is a value with a state of its own, and is handed what it needs of others, so that its signatures tell whom it knows:
/// `Roster` and `Timekeeper` nobody, `Holdings` these, `PeerNetwork` the three, and `Recovery`, `Escrow`, `Drafts` and `Pairing` whatever is
/// below them.
public struct Engine: Sendable {
  /// Who the device is, in the group that it belongs to now.
  public internal(set) var identity: Identity
  /// Whether the device wants to be on the network.
  public internal(set) var isOnline: Bool
  let cryptography: Cryptography

  /// Who belongs to whom, and what follows from that.
  package internal(set) var roster: Roster
  /// What time it is, and who says so.
  var timekeeper: Timekeeper
  /// What the device holds.
  package var holdings: Holdings
  /// The other devices, as this one meets them.
  package var network: PeerNetwork
  /// What the device has lost, and brings back.
  var recovery: Recovery
  /// Rights to credits.
  package internal(set) var escrow = Escrow()
  /// Purchases and refunds that wait for the signature of the store.
  var drafts = Drafts()
  /// The invitation, and a join under way.
  var pairing: Pairing

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
    self.isOnline = isOnline
    network = PeerNetwork(of: identity.device, announcesAddresses: announcesAddresses, seed: seed)
    recovery = Recovery(damage: damage, setBack: setBack, setAside: setAside)
    pairing = Pairing(invitation)
    timekeeper = Timekeeper(time)
    network.remember(addresses, contacts, in: group)
    timekeeper.know(group.others(than: identity.device))
    // What is read is read once: the time may only lower the ceiling.
    holdings.countDecisions(in: roster, upTo: Stamp(rawValue: .max))
    var nobody = Effects()
    readNames(&nobody)
  }

  /// Takes in what happened, as one commit, and answers with what to do.
  ///
  /// Everything written in one call becomes durable in one transaction and travels as one commit, so a runner that hands
  /// over all that waits gets group commit for nothing.
  public mutating func handle(_ events: [Event], now: Now) -> Effects {
    perform(now: now) { engine, effects in
      for event in events {
        engine.handle(event, now: now, &effects)
        engine.pairing.noteEnded(&effects)
      }
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
    noteArrivals(now: now, &effects)
    renewIncarnation(now: now, &effects)
    recovery.writeForgottenAgain(roster, &holdings, upTo: moment(now).ceiling, &effects)
    escrow.rebalance(roster, &holdings, &network, now: now, &effects)
    escrow.settlePending(roster, &holdings, &network, now: now, &effects)
    escrow.settleReclaiming(roster, &holdings, &network, now: now, &effects)
    readNames(&effects)
    network.tellNewAddresses(now: now, &effects)
    network.tellNewForks(of: holdings.replica, now: now, &effects)
    network.push(&holdings, &effects)
    network.askPeers(holdings, now: now, &effects)
    network.dropKnownHeads(in: group, &holdings)
    holdings.save(isReceiving: network.isReceiving, &effects)
    if effects.durable.changesLedger { effects.durable.append(.counted(holdings.replica.inventory)) }
    holdings.keepHistory(at: timekeeper.trusted.reading(at: now).now, &effects)
    keepTime(now, &effects)
    network.keepContacts(&effects)
    sendReports(now: now, &effects)
    for id in network.sessions.ready { network.continueDelta(id, &holdings, &effects) }
    if isOnline { dialDue(now: now, &effects) }
    network.noteWanting(effects.messages, now: now)
    network.tellSought(isThere: isPresent, in: group, &effects)
    if network.sessions.all.allSatisfy({ $0.flow?.outgoing.current == nil }) { holdings.replica.compact() }
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
    case .stirred(let id): _ = network.sessions.update(id) { $0.times.noteHeard(at: now.monotonic) }
    case .closed(let id): closed(id, now: now, &effects)
    case .unreachable(let address, let reason): unreachable(address, reason, now: now, &effects)
    case .notJoined(let address, let reason): pairing.noteUnreachable(address, reason, now: now, &effects)
    case .wrongCode(let id): pairing.countWrongCode(on: id, &effects)
    case .requested(let id, let request): answer(id, request, now: now, &effects)
    case .signed(let id, let item):
      drafts.takeSigned(item, for: id, of: identity, &holdings, at: moment(now), &effects)
    }
  }

  /// The moment that the clocks show.
  func moment(_ now: Now) -> Moment { Moment(now, present: timekeeper.trusted.reading(at: now).now) }

  /// Has the ledger count the decisions that count by now.
  mutating func countDecisions(now: Now) {
    holdings.countDecisions(in: roster, upTo: moment(now).ceiling)
  }
}

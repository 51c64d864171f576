// What an engine answers when asked.
extension Engine {
  /// Hands it out where it is. Through an optional all of it would be copied for a part.
  package mutating func lend<Result>(to body: (inout Engine) -> Result) -> Result { body(&self) }

  /// Reads the ledger, brought up to date with the registers. It is handed out mutable because asking fills its caches.
  package mutating func ledger<Result>(_ body: (inout Ledger) throws -> Result) rethrows -> Result {
    try holdings.ledger(body)
  }

  /// Lets somebody look.
  package mutating func look<Result>(_ body: (inout EngineView) throws -> Result) rethrows -> Result {
    var view = EngineView(self)
    // What is filled has one owner: two would have it copied.
    holdings.ledgerCache = holdings.ledgerCache.emptied
    defer {
      holdings.ledgerCache = view.engine.holdings.ledgerCache
      timekeeper.trusted = view.engine.timekeeper.trusted
    }
    return try body(&view)
  }

  /// This device, as the records have it.
  package var ownDevice: MembershipGroup.Device? {
    allDevices.first { $0.key == identity.key }
  }

  /// The member, this device among them, or the removed device that writes under a replica.
  package func device(of replica: ReplicaID) -> MembershipGroup.Device? {
    let key = holdings.replica.incarnation(of: replica)?.key
    return allDevices.first { $0.key == key }
  }

  /// See ``Recovery/damage``.
  package var damage: Damage? { recovery.damage }

  /// See ``Recovery/setBack``.
  package var setBack: Instant? { recovery.setBack }

  /// See ``Recovery/setAside``.
  package var setAside: SetAside { recovery.setAside }

  /// The open invitation.
  package var invitation: Invitation? { pairing.invitation }

  /// Members that can still tell what this device has forgotten of one that is to be removed: see
  /// ``Recovery/members(toAskBeforeRemoving:by:in:)``.
  package func members(toAskBeforeRemoving device: DeviceID) -> [DeviceID] {
    recovery.members(toAskBeforeRemoving: device, by: identity.device, in: group)
  }

  /// Whether data flows on a session.
  package func isWelcomed(_ id: SessionID) -> Bool { network.isWelcomed(id) }

  /// See ``PeerNetwork/queueLimit``.
  package var queueLimit: Int {
    get { network.queueLimit }
    set { network.queueLimit = newValue }
  }

  /// The holder of rights that this device is.
  package var holder: CreditHolder { holdings.holder }

  /// Whether this device takes over what nobody can use.
  package var isCustodian: Bool { Escrow.isCustodian(roster, holdings) }

  /// See ``Escrow/waitsToBeAsked(about:_:_:_:)``.
  package func waitsToBeAsked(about removed: PublicKey) -> Bool {
    Escrow.waitsToBeAsked(about: removed, roster, holdings, network)
  }

  /// See ``Escrow/heldByEarlierLives(_:_:)``.
  package mutating func heldByEarlierLives(_ credit: String) -> [Int64] {
    Escrow.heldByEarlierLives(credit, &holdings)
  }

  /// See ``Escrow/heldByRemoved(_:_:_:)``.
  package mutating func heldByRemoved(
    _ credit: String
  ) -> [(removed: MembershipGroup.Removed, amount: Int64)] {
    Escrow.heldByRemoved(credit, roster, &holdings)
  }

  /// See ``Escrow/heldByOutsiders(_:_:_:_:)``.
  package mutating func heldByOutsiders(_ credit: String) -> Int64 {
    Escrow.heldByOutsiders(credit, roster, &holdings, network)
  }

  /// See ``Escrow/takenBeyondAll(_:_:_:)``.
  package var takenBeyondAll: [MembershipGroup.Device] {
    Escrow.takenBeyondAll(roster, holdings, network)
  }

  /// What this device may spend or give away at once.
  package mutating func available(_ credit: String) -> Int64 {
    Escrow.available(credit, roster, &holdings)
  }

  /// What this device may spend at once, with what it would take into its custody for it.
  package mutating func spendable(_ credit: String) -> Int64 {
    Escrow.spendable(credit, roster, &holdings, network)
  }

  /// Who holds rights to a credit, the most first.
  package mutating func holders(of credit: String) -> [RightsHeld] {
    Escrow.holders(of: credit, roster, &holdings, network)
  }

  /// See ``Holdings/replica``.
  package var replica: Replica { holdings.replica }

  /// See ``Holdings/ledgerCache``.
  package var ledgerCache: LedgerCache { holdings.ledgerCache }

  /// See ``Holdings/isSaved``.
  package var isSaved: Bool { holdings.isSaved }

  /// See ``Holdings/standing(_:)``.
  package func standing(_ key: RegisterKey) -> (stamp: Stamp, value: [UInt8])? { holdings.standing(key) }

  /// Whether the device is there for others.
  package var isPresent: Bool { isOnline && !isRemoved && !isFenced }

  /// Whether another copy of this device is at work.
  package var isFenced: Bool { holdings.isFenced }

  /// What the device shows its user: expiry dates, entitlements, subscriptions and credits, by the trusted present.
  public mutating func view(at now: Now) -> LedgerView {
    let present = time(at: now).now
    return holdings.ledger { $0.view(at: present) }
  }

  /// SHA-256 of the root of the store that signed what the register of an item holds; nil for one that is not trusted here.
  mutating func storeRoot(of item: RegisterKey) -> ContentHash? {
    holdings.ledgerCache.root(of: item, in: holdings.replica.registers)
  }

  /// SHA-256 of the root certificates of stores that are trusted besides Apple's, in DER: those that this device trusts by
  /// itself, and those that the devices of the group brought along. In production none of them counts.
  public var trustedRoots: Set<ContentHash> { roster.trustedRoots }

  /// Decides which items of the store are real.
  package var storeVerifier: StoreVerifier { holdings.ledgerCache.verifier }

  /// The other devices of the group, sorted by id, with how things stand between them and this one.
  public var peers: [PeerState] {
    group.members.filter { $0.key != identity.key }.sorted { $0.id < $1.id }.map { member in
      let session = network.sessions.all.first { $0.device == member.id && $0.isReady }
      let hasSame = session?.flow.map { !$0.lacksRecords && $0.comparison.isInSync(with: holdings.replica) }
      let isInSync = recovery.damage == nil && hasSame ?? false
      return PeerState(
        device: member.id, name: member.name,
        address: session?.dialled ?? network.known[member.id]?.listening?.address,
        isConnected: session != nil, hasDialled: session.map { !$0.isDialled }, isInSync: isInSync,
        lastSeen: network.known[member.id]?.seen,
        clockSkew: session?.flow?.clock.skew, program: session?.peer?.hello.program)
    }
  }

  /// Where the other members said that they listen when they were last met, or else where the newest word of any member has them.
  package var addressesOfMembers: [Address] {
    group.others(than: identity.device).flatMap { device in
      let peer = network.known[device]
      return (peer?.own ?? peer?.listening)?.addresses ?? []
    }
  }

  /// Every bound of the present, and when it was vouched for last: see ``TrustedTime/bounds(at:)``.
  package func timeBounds(at now: Now) -> [(evidence: TrustedTime.Evidence, vouched: Instant)] {
    timekeeper.trusted.bounds(at: now)
  }

  /// Whether a person may have this device's clock count against what peers vouch for.
  package var mayAcceptTime: Bool { timekeeper.trusted.mayAccept }

  /// What stands in registers although hardly an honest device writes it, as far as the ledger was read.
  package var oddities: Oddities { holdings.ledgerCache.oddities }

  /// The members that have signed two conflicting commits, by seniority. Of one that was removed there is nothing left to do.
  package var forkedMembers: [MembershipGroup.Device] {
    let keys = Set(holdings.replica.forks.map(\.author.key))
    return group.members.filter { keys.contains($0.key) }
  }

  /// The greatest stamp that this device has made or accepted: the next one is greater.
  package var greatestStamp: Stamp { holdings.clock.last }

  /// The device at the other end of a session; nil: it has not said, or the session has ended.
  package func device(on session: SessionID) -> DeviceID? { network.sessions[session]?.device }

  /// Whether the device may have been removed without having heard of it: others were reached, and do not know it.
  package var mayBeRemoved: Bool {
    !isRemoved && group.members.count > 1 && readySessions == 0
      && !network.dialler.strangers(
        showing: membership.fingerprint, among: Set(group.others(than: identity.device))
      ).isEmpty
  }

  /// What a device is called that takes this one for a member of its group, by what this one has signed and knows no more, and in which
  /// this one is not; nil: none has shown that.
  package var claimant: String? { network.claimant }

  /// The members that were reached and do not know this device, whatever it shows, while others do; sorted by id.
  package var notKnowing: [DeviceID] {
    guard !isRemoved, readySessions > 0 else { return [] }
    let unmet = group.others(than: identity.device).filter { network.sessions.ready(with: $0) == nil }
    return network.dialler.strangers(showing: membership.fingerprint, among: Set(unmet)).sorted()
  }

  /// What those members are called, sorted, who name numbers that were signed by nobody who is or was a member.
  package var namersOfOutsiders: [String] {
    let known = Set(allDevices.map(\.key))
    var names: Set<String> = []
    holdings.replica.registers.forEach { write in
      guard let taking = RegisterKey.taking(write), let signer = taking.signer, !known.contains(signer),
        let device = device(of: taking.namer ?? taking.by), group.isMember(device.key)
      else { return }
      names.insert(device.name)
    }
    return names.sorted()
  }

  /// Whether this device is out of a group together with the one that let it in, or with the one that let that one in.
  package var isOutWithHost: Bool { membership.isOutWithHost(group) }

  /// What the device is called that has put this one out: see ``Membership/leaver(puttingOut:)``.
  package var leaver: String? { membership.leaver(puttingOut: group) }

  /// The first device of another group that this one is a member of as well, and the members of both that are connected and not in sync:
  /// they may go on in the other one. Nil where there are none.
  package var partedMembers: (first: String, names: [String])? {
    let parted = peers.filter { $0.isConnected && !$0.isInSync }
    guard !parted.isEmpty else { return nil }
    for other in membership.otherGroups {
      let names = parted.filter { peer in other.members.contains { $0.id == peer.device } }.map(\.name)
      let devices = other.members + other.removed.map(\.device)
      guard !names.isEmpty, let first = devices.first(where: { $0.founding == other.founding }) else {
        continue
      }
      return (first.name, names)
    }
    return nil
  }

  /// Who has left, and has put members out by that: see ``Membership/putOut(seenBy:preferring:)``.
  package var putOut: [Membership.PutOut] { membership.putOut(seenBy: identity.key, preferring: group.id) }

  /// Whom devices that have left had removed, and who are back: see ``Membership/broughtBack(seenBy:preferring:)``.
  package var broughtBack: [Membership.BroughtBack] {
    membership.broughtBack(seenBy: identity.key, preferring: group.id)
  }

  /// Whether this device has left and stays all the same: all others have left as well, or were removed, and the last one stays. It is
  /// over once somebody has joined.
  package var hasLeftInVain: Bool {
    group.members.map(\.key) == [identity.key] && membership.hasLeft(identity.key)
  }

  /// The members that know records of the group for which there is no room here, or pass on what devices write that are no members
  /// here, sorted by id.
  package var knowingStrangers: [DeviceID] {
    network.sessions.flows.filter { $0.lacksRecords || !$0.comparison.strangers.isEmpty }.map(\.peer.device)
      .sorted()
  }

  /// Who has used up the room for membership records.
  package var crowders: [Membership.Crowder] { roster.crowders }

  /// How many sessions data flows over.
  package var readySessions: Int { network.sessions.all.count { $0.isReady } }

  /// Where this device can be reached, the likeliest first; nil: it does not listen, or has not started.
  package var listeningAddresses: [Address]? { network.listening?.addresses }
}

/// What this device knows of a peer.
public struct PeerState: Hashable, Sendable {
  /// Which device it is.
  public let device: DeviceID
  /// What people call it.
  public let name: String
  /// Where it was last known to listen.
  public let address: Address?
  /// Whether data flows between the two.
  public let isConnected: Bool
  /// Whether it has dialled this device, and not the other way round: that shows that it can. Nil while they are not connected.
  public let hasDialled: Bool?
  /// Whether both devices are known to have everything that either has; never beside a known damage of this one's disk.
  public let isInSync: Bool
  /// Wall time of the last message from it; nil before the first.
  public let lastSeen: Instant?
  /// By how many milliseconds its wall clock is ahead of this device's (negative: behind); nil until it was measured.
  public let clockSkew: Int64?
  /// The version of its program, as it says; nil while they are not connected.
  public let program: String?
}

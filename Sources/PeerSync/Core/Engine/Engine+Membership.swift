// Who belongs to the group. Membership records come before data in every session: two sides whose records differ tell each
// other the hashes of theirs, and each sends what the other lacks. New records are passed on at once. Whoever is not a member
// any more by what is known loses its sessions at once.
extension Engine {
  /// What is known about who belongs to whom.
  package var membership: Membership { roster.records }

  /// The group that follows from it.
  package var group: MembershipGroup { roster.group }

  /// The members, and those who were.
  package var allDevices: [MembershipGroup.Device] { group.members + group.removed.map(\.device) }

  /// The devices that have put this one out: see ``Membership/above(_:preferring:)``.
  package var above: [Membership.FormerHost] {
    membership.above(identity.key, preferring: identity.group)
  }

  /// Whether this device has been removed from its group.
  package var isRemoved: Bool { roster.isRemoved }

  // MARK: Exchanging records

  mutating func beginExchangingRecords(_ id: SessionID, _ effects: inout Effects) {
    _ = network.sessions.update(id) { $0.beginExchangingRecords() }
    network.send(.recordHashes(membership.hashes), on: id, &effects)
  }

  mutating func receiveWhileExchangingRecords(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard network.isWithinBudget(message, on: id, now: now, &effects) else { return }
    switch message {
    case .recordHashes(let hashes): tellRecords(except: hashes, on: id, &effects)
    case .records(let part):
      guard let records = network.collect(part, on: id, &effects) else { return }
      let insertion = offer(records, on: id, now: now, &effects)
      becomeReady(id, now: now, &effects)
      if let insertion { note(insertion, on: id, &effects) }
    default: network.end(id, .unexpected, &effects)
    }
  }

  // MARK: While data flows

  mutating func receive(_ part: RecordsPart, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let records = network.collect(part, on: id, &effects),
      let insertion = offer(records, on: id, now: now, &effects)
    else { return }
    take(insertion, on: id, &effects)
  }

  private mutating func take(_ insertion: Membership.Insertion, on id: SessionID, _ effects: inout Effects) {
    note(insertion, on: id, &effects)
    // Something before them is missing: ask for all that the peer has and this device lacks.
    guard !insertion.missing.isEmpty, network.isWelcomed(id) else { return }
    network.send(.recordHashes(membership.hashes), on: id, &effects)
  }

  /// Looks at what a member tells, or has it wait.
  ///
  /// - Returns: what became of it; nil: it waits
  private mutating func offer(
    _ records: [MembershipRecord], on id: SessionID, now: Now, _ effects: inout Effects
  ) -> Membership.Insertion? {
    if network.offered.isOpen(at: now.monotonic) { return adopt(records, from: id, now: now, &effects) }
    let news = records.filter { !membership.contains($0.hash(cryptography)) }
    guard !news.isEmpty, let device = network.sessions[id]?.device else { return nil }
    if !network.offered.add(news, from: device, on: id) { network.end(id, .busy, &effects) }
    network.boundRecords(&effects)
    return nil
  }

  /// Looks at what waits, if it is time to.
  mutating func adoptOffered(now: Now, _ effects: inout Effects) {
    while let part = network.offered.next(at: now.monotonic) {
      let insertion = adopt(part.records, from: part.session, now: now, &effects)
      take(insertion, on: part.session, &effects)
    }
  }

  /// Notes whether a peer knows records for which there is no room here. A set that is full as a whole looks at none: they may count for
  /// nothing.
  private mutating func note(
    _ insertion: Membership.Insertion, on id: SessionID, _ effects: inout Effects
  ) {
    guard insertion.refused.contains(where: { $0.reason == .full }),
      network.sessions.flow(id)?.lacksRecords == false, !membership.isFull
    else { return }
    network.sessions.flow(id) { $0.lacksRecords = true }
    effects.changed = true
  }

  // MARK: Taking records in

  /// Takes records in, makes them durable, passes them on, and does what follows from them.
  ///
  /// - Parameter preferred: the group to be in from now on, where the records put this device into several
  /// - Returns: what became of them
  @discardableResult mutating func adopt(
    _ records: [MembershipRecord], preferring preferred: GroupID? = nil, from id: SessionID?, now: Now,
    _ effects: inout Effects
  ) -> Membership.Insertion {
    let before = group
    let insertion = roster.insert(records, preferring: preferred)
    network.offered.rest(after: insertion.work, at: now.monotonic)
    holdings.follow(roster)
    if !insertion.added.isEmpty {
      let added = insertion.added.compactMap { membership[$0] }
      effects.durable.append(roster.takeGivenUp() ? .membership(membership.held) : .records(added))
      let present = time(at: now).now
      for record in insertion.added {
        effects.durable.append(.known(holdings.history.note(record, at: present)))
      }
      for other in network.sessions.all where other.id != id {
        if other.isReady {
          network.tell(added, on: other.id, &effects)
        } else {
          _ = network.sessions.update(other.id) { $0.noteUntold(added) }
        }
      }
    }
    if group != before { follow(group, after: before, now: now, &effects) }
    return insertion
  }

  /// Does what follows from a change of the group.
  private mutating func follow(
    _ after: MembershipGroup, after before: MembershipGroup, now: Now, _ effects: inout Effects
  ) {
    identity.group = after.id
    effects.durable.append(.group(after.id))
    effects.belonging = Belonging(to: after)
    network.dialler.know(after, before: before, own: identity.device)
    network.claimant = nil
    effects.changed = true
    timekeeper.know(after.others(than: identity.device))
    for member in after.members where !before.isMember(member.key) {
      effects.notices.append(.admitted(member.id, name: member.name))
    }
    for removed in after.removed where before.isMember(removed.device.key) {
      effects.notices.append(.removed(removed.device.id, name: removed.device.name))
      // The address stays, should the removal be voided.
      let known = network.known[removed.device.id]
      network.known[removed.device.id] = KnownPeer(listening: known?.listening, own: known?.own)
    }
    for session in network.sessions.all where session.peer.map({ !after.isMember($0.key) }) ?? false {
      network.end(session.id, .removed, &effects)
    }
    // Whoever was none may be a member now, and there may be room for what there was none for.
    for id in network.sessions.ready {
      if network.sessions.flow(id)?.lacksRecords == true {
        network.send(.recordHashes(membership.hashes), on: id, &effects)
      }
      network.sessions.flow(id) { ($0.comparison.strangers, $0.lacksRecords) = ([], false) }
      // What a removed device had vouched for may fall now.
      if after.removed.count > before.removed.count { network.askTime(id, now: now, &effects) }
    }
    countDecisions(now: now)
    applyCuts(now: now, &effects)
    escrow.noteChange(of: after, holdings, now: now)
  }

  // MARK: Cuts

  /// Cuts the replicas of removed devices, and of those that do not belong to the group: whom a removed device took in before
  /// it heard is on its own again [E50], and no member takes anything of it any more. It goes on with what it has decided
  /// itself, and with the items of the store.
  mutating func applyCuts(now: Now, _ effects: inout Effects) {
    let cuts = holdings.replica.removalCuts
    putBack(holdings.replica.liftCuts(), now: now, &effects)
    guard !cuts.isEmpty else { return }
    recovery.setAside(beyond: cuts, roster, &holdings, &effects)
    recovery.apply(cuts, roster, &holdings, &network, &effects)
  }

  /// Takes back in what had left of replicas by removals that count no more: nobody else may hold it still.
  private mutating func putBack(_ lifted: Set<ReplicaID>, now: Now, _ effects: inout Effects) {
    let waiting = recovery.setAside.parts.filter { lifted.contains($0.replica) }
    guard !waiting.isEmpty else { return }
    let done = Set(waiting.filter { putBack($0, now: now, &effects) })
    recovery.setAside = SetAside(recovery.setAside.parts.filter { !done.contains($0) })
    effects.durable.append(.setAside(recovery.setAside))
    // What the author had replaced between two of its writes may be with a peer that never took the later one.
    for id in network.sessions.ready { network.oweProbe(id) }
  }

  /// - Returns: whether all of it is here again. What a fork made void goes on waiting for its author.
  private mutating func putBack(_ part: SetAside.Part, now: Now, _ effects: inout Effects) -> Bool {
    guard let batch = part.batch else { return true }
    guard merge(batch, from: nil, isRepair: true, now: now, &effects).isWhole else { return false }
    for commit in batch.separated.compactMap({ try? Commit($0) }) {
      effects.durable.append(.claimed(holdings.replica.claim(commit)))
    }
    return !holdings.replica.forkedReplicas.contains(part.replica)
  }

  // MARK: Names

  /// Reads the names of the devices anew where they may have changed.
  mutating func readNames(_ effects: inout Effects) {
    guard holdings.ledgerCache.mayRename else { return }
    holdings.ledgerCache.noteNames()
    guard roster.call(holdings.statedNames()) else { return }
    effects.changed = true
    if let ownDevice { identity.name = ownDevice.name }
  }

  // MARK: Removing

  /// Removes a device, by this one's own right or by the recovery key. Of one that was removed before, or has left, less may count
  /// then: of several removals the lowest of each holds.
  ///
  /// - Parameter disowned: devices that it let in and that go with it; what it made up of such as are out leaves then
  mutating func remove(
    _ device: DeviceID, by recoveryKey: SigningKey?, _ takingBack: TakingBack,
    disowning disowned: Set<DeviceID>, now: Now, _ effects: inout Effects
  ) -> Answer {
    do throws(Refusal) {
      let (member, record) = try removal(
        of: device, by: recoveryKey, takingBack, disowning: disowned, now: now)
      guard device != identity.device || isLifeKnown() else { throw .notHeardOf }
      adopt([record], from: nil, now: now, &effects)
      return group.isMember(member.key) ? .refused(.notPermitted) : .done(changed: 1)
    } catch {
      return .refused(error)
    }
  }

  /// What a removal would take back. Nothing is removed, and nothing is kept of it.
  ///
  /// - Throws: what the removal would be refused for
  package func takenBack(
    byRemoving device: DeviceID, by recoveryKey: SigningKey? = nil, _ takingBack: TakingBack,
    disowning disowned: Set<DeviceID> = [], now: Now
  ) throws(Refusal) -> TakenBack {
    let (member, record) = try removal(
      of: device, by: recoveryKey, takingBack, disowning: disowned, now: now)
    let after = self.group(after: [record])
    var taken = try holdings.takenBack(
      of: member.key, cuts(of: member), takingBack, with: strangers(after: after),
      at: moment(now).present)
    let again = after?.members.filter { !group.isMember($0.key) } ?? []
    taken.membersAgain = again.map { ($0, $0.host == member.founding) }
    taken.membersOut = group.members.filter { $0.key != member.key && after?.isMember($0.key) != true }
    return taken
  }

  /// Who belongs to the group, or has belonged, and never has by what counts after a removal: whom it disowns, or whose group it leads
  /// out of.
  private func strangers(after: MembershipGroup?) -> [PublicKey] {
    allDevices.map(\.key).filter { after?.hasEverBelonged($0) == false }
  }

  /// The group as this device would know it with these records; nil: this device would be in none.
  func group(after records: [MembershipRecord]) -> MembershipGroup? {
    var trial = membership
    _ = trial.insert(records)
    return trial.group(of: identity.key, preferring: identity.group)
  }

  /// The record of a removal that would have an effect, and whom it removes.
  private func removal(
    of device: DeviceID, by recoveryKey: SigningKey?, _ takingBack: TakingBack,
    disowning disowned: Set<DeviceID>, now: Now
  ) throws(Refusal) -> (MembershipGroup.Device, MembershipRecord) {
    guard
      let member = group.device(device)
        ?? (recoveryKey == nil ? nil : above.first { $0.device.id == device }?.device)
    else { throw .unknownDevice }
    // Who has left is out, and nothing less of its own could count here.
    guard device != identity.device || !isRemoved else { throw .removed }
    guard device != identity.device || !holdings.isFenced else { throw .cloned }
    guard let merges = merges(of: disowned, by: member) else { throw .unknownDevice }
    // Where all that the device decided is taken back, what is not known of it would not count either.
    let others = takingBack == .everything ? [] : members(toAskBeforeRemoving: device)
    guard others.isEmpty else { throw .notComplete(others) }
    let known = cuts(of: member)
    let counted = try holdings.counted(of: known, takingBack, at: moment(now).present)
    // Of who fills the ledger no more is taken than any device may write, and what it wrote first: what it spent and gave up to then.
    let makesRoom =
      takingBack == .everything && holdings.replica.registerCount(of: member.key) > Limits.registersOfOne
    let cuts = makesRoom ? holdings.replica.lowered(known, leaving: Limits.registersOfOne) : known
    let record: MembershipRecord
    do throws(MembershipError) {
      record = try removal(of: member.key, by: recoveryKey, cuts, counted, disowning: merges)
    } catch {
      throw Refusal(error)
    }
    try checkDisowning(disowned, by: record) { () throws(MembershipError) in
      try removal(of: member.key, by: recoveryKey, cuts, counted, disowning: [])
    }
    if device == identity.device {
      guard isHeardOf else { throw .notHeardOf }
      guard hasMetThoseWhoMayRemember else { throw .notMet }
    }
    return (member, record)
  }

  /// What counts of a device if it is removed now.
  private func cuts(of device: MembershipGroup.Device) -> [Dot] {
    guard !group.hasEverBelonged(device.key) else { return recovery.cuts(of: device.key, holdings) }
    let said = above.first { $0.device == device }?.cuts ?? []
    return recovery.cuts(of: device.key, saying: said, holdings.history)
  }

  /// Refuses a removal by which whom it names stays, or that has others go as well.
  ///
  /// - Parameter plain: the same removal, by which nobody is disowned
  private func checkDisowning(
    _ disowned: Set<DeviceID>, by record: MembershipRecord,
    beside plain: () throws(MembershipError) -> MembershipRecord
  ) throws(Refusal) {
    guard !disowned.isEmpty, let after = group(after: [record]) else { return }
    let members = Set(after.members.map(\.id))
    let belonging = members.union(after.removed.map(\.device.id))
    // What a junior signs disowns nobody whom a senior let in.
    guard belonging.isDisjoint(with: disowned) else { throw .disownedStay }
    // It knows nothing that came after what it disowns, so neither whom the device let in later.
    let expected = (try? plain()).map { group(after: [$0]) ?? after } ?? group
    let staysItself = members.contains(identity.device) || !expected.isMember(identity.key)
    guard after.id == expected.id, staysItself else { throw .goAlong([identity.device]) }
    // With whoever goes go those that it let in, also if it has left before.
    var hosts = Set(
      allDevices.filter { disowned.contains($0.id) && !expected.isMember($0.key) }.map(\.founding))
    let along = expected.members.filter { member in
      guard !members.contains(member.id) else { return false }
      hosts.insert(member.founding)
      return !disowned.contains(member.id) && member.host.map(hosts.contains) != true
    }
    guard along.isEmpty else { throw .goAlong(along.map(\.id)) }
  }

  /// Whether a member that is connected has said that it has all that this device has, of others too. Nobody takes anything from it once
  /// it has left, and what a member had in an earlier session it may have lost since.
  private var isHeardOf: Bool {
    !recovery.hasForgotten
      && network.sessions.flows.contains { $0.comparison.hasAgreed(with: holdings.replica) }
  }

  /// Whether the others know of this life, where there were earlier ones and there are credits: they would take over what these hold as if
  /// there had been one alone, and a copy may be at work in it.
  private mutating func isLifeKnown() -> Bool {
    let (replica, id) = (holdings.replica, holdings.replica.id)
    return replica.replicas(of: identity.key).allSatisfy { $0 == id } || replica.vector[id] > 0
      || holdings.ledger { $0.creditsHeld.isEmpty }
  }

  /// Whether this device has had one life alone, or been in sync with each member since it was started: one may hold what it has
  /// forgotten, and what it does not know of itself is void once it has left.
  private var hasMetThoseWhoMayRemember: Bool {
    holdings.replica.replicas(of: identity.key).count <= 1
      || group.others(than: identity.device).allSatisfy { network.known[$0]?.wasAlike == true }
  }

  /// Whom a device has let in, also such as are out, or that it has put out.
  package func devices(letInBy host: MembershipGroup.Device) -> [MembershipGroup.Device] {
    let here = allDevices + putOut.flatMap(\.devices)
    let known =
      group.hasEverBelonged(host.key) ? here : here + (above.first { $0.device == host }?.letIn ?? [])
    return known.filter { $0.host == host.founding }
  }

  /// By what a device let others in, also such as are out, or that it has put out; nil when it has not let in all of them, or this device is among them.
  private func merges(of disowned: Set<DeviceID>, by host: MembershipGroup.Device) -> Set<ContentHash>? {
    let letIn = devices(letInBy: host).filter { disowned.contains($0.id) }
    guard letIn.count == disowned.count, !disowned.contains(identity.device) else { return nil }
    return membership.merges(of: Set(letIn.map(\.founding)), by: host.founding)
  }

  private func removal(
    of target: PublicKey, by recoveryKey: SigningKey?, _ cuts: [Dot], _ counted: [Dot]?,
    disowning disowned: Set<ContentHash>
  ) throws(MembershipError) -> MembershipRecord {
    if let recoveryKey {
      return try membership.removal(
        of: target, cuts: cuts, counted: counted, byRecoveryKey: recoveryKey, inGroupOf: identity.key,
        disowning: disowned, preferring: identity.group)
    }
    return try membership.removal(
      of: target, cuts: cuts, counted: counted, by: holdings.outbox.signer, disowning: disowned,
      preferring: identity.group)
  }
}

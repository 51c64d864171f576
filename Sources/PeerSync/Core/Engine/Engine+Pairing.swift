// Joining by invitation. The two prove who they are and make one group of their two (``Meeting``). Then they part, and meet again by
// certificate.
//
//     joiner                    inviter
//     join (key), records  →
//                          ←    records, introduction (key, signature, proposal)
//     consent (signatures) →
//                          ←    admitted (the record)
//
// A device that is alone founded a group of one when it was made: joining is always two groups becoming one (E51).
//
// A joiner that the inviter takes for a member already is sent the inviter's records, and `admitted` with a merge that makes it one.
extension Engine {
  mutating func join(
    as id: RequestID, _ effects: inout Effects, _ begin: (inout Pairing, inout Effects) -> Void
  ) {
    guard isOnline else { return effects.answers.append((id, .refused(.offline))) }
    guard !isRemoved || pairing.joining != nil else {
      return effects.answers.append((id, .refused(.removed)))
    }
    begin(&pairing, &effects)
  }

  // MARK: The device that joins

  mutating func askToJoin(on id: SessionID, _ effects: inout Effects) {
    guard let address = network.sessions[id]?.dialled, pairing.begin(on: id, at: address) else {
      // The inviting device may be reached at two of its addresses.
      return network.end(id, pairing.joining?.isSearch == true ? .leaving : .unexpected, &effects)
    }
    let request = JoinRequest(
      versions: ProtocolVersion.supported, key: identity.key, environment: identity.environment,
      bundleId: identity.bundleId)
    network.send(.join(request), on: id, &effects)
    network.tell(membership.records, on: id, &effects)
  }

  mutating func receive(
    _ message: Message, as joiner: Joiner, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    switch (message, joiner) {
    case (.records(let part), .asking):
      guard let records = network.collect(part, on: id, &effects) else { return }
      let theirs = Membership(records, cryptography)
      _ = network.sessions.update(id) { $0.advance(to: .joining(.heard(from: theirs))) }
    case (.introduction(let introduction), .heard(let theirs)):
      agree(to: introduction, theirs, on: id, &effects)
    case (.admitted(let record), .agreed(let proposal, let inviter, let theirs)):
      guard record.fulfils(proposal) else { return network.end(id, .forged, &effects) }
      finishJoining(theirs.records + [record], of: inviter, on: id, now: now, &effects)
    case (.admitted(let record), .heard(let theirs)):
      comeBack(by: record, of: theirs, on: id, now: now, &effects)
    default: network.end(id, .unexpected, &effects)
    }
  }

  /// The inviter takes this device for a member already, by a record that it signed. It never got to see that: its last attempt was
  /// cut short, or its disk was set back since. It may have joined another device meanwhile: it goes where it is invited.
  private mutating func comeBack(
    by record: MembershipRecord, of theirs: Membership, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard case .merge(let merge) = record.body,
      let joined = theirs.group(of: identity.key, preferring: GroupID(founding: merge.group)),
      joined.founding == merge.group, joined.members.count > 1, joined.isMember(identity.key)
    else { return network.end(id, .forged, &effects) }
    finishJoining(theirs.records, beside: joined, on: id, now: now, &effects)
  }

  private mutating func agree(
    to introduction: Introduction, _ theirs: Membership, on id: SessionID, _ effects: inout Effects
  ) {
    guard let meeting = meeting(on: id) else { return }
    do throws(CloseReason) {
      let consent = try meeting.agree(to: introduction, of: theirs, membership)
      _ = network.sessions.update(id) {
        $0.advance(to: .joining(.agreed(introduction.proposal, with: introduction.key, theirs)))
      }
      network.send(.consent(consent), on: id, &effects)
    } catch { network.end(id, error, &effects) }
  }

  /// A device that dies before the two have met as members would not find the other again. Where that one has not proved who it is it may be
  /// any of the others, and whichever it is answers at the address.
  private mutating func keepAddress(_ address: Address, of inviter: PublicKey?, _ effects: inout Effects) {
    let inviters =
      inviter.map { [DeviceID(of: $0, cryptography)] } ?? group.others(than: identity.device)
    for device in inviters {
      let entry = KnownPeer.Listening(device: device, address: address, stamp: Stamp(rawValue: 0))
      guard network.remember(entry) else { continue }
      return effects.durable.append(.addresses([entry]))
    }
  }

  /// - Parameters:
  ///   - inviter: the device at the other end, where it has proved who it is
  ///   - known: the group that this device comes back to, as the other end knows it
  private mutating func finishJoining(
    _ records: [MembershipRecord], of inviter: PublicKey? = nil, beside known: MembershipGroup? = nil,
    on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard pairing.isJoining(on: id) else { return network.end(id, .unexpected, &effects) }
    let insertion = adopt(records, preferring: known?.id, from: id, now: now, &effects)
    // A device that brings others has had members before.
    guard inviter.map({ group.isMember($0) }) ?? (group.members.count > 1) else {
      return network.end(id, holds(records) ? .forged : .noRoom, &effects)
    }
    // The one that invited may be among those for whom there is no room here: the two would not know each other.
    let lacksRoom = insertion.refused.contains { $0.reason == .full }
    guard !lacksRoom || known.map({ $0.members.allSatisfy { group.hasEverBelonged($0.key) } }) ?? true else {
      return network.end(id, .noRoom, &effects)
    }
    effects.notices.append(.joined(identity.group))
    if let address = pairing.finish(&effects) {
      network.dialler.addStatic(address)
      keepAddress(address, of: inviter, &effects)
    }
    network.end(id, .leaving, &effects)
  }

  // MARK: The device that invited

  mutating func receive(
    _ message: Message, as inviter: Inviter, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    switch (message, inviter) {
    case (.join(let request), .waiting):
      if let reason = refusal(of: request, on: id, now: now) { return network.end(id, reason, &effects) }
      _ = network.sessions.update(id) {
        $0.advance(to: .inviting(.asked(by: request.key, IncomingRecords())))
      }
    case (.records(let part), .asked(let joiner, _)):
      guard let records = network.collect(part, on: id, &effects) else { return }
      propose(to: joiner, Membership(records, cryptography), on: id, now: now, &effects)
    case (.consent(let consent), .proposed(let proposal, let joiner, let theirs)):
      admit(consent, proposal, of: joiner, theirs, on: id, now: now, &effects)
    default: network.end(id, .unexpected, &effects)
    }
  }

  private func refusal(of request: JoinRequest, on id: SessionID, now: Now) -> CloseReason? {
    guard ProtocolVersion.common(with: request.versions) != nil else { return .version }
    guard request.key != identity.key else { return .itself }
    // What it knows of the group may be out of date, and whom it lets in is in no group but its own.
    guard !isRemoved else { return .hostRemoved }
    guard request.environment == identity.environment, request.bundleId == identity.bundleId else {
      return .stranger
    }
    if group.hasEverBelonged(request.key), !group.isMember(request.key) { return .removed }
    // Several may have come in on one invitation before the first was admitted: it is good once.
    return pairing.isOpen(to: network.sessions[id], at: now) ? nil : .noInvitation
  }

  private mutating func propose(
    to joiner: PublicKey, _ theirs: Membership, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let meeting = meeting(on: id) else { return }
    // Its last attempt was cut short, or this device, or the member that took the joiner in, was set back and has forgotten it: with
    // the joiner's records they are of one group already, and it lacks some of these. Or it knows of a removal by which it is no
    // member any more, and that has to be known here.
    let known = membership.union(theirs).group(of: identity.key, preferring: identity.group)
    let isMember = known.map { $0.isMember(joiner) && $0.isMember(identity.key) } ?? false
    if isMember || group.isMember(joiner) { adopt(theirs.records, from: id, now: now, &effects) }
    if isMember {
      guard group.isMember(joiner) else { return network.end(id, .noRoom, &effects) }
      network.tell(membership.records, on: id, &effects)
      guard let merge = membership.merge(of: joiner, with: identity.key, preferring: group.id) else { return }
      return network.send(.admitted(merge), on: id, &effects)
    }
    do throws(CloseReason) {
      let introduction = try meeting.propose(to: joiner, of: theirs, membership, in: identity.group)
      _ = network.sessions.update(id) {
        $0.advance(to: .inviting(.proposed(introduction.proposal, to: joiner, theirs)))
      }
      network.tell(membership.records, on: id, &effects)
      network.send(.introduction(introduction), on: id, &effects)
    } catch { network.end(id, error, &effects) }
  }

  private mutating func admit(
    _ consent: Consent, _ proposal: MergeProposal, of joiner: PublicKey, _ theirs: Membership,
    on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let meeting = meeting(on: id) else { return }
    guard pairing.isOpen(to: network.sessions[id], at: now) else {
      return network.end(id, .noInvitation, &effects)
    }
    guard !isRemoved else { return network.end(id, .hostRemoved, &effects) }
    do throws(CloseReason) {
      let record = try meeting.record(consent, to: proposal, of: joiner)
      adopt(theirs.records + [record], from: id, now: now, &effects)
      guard group.isMember(joiner) else { throw holds([record]) ? .forged : .noRoom }
      pairing.close(&effects)
      network.send(.admitted(record), on: id, &effects)
    } catch { network.end(id, error, &effects) }
  }

  // MARK: Both

  /// Whether there was room for records that were taken in.
  private func holds(_ records: [MembershipRecord]) -> Bool {
    records.allSatisfy { membership.contains($0.hash(cryptography)) }
  }

  private func meeting(on id: SessionID) -> Meeting? {
    guard case .invitation(let exporter)? = network.sessions[id]?.channel else { return nil }
    return Meeting(
      key: identity.key, signer: holdings.outbox.signer, cryptography: cryptography, exporter: exporter)
  }
}

// Whom a host took in is a member, but the others know it only once they have met somebody who does. Should the host die, or
// be stolen and removed, before they have, the newcomer would stay a stranger to them for ever. So a device that is not
// recognized calls once more, to show the signed records that make it a member. Whoever is called believes nothing but these
// records, shows its own where they do not make the caller one, and lets the device come again as any member does.
//
//     dialler            listener
//     records      →
//                  ←     records, close
//
// So a device hears as well that it was removed while it was away: whoever knows shows it the removal. Two that have removed each
// other, and have nobody between them, would else stay apart for ever, each sure to be the one that is left [E49]. A device that was
// removed is dialled for this, and for nothing else. It dials for it as well: of three that have removed each other in a ring the one that
// knows why another is not out after all may be out itself.
//
// A device whose disk was set back to before it joined knows nobody. So whoever takes it for a member shows it how it came in: it believes
// what it has signed itself.
//
// Whoever calls is a stranger until then: what it may send, how long it may take and how often this happens is bounded.
extension Engine {
  mutating func introduceOneself(to key: PublicKey, on id: SessionID, _ effects: inout Effects) {
    network.tell(introduction(to: key), on: id, &effects)
  }

  /// How this device came into its group, and who is to see that, and the removals that count there.
  private func introduction(to key: PublicKey) -> [MembershipRecord] {
    membership.introduction(
      of: identity.key, to: key, preferring: identity.group, atMost: Limits.introductionBytes - 1024)
  }

  // MARK: The device that is called

  mutating func receiveIntroduction(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let (key, records) = shown(message, on: id, &effects) else { return }
    guard key != identity.key else { return network.end(id, .itself, &effects) }
    // Whoever has never belonged to the group knows none of its records, and takes no turn of those who have.
    guard group.isMember(key) || membership.isNamed(by: records) else {
      return network.end(id, .stranger, &effects)
    }
    // In a large set one takes long, and a person may be waiting for an answer: one at a time, then.
    guard !network.offered.hasWorked(at: now.monotonic), network.takeIntroduction(at: now.monotonic) else {
      return network.end(id, .busy, &effects)
    }
    // Of a device that does not prove to be a member, or to have been one and to know something new, nothing is kept. It may have been
    // removed, and not know. Or it was, and knows why this one was not, or was.
    var trial = membership
    network.offered.rest(after: trial.insert(records).work, at: now.monotonic)
    let after = trial.group(of: identity.key, preferring: identity.group)
    if after?.isMember(key) == true || after?.hasEverBelonged(key) == true && after != group(after: []) {
      adopt(records, from: id, now: now, &effects)
    }
    let (known, answer) = (Set(records), introduction(to: key))
    let lacking = answer.filter { !known.contains($0) }
    guard group.isMember(key) else {
      noteClaim(by: key, records, &effects)
      return self.answer(lacking, .stranger, on: id, &effects)
    }
    // It may not know that it is one, or still take itself for removed.
    let ways = answer.filter { membership.isWay($0, of: key) }
    let isUnaware = !ways.isEmpty && known.isDisjoint(with: ways) || lacking.contains(where: \.isRemoval)
    self.answer(isUnaware ? lacking : [], .leaving, on: id, &effects)
  }

  /// Notes that a device shows by this one's own signature that this one is of its group, where it goes on to be of another.
  private mutating func noteClaim(by key: PublicKey, _ records: [MembershipRecord], _ effects: inout Effects)
  {
    guard records.contains(where: { membership.isUnknownWay($0, of: identity.key) }) else { return }
    let names = records.compactMap { record in
      if case .found(let founding) = record.body, founding.key == key { founding.name } else { nil }
    }
    network.claimant = names.first ?? DeviceID(of: key, cryptography).shortForm
    effects.changed = true
  }

  private mutating func answer(
    _ records: [MembershipRecord], _ reason: CloseReason, on id: SessionID, _ effects: inout Effects
  ) {
    network.tell(records, on: id, &effects)
    network.end(id, reason, &effects)
  }

  // MARK: The device that calls

  mutating func receiveAnswer(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard let (key, records) = shown(message, on: id, &effects), let session = network.sessions[id]
    else { return }
    noteShown(on: session, now: now)
    // Nothing is new here: the end that follows says whether this device is known there now.
    guard !records.isEmpty else { return }
    if group(after: records) != group(after: []) {
      adopt(records, from: id, now: now, &effects)
    } else if let address = session.dialled {
      noteClaim(by: key, records, &effects)
      notKnown(at: address, &effects)
    }
    network.end(id, .leaving, &effects)
  }

  /// Notes that a device which was removed has been shown so.
  mutating func noteShown(on session: Session, now: Now) {
    guard session.isIntroducing, case .introduction(let key) = session.channel else { return }
    network.dialler.showed(DeviceID(of: key, cryptography), at: now.monotonic)
  }

  // MARK: Both

  /// What the other end shows, once all of it is here, and its key.
  private mutating func shown(
    _ message: Message, on id: SessionID, _ effects: inout Effects
  ) -> (PublicKey, [MembershipRecord])? {
    guard case .records(let part) = message, case .introduction(let key)? = network.sessions[id]?.channel
    else {
      network.end(id, .unexpected, &effects)
      return nil
    }
    guard let records = network.collect(part, on: id, &effects) else { return nil }
    guard records.encodedBytes <= Limits.introductionBytes else {
      network.end(id, .beyondLimit, &effects)
      return nil
    }
    return (key, records)
  }
}

/// A join under way.
struct Joining: Hashable, Sendable {
  let request: RequestID
  let address: Address
  let deadline: UInt64
  /// The session over the invitation, once there is one.
  var session: SessionID?
}

/// What two devices have told each other over an invitation so far.
enum Meeting: Sendable {
  /// The joiner has the inviter's records.
  case heard(from: Membership)
  /// The inviter knows who wants to join.
  case asked(by: PublicKey)
  /// The inviter has proposed how the two groups become one.
  case proposed(MergeProposal, to: PublicKey, Membership)
  /// The joiner has agreed, and waits for the record.
  case agreed(MergeProposal, with: PublicKey, Membership)
}

// Joining by invitation. Both devices know the code, or the connection would not stand. Each proves that it owns its key
// by signing both keys, its role and what only this connection exports, so that nobody in between can put in another; and
// both sign the record that makes one group of their two. Then they part, and meet again by certificate.
//
//     joiner                    inviter
//     join (key), records  →
//                          ←    records, introduction (key, signature, proposal)
//     consent (signatures) →
//                          ←    admitted (the record)
//
// A device that is alone founded a group of one when it was made: joining is always two groups becoming one (E51).
extension Engine {
  mutating func join(
    _ address: Address, key: InvitationKey, as id: RequestID, now: Now, _ effects: inout Effects
  ) {
    if let refusal = refusalToJoin { return effects.answers.append((id, .refused(refusal))) }
    // The dial and the handshake each have their time.
    joining = Joining(
      request: id, address: address, deadline: now.monotonic + 2 * Limits.handshakeMilliseconds)
    effects.dials.append(DialTarget(address: address, invitation: key))
  }

  private var refusalToJoin: Refusal? {
    if !isOnline { return .offline }
    if joining != nil { return .busy }
    return isRemoved ? .removed : nil
  }

  // MARK: The device that joins

  mutating func askToJoin(on id: SessionID, _ effects: inout Effects) {
    guard joining != nil, joining?.session == nil else { return end(id, .unexpected, &effects) }
    joining?.session = id
    let request = JoinRequest(
      versions: ProtocolVersion.supported, key: identity.key, environment: identity.environment,
      bundleId: identity.bundleId)
    send(.join(request), on: id, &effects)
    tell(membership.records, on: id, &effects)
  }

  mutating func receiveWhileJoining(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects)
  {
    switch (message, sessions[id]?.meeting) {
    case (.records(let part), nil):
      guard let records = collect(part, on: id, &effects) else { return }
      hear(Membership(records, cryptography), on: id, now: now, &effects)
    case (.introduction(let introduction), .heard(let theirs)):
      agree(to: introduction, theirs, on: id, &effects)
    case (.admitted(let record), .agreed(let proposal, let inviter, let theirs)):
      guard record.parents == proposal.parents, record.body == .merge(proposal.merge) else {
        return end(id, .forged, &effects)
      }
      finishJoining(theirs.records + [record], of: inviter, on: id, now: now, &effects)
      if !group.isMember(inviter) { end(id, .forged, &effects) }
    default: end(id, .unexpected, &effects)
    }
  }

  /// The inviter's records are here. They may name this device as a member already, by a record that it signed and that
  /// it never got to see: its last attempt was cut short.
  private mutating func hear(
    _ theirs: Membership, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    if let joined = theirs.group(of: identity.key), joined.members.count > 1, joined.isMember(identity.key) {
      finishJoining(theirs.records, on: id, now: now, &effects)
    } else {
      _ = sessions.update(id) { $0.meeting = .heard(from: theirs) }
    }
  }

  /// The inviter has proved who it is: agrees that the two groups become one, if that is all it proposes.
  private mutating func agree(
    to introduction: Introduction, _ theirs: Membership, on id: SessionID, _ effects: inout Effects
  ) {
    guard let session = sessions[id] else { return }
    guard introduction.key != identity.key else { return end(id, .itself, &effects) }
    let spoken = transcript(session, of: .inviter, inviter: introduction.key, joiner: identity.key)
    guard cryptography.isValid(introduction.signature, of: spoken, by: introduction.key) else {
      return end(id, .forged, &effects)
    }
    do throws(MembershipError) {
      try membership.check(
        introduction.proposal, joiner: identity.key, host: introduction.key, of: theirs)
    } catch { return end(id, CloseReason(error), &effects) }
    let answer = transcript(session, of: .joiner, inviter: introduction.key, joiner: identity.key)
    _ = sessions.update(id) {
      $0.meeting = .agreed(introduction.proposal, with: introduction.key, theirs)
    }
    send(
      .consent(
        Consent(
          signature: signer.sign(answer), countersignature: introduction.proposal.signature(by: signer))),
      on: id, &effects)
  }

  /// A device that dies before the two have met as members would not find the other again.
  private mutating func keepAddress(_ address: Address, of inviter: PublicKey, _ effects: inout Effects) {
    let entry = KnownPeer.Listening(
      device: DeviceID(of: inviter, cryptography), address: address, stamp: Stamp(rawValue: 0))
    if remember(entry) { effects.durable.append(.addresses([entry])) }
  }

  /// - Parameter inviter: the device at the other end, where it has proved who it is
  private mutating func finishJoining(
    _ records: [MembershipRecord], of inviter: PublicKey? = nil, on id: SessionID, now: Now,
    _ effects: inout Effects
  ) {
    guard let joining, joining.session == id else { return end(id, .unexpected, &effects) }
    adopt(records, from: id, now: now, &effects)
    guard group.members.count > 1 else { return end(id, .forged, &effects) }
    self.joining = nil
    effects.answers.append((joining.request, .done(changed: 1)))
    effects.notices.append(.joined(identity.group))
    dialler.addStatic(joining.address)
    if let inviter { keepAddress(joining.address, of: inviter, &effects) }
    end(id, .leaving, &effects)
  }

  // MARK: The device that invited

  mutating func receiveWhileInviting(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects)
  {
    switch (message, sessions[id]?.meeting) {
    case (.join(let request), nil):
      if let reason = objection(to: request, now: now) { return end(id, reason, &effects) }
      _ = sessions.update(id) { $0.meeting = .asked(by: request.key) }
    case (.records(let part), .asked(let joiner)):
      guard let records = collect(part, on: id, &effects) else { return }
      propose(to: joiner, Membership(records, cryptography), on: id, now: now, &effects)
    case (.consent(let consent), .proposed(let proposal, let joiner, let theirs)):
      admit(consent, proposal, of: joiner, theirs, on: id, now: now, &effects)
    default: end(id, .unexpected, &effects)
    }
  }

  private func objection(to request: JoinRequest, now: Now) -> CloseReason? {
    guard ProtocolVersion.common(with: request.versions) != nil else { return .version }
    guard request.key != identity.key else { return .itself }
    guard request.environment == identity.environment, request.bundleId == identity.bundleId else {
      return .stranger
    }
    if group.hasEverBelonged(request.key), !group.isMember(request.key) { return .removed }
    // Several may have come in on one invitation before the first was admitted: it is good once.
    return isInvitationOpen(at: now) ? nil : .noInvitation
  }

  private mutating func propose(
    to joiner: PublicKey, _ theirs: Membership, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let session = sessions[id] else { return }
    // This device, or the member that took the joiner in, was set back and has forgotten it: with the joiner's records they
    // are of one group already.
    let known = membership.union(theirs).group(of: identity.key, preferring: identity.group)
    if let known, known.isMember(joiner), known.isMember(identity.key) {
      adopt(theirs.records, from: id, now: now, &effects)
    }
    // Its last attempt was cut short: it lacks the record, and knows what to do with it.
    if group.isMember(joiner) { return tell(membership.records, on: id, &effects) }
    do throws(MembershipError) {
      let proposal = try membership.proposeMerge(
        host: identity.key, joiner: joiner, of: theirs, preferring: identity.group)
      _ = sessions.update(id) { $0.meeting = .proposed(proposal, to: joiner, theirs) }
      let spoken = transcript(session, of: .inviter, inviter: identity.key, joiner: joiner)
      tell(membership.records, on: id, &effects)
      send(
        .introduction(
          Introduction(key: identity.key, signature: signer.sign(spoken), proposal: proposal)),
        on: id, &effects)
    } catch { end(id, CloseReason(error), &effects) }
  }

  private mutating func admit(
    _ consent: Consent, _ proposal: MergeProposal, of joiner: PublicKey, _ theirs: Membership,
    on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let session = sessions[id] else { return }
    guard isInvitationOpen(at: now) else { return end(id, .noInvitation, &effects) }
    let spoken = transcript(session, of: .joiner, inviter: identity.key, joiner: joiner)
    guard cryptography.isValid(consent.signature, of: spoken, by: joiner) else {
      return end(id, .forged, &effects)
    }
    let record = MembershipRecord(
      proposal, host: proposal.signature(by: signer), joiner: consent.countersignature)
    adopt(theirs.records + [record], from: id, now: now, &effects)
    guard group.isMember(joiner) else { return end(id, .forged, &effects) }
    closeInvitation(&effects)
    send(.admitted(record), on: id, &effects)
  }

  // MARK: Both

  private enum Role: UInt8 {
    case inviter = 1
    case joiner = 2
  }

  private func transcript(
    _ session: Session, of role: Role, inviter: PublicKey, joiner: PublicKey
  ) -> [UInt8] {
    guard case .invitation(let exporter) = session.channel else { return [] }
    return Array("PeerSync join".utf8) + [role.rawValue] + inviter.bytes + joiner.bytes + exporter.bytes
  }

  /// Gives up a join whose session has ended.
  mutating func failJoining(on id: SessionID, _ refusal: Refusal, _ effects: inout Effects) {
    if joining?.session == id { failJoining(refusal, &effects) }
  }

  mutating func failJoining(_ refusal: Refusal, _ effects: inout Effects) {
    guard let joining else { return }
    self.joining = nil
    effects.answers.append((joining.request, .refused(refusal)))
  }
}

extension Membership {
  /// The set that these records make.
  package init(_ records: [MembershipRecord], _ cryptography: Cryptography) {
    self.init(cryptography: cryptography)
    _ = insert(records)
  }
}

extension CloseReason {
  /// Why two groups do not become one.
  fileprivate init(_ error: MembershipError) {
    self =
      switch error {
      case .otherApp: .stranger
      case .removed, .notMember: .removed
      case .alreadyKnown: .duplicate
      case .full: .busy
      case .notFirst: .notFirst
      case .unknownDevice, .wrongRecoveryKey, .lastMember, .otherProposal: .forged
      }
  }
}

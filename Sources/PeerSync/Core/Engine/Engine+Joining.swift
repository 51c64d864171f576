/// A join under way.
struct Joining: Hashable, Sendable {
  let request: RequestID
  let address: Address
  let deadline: UInt64
  /// The session over the invitation, once there is one.
  var session: SessionID?
}

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

  mutating func receive(
    _ message: Message, as joiner: Joiner, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    switch (message, joiner) {
    case (.records(let part), .asking):
      guard let records = collect(part, on: id, &effects) else { return }
      hear(Membership(records, cryptography), on: id, now: now, &effects)
    case (.introduction(let introduction), .heard(let theirs)):
      agree(to: introduction, theirs, on: id, &effects)
    case (.admitted(let record), .agreed(let proposal, let inviter, let theirs)):
      guard record.fulfils(proposal) else { return end(id, .forged, &effects) }
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
      _ = sessions.update(id) { $0.advance(to: .joining(.heard(from: theirs))) }
    }
  }

  private mutating func agree(
    to introduction: Introduction, _ theirs: Membership, on id: SessionID, _ effects: inout Effects
  ) {
    guard let meeting = meeting(on: id) else { return }
    do throws(CloseReason) {
      let consent = try meeting.agree(to: introduction, of: theirs, membership)
      _ = sessions.update(id) {
        $0.advance(to: .joining(.agreed(introduction.proposal, with: introduction.key, theirs)))
      }
      send(.consent(consent), on: id, &effects)
    } catch { end(id, error, &effects) }
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

  mutating func receive(
    _ message: Message, as inviter: Inviter, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    switch (message, inviter) {
    case (.join(let request), .waiting):
      if let reason = objection(to: request, now: now) { return end(id, reason, &effects) }
      _ = sessions.update(id) { $0.advance(to: .inviting(.asked(by: request.key, IncomingRecords()))) }
    case (.records(let part), .asked(let joiner, _)):
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
    guard let meeting = meeting(on: id) else { return }
    // This device, or the member that took the joiner in, was set back and has forgotten it: with the joiner's records they
    // are of one group already.
    let known = membership.union(theirs).group(of: identity.key, preferring: identity.group)
    if let known, known.isMember(joiner), known.isMember(identity.key) {
      adopt(theirs.records, from: id, now: now, &effects)
    }
    // Its last attempt was cut short: it lacks the record, and knows what to do with it.
    if group.isMember(joiner) { return tell(membership.records, on: id, &effects) }
    do throws(CloseReason) {
      let introduction = try meeting.propose(to: joiner, of: theirs, membership, in: identity.group)
      _ = sessions.update(id) {
        $0.advance(to: .inviting(.proposed(introduction.proposal, to: joiner, theirs)))
      }
      tell(membership.records, on: id, &effects)
      send(.introduction(introduction), on: id, &effects)
    } catch { end(id, error, &effects) }
  }

  private mutating func admit(
    _ consent: Consent, _ proposal: MergeProposal, of joiner: PublicKey, _ theirs: Membership,
    on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let meeting = meeting(on: id) else { return }
    guard isInvitationOpen(at: now) else { return end(id, .noInvitation, &effects) }
    do throws(CloseReason) {
      let record = try meeting.record(consent, to: proposal, of: joiner)
      adopt(theirs.records + [record], from: id, now: now, &effects)
      guard group.isMember(joiner) else { throw .forged }
      closeInvitation(&effects)
      send(.admitted(record), on: id, &effects)
    } catch { end(id, error, &effects) }
  }

  // MARK: Both

  private func meeting(on id: SessionID) -> Meeting? {
    guard case .invitation(let exporter)? = sessions[id]?.channel else { return nil }
    return Meeting(
      key: identity.key, signer: holdings.outbox.signer, cryptography: cryptography, exporter: exporter)
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

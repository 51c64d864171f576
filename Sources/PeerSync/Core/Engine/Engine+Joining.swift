/// A join under way.
struct Joining: Hashable, Sendable {
  let request: RequestID
  let address: Address
  let code: String
  let deadline: UInt64
  /// The session on which the code is presented, once there is one. Another session with the same address (the address
  /// was dialled anyway) says nothing about the join.
  var session: SessionID?
}

// Joining by invitation: the new device presents a one-time code and takes over the group of the device that issued it.
extension Engine {
  mutating func join(_ address: Address, code: String, as id: RequestID, now: Now, _ effects: inout Effects) {
    if let refusal = refusalToJoin { return effects.answers.append((id, .refused(refusal))) }
    // The dial and the handshake each have their time.
    joining = Joining(
      request: id, address: address, code: code, deadline: now.monotonic + 2 * Limits.handshakeMilliseconds)
    effects.dials.append(address)
  }

  private var refusalToJoin: Refusal? {
    if !isOnline { return .offline }
    if joining != nil { return .busy }
    return members.count > 1 ? .alreadyInGroup : nil
  }

  var joinRequest: JoinRequest {
    JoinRequest(
      versions: ProtocolVersion.supported, code: joining?.code ?? "", device: identity.device,
      environment: identity.environment, bundleId: identity.bundleId, name: identity.name)
  }

  // MARK: The device that invited

  mutating func admit(_ request: JoinRequest, on id: SessionID, now: Now, _ effects: inout Effects) {
    if let reason = objection(to: request, now: now) { return end(id, reason, &effects) }
    invitation = nil
    let member = Member(name: request.name, joined: now.wall)
    let write = LocalWrite(key: RegisterKey.member(request.device).encoded, value: member.encoded)
    guard case .done = self.write([write], now: now, &effects) else { return end(id, .busy, &effects) }
    send(.admitted(identity.group), on: id, &effects)
    effects.notices.append(.admitted(request.device, name: request.name))
  }

  private mutating func objection(to request: JoinRequest, now: Now) -> CloseReason? {
    guard ProtocolVersion.common(with: request.versions) != nil else { return .version }
    guard request.device != identity.device else { return .itself }
    guard request.environment == identity.environment, request.bundleId == identity.bundleId else {
      return .stranger
    }
    guard invitation != nil else { return .noInvitation }
    return invitation?.check(request.code, at: now.wall)
  }

  // MARK: The device that joins

  mutating func receiveWhileJoining(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects)
  {
    guard case .admitted(let group) = message, let joining, joining.session == id
    else { return end(id, .unexpected, &effects) }
    self.joining = nil
    identity.group = group
    effects.durable.group = group
    effects.answers.append((joining.request, .done(changed: 1)))
    effects.notices.append(.joined(group))
    effects.changed = true
    dialler.addStatic(joining.address, isBusy: true)
    _ = sessions.update(id) { $0.phase = .greeting }
    send(.hello(hello), on: id, &effects)
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

/// The invitation of this device, and its own attempt to join another over one. The runner checks codes, as part of the encryption of a
/// connection; here they are counted. What two devices say to each other over an invitation is a matter of their session (``Meeting``).
package struct Pairing: Sendable {
  /// The open invitation.
  package private(set) var invitation: Invitation?
  /// When it ends, on the monotonic clock; nil before the start.
  private var end: UInt64?
  /// A join under way.
  package private(set) var joining: Joining?

  package struct Joining: Hashable, Sendable {
    let request: RequestID
    let address: Address
    /// When it is given up, on the monotonic clock.
    let deadline: UInt64
    /// The session over the invitation, once there is one.
    var session: SessionID?
  }

  /// - Parameter invitation: one that was open before a restart
  package init(_ invitation: Invitation? = nil) { self.invitation = invitation }

  /// When something has to happen, on the monotonic clock; nil: nothing waits for time.
  package var deadline: UInt64? { [joining?.deadline, end].compactMap(\.self).min() }

  // MARK: Inviting

  /// Opens an invitation that was made now, by the wall clock, or one that was open before a restart, by the trusted time. From here
  /// on the monotonic clock counts: a wall clock that is turned back prolongs nothing.
  package mutating func open(
    _ invitation: Invitation, at instant: Instant, now: Now, _ effects: inout Effects
  ) {
    let remaining = invitation.remaining(at: instant)
    guard remaining > 0, invitation.triesLeft > 0 else { return close(&effects) }
    end = now.monotonic + remaining
    keep(invitation, &effects)
  }

  /// Whether a code may be tried now.
  package func isOpen(at now: Now) -> Bool { invitation != nil && now.monotonic < (end ?? 0) }

  /// Ends an invitation whose time is over, so that not even the right code is heard any more.
  package mutating func check(now: Now, _ effects: inout Effects) {
    if invitation != nil, !isOpen(at: now) { close(&effects) }
  }

  private mutating func keep(_ invitation: Invitation, _ effects: inout Effects) {
    self.invitation = invitation
    effects.durable.append(.invitation(.open(invitation)))
  }

  /// Somebody tried another code.
  package mutating func countWrongCode(_ effects: inout Effects) {
    guard var invitation else { return }
    invitation.triesLeft -= 1
    effects.notices.append(.wrongCode(triesLeft: invitation.triesLeft))
    if invitation.triesLeft > 0 { keep(invitation, &effects) } else { close(&effects) }
  }

  /// Ends the invitation: it was used, tried too often, or its time is over.
  package mutating func close(_ effects: inout Effects) {
    invitation = nil
    end = nil
    effects.durable.append(.invitation(.closed))
  }

  // MARK: Joining

  /// Dials whoever listens at an address, to join its group.
  package mutating func join(
    _ address: Address, key: InvitationKey, as id: RequestID, now: Now, _ effects: inout Effects
  ) {
    guard joining == nil else { return effects.answers.append((id, .refused(.busy))) }
    // The dial and the handshake each have their time.
    joining = Joining(
      request: id, address: address, deadline: now.monotonic + 2 * Limits.handshakeMilliseconds)
    effects.dials.append(DialTarget(address: address, invitation: key))
  }

  /// Notes that a session over an invitation stands.
  ///
  /// - Returns: whether one was dialled and none stands yet
  package mutating func begin(on session: SessionID) -> Bool {
    guard joining != nil, joining?.session == nil else { return false }
    joining?.session = session
    return true
  }

  /// Whether this device joins on a session.
  package func isJoining(on session: SessionID) -> Bool { joining?.session == session }

  /// Answers that this device has joined.
  ///
  /// - Returns: the address where it did
  package mutating func finish(_ effects: inout Effects) -> Address? {
    guard let joining else { return nil }
    self.joining = nil
    effects.answers.append((joining.request, .done(changed: 1)))
    return joining.address
  }

  /// Gives up a join whose session this side has ended.
  package mutating func noteEnded(_ effects: inout Effects) {
    guard let session = joining?.session,
      let (_, reason) = effects.closings.first(where: { $0.0 == session })
    else { return }
    fail(.notAdmitted(reason), &effects)
  }

  /// Gives up a join whose session has ended.
  package mutating func fail(on session: SessionID, _ refusal: Refusal, _ effects: inout Effects) {
    if isJoining(on: session) { fail(refusal, &effects) }
  }

  /// Gives up a join if nobody could be reached at its address.
  ///
  /// - Parameter reason: what the other side gave as its reason, if it gave one
  package mutating func noteUnreachable(_ address: Address, _ reason: CloseReason?, _ effects: inout Effects)
  {
    guard joining?.address == address, joining?.session == nil else { return }
    let isRefused = reason != nil && reason != .handshakeTimeout
    fail(reason.flatMap { isRefused ? .notAdmitted($0) : nil } ?? .unreachable, &effects)
  }

  /// Gives up a join that has taken too long.
  package mutating func checkJoining(now: Now, _ effects: inout Effects) {
    if let joining, joining.deadline <= now.monotonic { fail(.unreachable, &effects) }
  }

  private mutating func fail(_ refusal: Refusal, _ effects: inout Effects) {
    guard let joining else { return }
    self.joining = nil
    effects.answers.append((joining.request, .refused(refusal)))
  }
}

/// The secret that a code is stretched to: 32 bytes, known to both devices of an invitation and nobody else.
public typealias InvitationKey = Bytes32<InvitationKeyKind>
/// Tells the secrets that codes of invitations are stretched to from other 32 bytes.
public enum InvitationKeyKind: Sendable {}

/// An open invitation: whoever knows the code joins the group, once. It survives a restart with its counter.
public struct Invitation: Hashable, Sendable {
  /// What the code is stretched to.
  public let key: InvitationKey
  /// When it ends by the wall clock.
  public let expires: Instant
  /// Wrong codes that may still be tried, up to ``Limits/invitationTries``.
  public internal(set) var triesLeft: Int

  /// Makes an invitation.
  public init(key: InvitationKey, expires: Instant, triesLeft: Int = Limits.invitationTries) {
    self.key = key
    self.expires = expires
    self.triesLeft = triesLeft
  }

  /// Milliseconds that it is still good for when a clock shows this: never more than an invitation is good for at all,
  /// however far the clock was turned back.
  func remaining(at now: Instant) -> UInt64 {
    UInt64(clamping: min(expires.milliseconds - now.milliseconds, Limits.invitationMilliseconds))
  }
}

// The invitation of this device. The runner checks codes, as part of the encryption of a connection; the engine counts.
extension Engine {
  /// Opens one that was made now, by the wall clock, or one that was open before a restart, by the trusted time. From here
  /// on the monotonic clock counts: a wall clock that is turned back prolongs nothing.
  mutating func open(_ invitation: Invitation, at instant: Instant, now: Now, _ effects: inout Effects) {
    let remaining = invitation.remaining(at: instant)
    guard remaining > 0, invitation.triesLeft > 0 else { return closeInvitation(&effects) }
    invitationEnd = now.monotonic + remaining
    keep(invitation, &effects)
  }

  /// Whether a code may be tried now.
  public func isInvitationOpen(at now: Now) -> Bool {
    invitation != nil && now.monotonic < (invitationEnd ?? 0)
  }

  /// Ends an invitation whose time is over, so that not even the right code is heard any more.
  mutating func checkInvitation(now: Now, _ effects: inout Effects) {
    if invitation != nil, !isInvitationOpen(at: now) { closeInvitation(&effects) }
  }

  private mutating func keep(_ invitation: Invitation, _ effects: inout Effects) {
    self.invitation = invitation
    effects.durable.append(.invitation(.open(invitation)))
  }

  /// Somebody tried another code.
  mutating func countWrongCode(_ effects: inout Effects) {
    guard var invitation else { return }
    invitation.triesLeft -= 1
    effects.notices.append(.wrongCode(triesLeft: invitation.triesLeft))
    if invitation.triesLeft > 0 { keep(invitation, &effects) } else { closeInvitation(&effects) }
  }

  /// Ends the invitation: it was used, tried too often, or its time is over.
  mutating func closeInvitation(_ effects: inout Effects) {
    invitation = nil
    invitationEnd = nil
    effects.durable.append(.invitation(.closed))
  }
}

/// What becomes of the invitation on the disk.
public enum InvitationChange: Hashable, Sendable {
  case open(Invitation)
  case closed
}

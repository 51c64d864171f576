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

/// What becomes of the invitation on the disk.
public enum InvitationChange: Hashable, Sendable {
  /// It is kept, with the tries that are left.
  case open(Invitation)
  /// There is none any more.
  case closed
}

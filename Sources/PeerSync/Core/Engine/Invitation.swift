/// The secret that a code is stretched to: 32 bytes, known to both devices of an invitation and nobody else.
package typealias InvitationKey = Bytes32<InvitationKeyKind>
/// What an ``InvitationKey`` is.
public enum InvitationKeyKind: Sendable {}

/// An open invitation: whoever knows the code joins the group, once. It survives a restart with its counter.
package struct Invitation: Hashable, Sendable {
  package let key: InvitationKey
  package let expires: Instant
  /// Wrong codes that may still be tried, up to ``Limits/invitationTries``.
  package internal(set) var triesLeft: Int

  package init(key: InvitationKey, expires: Instant, triesLeft: Int = Limits.invitationTries) {
    self.key = key
    self.expires = expires
    self.triesLeft = triesLeft
  }

  /// Whether a code may be tried now.
  package func isOpen(at now: Instant) -> Bool { now < expires && triesLeft > 0 }
}

// The invitation of this device. The runner checks codes, as part of the encryption of a connection; the engine counts.
extension Engine {
  mutating func open(_ invitation: Invitation, _ effects: inout Effects) {
    self.invitation = invitation
    effects.durable.invitation = .open(invitation)
  }

  /// Somebody tried another code.
  mutating func countWrongCode(_ effects: inout Effects) {
    guard var invitation else { return }
    invitation.triesLeft -= 1
    effects.notices.append(.wrongCode(triesLeft: invitation.triesLeft))
    if invitation.triesLeft > 0 { open(invitation, &effects) } else { closeInvitation(&effects) }
  }

  /// Ends the invitation: it was used, or tried too often.
  mutating func closeInvitation(_ effects: inout Effects) {
    self.invitation = nil
    effects.durable.invitation = .closed
  }
}

/// What becomes of the invitation on the disk.
package enum InvitationChange: Hashable, Sendable {
  case open(Invitation)
  case closed
}

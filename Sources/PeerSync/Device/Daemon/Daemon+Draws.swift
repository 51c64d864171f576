// What a daemon draws at random for the requests of its user: the engine draws nothing.
extension Daemon {
  /// What the store of this device will call a purchase.
  nonisolated func drawTransactionId() -> UInt64 {
    .random(in: 2_000_000_000_000_000...UInt64(Int64.max))
  }

  /// The name of a spend to which its user gives none.
  nonisolated func drawSpendId() -> String { "\(ReplicaID.random())" }

  /// The code of an invitation.
  nonisolated func drawInvitationCode() -> InvitationCode {
    var generator = SystemRandomNumberGenerator()
    return InvitationCode(using: &generator)
  }
}

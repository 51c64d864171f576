/// Rights to credits, as this device deals in them: it spends what it holds, asks peers for what it lacks, gives what it can spare, and
/// takes over what nobody can use.
///
/// What everybody holds is written in registers, and read from the ledger. Here is only what waits: spends that peers were asked for, takings
/// that a person has asked for, and the moment at which rights are rebalanced.
package struct Escrow: Sendable {
  /// Spends that wait for rights of peers.
  package internal(set) var pending: [PendingSpend] = []
  /// Takings that a person has asked for, and that wait for sessions to be begun anew.
  package internal(set) var reclaiming: [PendingReclaim] = []
  /// When rights are rebalanced with peers in sync, on the monotonic clock.
  var rebalanceDue: UInt64?

  package init() {}

  /// When something has to happen, on the monotonic clock; nil: nothing waits for time.
  package var deadline: UInt64? {
    (pending.map(\.deadline) + reclaiming.map(\.deadline) + [rebalanceDue].compactMap(\.self)).min()
  }
}

extension Holdings {
  /// The holder of rights that this device is.
  package var holder: CreditHolder { CreditHolder(replica.id) }
}

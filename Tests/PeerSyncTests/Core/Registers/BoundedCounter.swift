import PeerSyncCore

/// A credit that replicas spend apart from each other without ever spending too much: an escrow counter (O'Neil, *The
/// Escrow Transactional Method*, 1986; Balegas et al., *Extending Eventually Consistent Cloud Databases for Enforcing
/// Numeric Invariants*, 2015).
///
/// Each replica holds rights, and spends or gives away only what it holds:
///
///     rights(i) = bought at i + moved to i - moved from i - spent at i
///
/// The numbers in it have one writer each (a move is written by the replica that gives) and only grow, so merging
/// takes the maximum. The replica that acts must know its own numbers, which it does: it wrote them. What it does not
/// know of others can only add to its rights.
///
/// The rights of *another* replica are an estimate: its spending may have arrived before the move that paid for it, and
/// they look negative until that comes too.
struct BoundedCounter: Mergeable, Hashable {
  /// Who gave rights to whom.
  struct Move: Hashable, Comparable, Sendable {
    /// The replica that gives, and writes this number.
    let giver: ReplicaID
    /// The replica that receives.
    let receiver: ReplicaID

    /// Names a move.
    init(from giver: ReplicaID, to receiver: ReplicaID) {
      self.giver = giver
      self.receiver = receiver
    }

    /// By giver, then by receiver.
    static func < (left: Move, right: Move) -> Bool {
      (left.giver, left.receiver) < (right.giver, right.receiver)
    }
  }

  /// What each replica bought, ever.
  var bought = GrowOnlyMap<ReplicaID, Maximum>()
  /// What each replica spent, ever.
  var spent = GrowOnlyMap<ReplicaID, Maximum>()
  /// What each replica gave to each other, ever.
  var moved = GrowOnlyMap<Move, Maximum>()

  /// The counter on which nothing was bought.
  init() {}

  /// What a replica may spend or give away.
  func rights(of replica: ReplicaID) -> Int64 {
    var rights = Int128(bought[replica]?.value ?? 0) - Int128(spent[replica]?.value ?? 0)
    for move in moved.entries {
      if move.key.giver == replica { rights -= Int128(move.value.value) }
      if move.key.receiver == replica { rights += Int128(move.value.value) }
    }
    return Int64(clamping: rights)
  }

  /// What is left on all replicas together.
  var balance: Int64 {
    // Rows of other replicas are any 64-bit numbers: 128 bits hold the sum of more rows than memory does.
    let bought = self.bought.entries.reduce(Int128(0)) { $0 + Int128($1.value.value) }
    let spent = self.spent.entries.reduce(Int128(0)) { $0 + Int128($1.value.value) }
    return Int64(clamping: bought - spent)
  }

  /// Buys: the rights are issued on the replica where the purchase was made.
  ///
  /// - Throws: ``CounterError/overflow``
  mutating func buy(_ amount: UInt64, on replica: ReplicaID) throws(CounterError) {
    try bought.add(amount, at: replica)
  }

  /// Spends, within the rights of the replica.
  ///
  /// - Throws: ``CounterError``; nothing is spent then.
  mutating func spend(_ amount: UInt64, on replica: ReplicaID) throws(CounterError) {
    try requireRights(amount, of: replica)
    try spent.add(amount, at: replica)
  }

  /// Gives rights to another replica, within those of the giver.
  ///
  /// - Throws: ``CounterError``; nothing is moved then.
  mutating func move(
    _ amount: UInt64, from giver: ReplicaID, to receiver: ReplicaID
  ) throws(CounterError) {
    try requireRights(amount, of: giver)
    guard giver != receiver else { return }
    try moved.add(amount, at: Move(from: giver, to: receiver))
  }

  /// Takes the maximum of every number.
  mutating func merge(_ other: BoundedCounter) {
    bought.merge(other.bought)
    spent.merge(other.spent)
    moved.merge(other.moved)
  }

  private func requireRights(_ amount: UInt64, of replica: ReplicaID) throws(CounterError) {
    let rights = rights(of: replica)
    guard rights >= 0, amount <= UInt64(rights) else { throw .notEnough(rights: rights) }
  }
}

/// Why a ``BoundedCounter`` did not change.
enum CounterError: Error, Hashable, Sendable {
  /// The replica holds only this much (a debt when negative): others may hold the rest.
  case notEnough(rights: Int64)
  /// A number would no longer fit 64 bits.
  case overflow
}

extension GrowOnlyMap where Value == Maximum {
  fileprivate mutating func add(_ amount: UInt64, at key: Key) throws(CounterError) {
    guard amount > 0 else { return }
    let (sum, overflow) = (self[key]?.value ?? 0).addingReportingOverflow(amount)
    guard !overflow else { throw .overflow }
    merge(Maximum(sum), at: key)
  }
}

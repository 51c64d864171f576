/// A credit that devices spend apart from each other without ever spending too much: an escrow counter (O'Neil, *The
/// Escrow Transactional Method*, 1986; Balegas et al., *Extending Eventually Consistent Cloud Databases for Enforcing
/// Numeric Invariants*, 2015).
///
/// Each device holds rights, and spends or gives away only what it holds:
///
///     rights(i) = bought at i + moved to i - moved from i - spent at i
///
/// The numbers in it have one writer each (a move is written by the device that gives) and only grow, so merging
/// takes the maximum. The device that acts must know its own numbers, which it does: it wrote them. What it does not
/// know of others can only add to its rights.
///
/// The rights of *another* device are an estimate: its spending may have arrived before the move that paid for it, and
/// they look negative until that comes too.
public struct BoundedCounter: Mergeable, Hashable {
  /// Who gave rights to whom.
  public struct Move: Hashable, Comparable, Sendable {
    /// The device that gives, and writes this number.
    public let giver: DeviceID
    /// The device that receives.
    public let receiver: DeviceID

    /// Names a move.
    public init(from giver: DeviceID, to receiver: DeviceID) {
      self.giver = giver
      self.receiver = receiver
    }

    /// By giver, then by receiver.
    public static func < (left: Move, right: Move) -> Bool {
      (left.giver, left.receiver) < (right.giver, right.receiver)
    }
  }

  /// What each device bought, ever.
  public internal(set) var bought = GrowOnlyMap<DeviceID, Maximum>()
  /// What each device spent, ever.
  public internal(set) var spent = GrowOnlyMap<DeviceID, Maximum>()
  /// What each device gave to each other, ever.
  public internal(set) var moved = GrowOnlyMap<Move, Maximum>()

  /// The counter on which nothing was bought.
  public init() {}

  /// What a device may spend or give away.
  public func rights(of device: DeviceID) -> Int64 {
    var rights = Int128(bought[device]?.value ?? 0) - Int128(spent[device]?.value ?? 0)
    for move in moved.entries {
      if move.key.giver == device { rights -= Int128(move.value.value) }
      if move.key.receiver == device { rights += Int128(move.value.value) }
    }
    return Int64(clamping: rights)
  }

  /// What is left on all devices together.
  public var balance: Int64 {
    // Rows of other devices are any 64-bit numbers: 128 bits hold the sum of more rows than memory does.
    let bought = self.bought.entries.reduce(Int128(0)) { $0 + Int128($1.value.value) }
    let spent = self.spent.entries.reduce(Int128(0)) { $0 + Int128($1.value.value) }
    return Int64(clamping: bought - spent)
  }

  /// Buys: the rights are born on the device where the purchase was made.
  ///
  /// - Throws: ``CounterError/overflow``
  public mutating func buy(_ amount: UInt64, on device: DeviceID) throws(CounterError) {
    try bought.add(amount, at: device)
  }

  /// Spends, within the rights of the device.
  ///
  /// - Throws: ``CounterError``; nothing is spent then.
  public mutating func spend(_ amount: UInt64, on device: DeviceID) throws(CounterError) {
    try requireRights(amount, of: device)
    try spent.add(amount, at: device)
  }

  /// Gives rights to another device, within those of the giver.
  ///
  /// - Throws: ``CounterError``; nothing is moved then.
  public mutating func move(
    _ amount: UInt64, from giver: DeviceID, to receiver: DeviceID
  ) throws(CounterError) {
    try requireRights(amount, of: giver)
    guard giver != receiver else { return }
    try moved.add(amount, at: Move(from: giver, to: receiver))
  }

  /// Takes the maximum of every number.
  public mutating func merge(_ other: BoundedCounter) {
    bought.merge(other.bought)
    spent.merge(other.spent)
    moved.merge(other.moved)
  }

  private func requireRights(_ amount: UInt64, of device: DeviceID) throws(CounterError) {
    let rights = rights(of: device)
    guard rights >= 0, amount <= UInt64(rights) else { throw .notEnough(rights: rights) }
  }
}

/// Why a ``BoundedCounter`` did not change.
public enum CounterError: Error, Hashable, Sendable {
  /// The device holds only this much (a debt when negative): others may hold the rest.
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

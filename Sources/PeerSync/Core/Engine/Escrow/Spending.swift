/// Credits that a device's user or app wants to use up.
public struct Spending: Hashable, Sendable {
  package let credit: String
  /// How many, 1 to ``Limits/creditTotal``.
  package let amount: Int64
  /// Names it: asked for again it changes nothing.
  package let id: String

  /// Makes a spend.
  public init(credit: String, amount: Int64, id: String) {
    self.credit = credit
    self.amount = amount
    self.id = id
  }
}

/// Credits that were used up.
public struct Spent: Hashable, Sendable {
  /// What names the spend.
  public let id: String
  /// How many were spent.
  public let amount: Int64
  /// What is left on all devices, as far as this one knows; at least 0.
  public let balance: Int64
  /// Whether it had been spent under that id before: nothing has changed.
  public let isRepeated: Bool

  package init(id: String, amount: Int64, balance: Int64, isRepeated: Bool = false) {
    self.isRepeated = isRepeated
    self.id = id
    self.amount = amount
    self.balance = balance
  }
}

/// Why a device could not spend: who holds what.
public struct Shortage: Hashable, Sendable {
  /// What is left on all devices, as far as this one knows; less than nothing is a debt.
  public let balance: Int64
  /// What this device may spend.
  public let available: Int64
  /// Who else holds rights, the most first.
  package let others: [RightsHeld]

  package init(balance: Int64, available: Int64, others: [RightsHeld]) {
    self.balance = balance
    self.available = available
    self.others = others
  }
}

/// Rights to a credit, and who holds them.
package struct RightsHeld: Hashable, Sendable {
  package enum Holder: Hashable, Sendable {
    /// This device.
    case itself
    /// An earlier incarnation of this device: before its data directory was copied or set back.
    case earlierLife
    /// A member, or an earlier incarnation of it.
    case member(DeviceID, name: String, isConnected: Bool)
    /// A device that was removed.
    case removed(DeviceID, name: String)
    /// Nobody yet: the purchase does not say where it was made.
    case nobody
    /// A device that is not known here.
    case unknown
  }

  package let holder: Holder
  package let rights: Int64

  package init(holder: Holder, rights: Int64) {
    self.holder = holder
    self.rights = rights
  }
}

/// A spend that waits for what peers answer.
package struct PendingSpend: Sendable {
  let request: RequestID
  let spending: Spending
  /// When it is refused, on the monotonic clock.
  let deadline: UInt64
  /// Who was asked.
  var asked: [ReplicaID: Asked] = [:]

  enum Asked: Hashable, Sendable {
    /// No answer yet. So much it had given in all when it was asked.
    case waiting(given: Int64)
    /// It says it has given so much in all, more than before: it may have more.
    case gave(Int64)
    case gaveNothing
  }
}

/// A taking that a person has asked for, and that waits for sessions to be begun anew.
package struct PendingReclaim: Sendable {
  let request: RequestID
  let credit: String
  /// Whether it takes from devices that are lost.
  let isLost: Bool
  /// When it is refused, on the monotonic clock.
  let deadline: UInt64
}

extension RightsHeld {
  /// Whether a device holds them that was removed.
  package var isOfRemoved: Bool { if case .removed = holder { true } else { false } }
}

extension RightsHeld: CustomStringConvertible {
  /// Who holds how many, and whether that helps now.
  package var description: String {
    guard case .member(_, _, isConnected: false) = holder else { return words }
    return words + " and is not connected"
  }

  /// Who holds how many, in a few words.
  package var words: String {
    switch holder {
    case .itself: "this device holds \(rights)"
    case .earlierLife: "an earlier life of this device holds \(rights)"
    case .member(_, let name, _): "\(name) holds \(rights)"
    case .removed(_, let name): "\(name), which was removed, held \(rights)"
    case .nobody: "nobody holds \(rights) until all devices have met or one reclaims them"
    case .unknown: "a device not known here holds \(rights)"
    }
  }
}

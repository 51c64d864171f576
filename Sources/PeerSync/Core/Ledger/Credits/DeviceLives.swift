/// Which holders of credits are lives of one device: what one of them lacks the others pay first.
package struct DeviceLives: Hashable, Sendable {
  /// The holder that stands for each device: its first life of which something counts, in the order of the holders.
  private var devices: [PublicKey: CreditHolder] = [:]
  /// Whose each life is.
  private var keys: [CreditHolder: PublicKey]
  /// How senior the members are, from 0, and below 0 those who have been the most senior one before: the most senior first.
  private let ranks: [PublicKey: Int]
  private let removed: Set<PublicKey>
  /// Who was the first of the group that a device was removed from, before that came under another one: see ``Succession``.
  private let firstOfGroup: [PublicKey: [PublicKey]]
  /// Those of whom more was taken back than their removal does by itself.
  private let takenBack: Set<PublicKey>
  /// The devices that never were members, and of lives of which nothing counts numbers are named: see ``OutsideDevices``.
  private(set) var outsiders: [PublicKey: CreditHolder] = [:]

  /// Each holder is a device of its own.
  package init() { self.init([:]) }

  /// - Parameters:
  ///   - keys: the keys of the devices, by their lives
  ///   - ranks: the members, the most senior one at 0
  ///   - removed: those who were members
  ///   - succession: who takes over from them
  package init(
    _ keys: [CreditHolder: PublicKey], members ranks: [PublicKey: Int] = [:], removed: Set<PublicKey> = [],
    succession: Succession = Succession()
  ) {
    (self.keys, self.removed) = (keys, removed)
    (firstOfGroup, takenBack) = (succession.firstOfGroup, succession.takenBack)
    let former = succession.former
    let before = former.enumerated().map { ($1, $0 - former.count) }
    self.ranks = ranks.merging(before) { member, _ in member }
    for (holder, key) in keys { devices[key] = min(devices[key] ?? holder, holder) }
  }

  /// With lives of which nothing counts, and numbers are named: whose they are their signatures say.
  package func adding(named: [CreditHolder: PublicKey]) -> DeviceLives {
    var lives = self
    var others: [PublicKey: CreditHolder] = [:]
    for (holder, key) in named where keys[holder] == nil {
      lives.keys[holder] = key
      if devices[key] == nil { others[key] = min(others[key] ?? holder, holder) }
    }
    lives.outsiders = others.filter { ranks[$0.key] == nil && !removed.contains($0.key) }
    lives.devices.merge(others) { first, _ in first }
    return lives
  }

  /// The holder that stands for the device of a holder.
  func device(of holder: CreditHolder) -> CreditHolder {
    keys[holder].flatMap { devices[$0] } ?? holder
  }

  /// Whether a holder is a life of a device. Where no device is known each holder is one.
  func knows(_ holder: CreditHolder) -> Bool { keys.isEmpty || keys[holder] != nil }

  /// Whose life a holder is; nil: of none that counts or is named.
  package func key(of holder: CreditHolder) -> PublicKey? { keys[holder] }

  /// Whose life a holder is; nil: of none of the devices that never were members.
  func outsider(_ holder: CreditHolder) -> PublicKey? {
    keys[holder].flatMap { outsiders[$0] == nil ? nil : $0 }
  }

  /// Whether a holder is a life of a device that was removed with all that it had decided: somebody says that it lied.
  func isTakenBack(_ holder: CreditHolder) -> Bool { keys[holder].map(takenBack.contains) ?? false }

  /// Whether a holder is a life of the most senior member, or of one that has been that before.
  func isCustodian(_ holder: CreditHolder) -> Bool {
    keys[holder].flatMap { ranks[$0] }.map { $0 <= 0 } ?? false
  }

  /// The same for what another one held: whoever was the first of a group that has come under another one took over before. The first of any
  /// such group may have taken over what devices held that nobody knows.
  func isCustodian(_ holder: CreditHolder, of gone: CreditHolder) -> Bool {
    rank(of: holder, from: gone) <= 0
      || !hasBelonged(gone)
        && (keys[holder].map { key in firstOfGroup.values.contains { $0.contains(key) } } ?? false)
  }

  /// Whether a holder is nobody, or a life of a device that is or was a member.
  func hasBelonged(_ holder: CreditHolder) -> Bool {
    holder == .nobody || keys[holder].map { ranks[$0] != nil || removed.contains($0) } ?? false
  }

  /// Whether a holder is a life of a member.
  func isMember(_ holder: CreditHolder) -> Bool {
    keys[holder].flatMap { ranks[$0] }.map { $0 >= 0 } ?? false
  }

  /// How senior a device is to others that took over from the same one: the first member is 0, those who were it before come before it, and
  /// who else is no member comes last. Before them all come those who were the first of the group when that one was removed from it, and
  /// whose group has come under another one since.
  func rank(of holder: CreditHolder, from gone: CreditHolder) -> Int {
    guard let key = keys[holder] else { return .max }
    let first = keys[gone].flatMap { firstOfGroup[$0]?.firstIndex(of: key) }
    return first.map { Int.min + $0 } ?? ranks[key] ?? .max
  }
}

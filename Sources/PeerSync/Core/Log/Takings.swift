/// From whom rights to credits may be taken over: from nobody, from devices that a removal names, and by a device from its own
/// lives. What else says that somebody has taken something moves nothing [F59]. A spend of a life none but a life of the same
/// device can name; how much it had spent, given and taken in all, whoever saw it void when the device was removed.
///
/// The one exception: a person says that a device is lost which nobody had met, or which is out with the device that let it in. Should it
/// turn up and write to the group, this moves nothing any more: a member would otherwise take from whoever is junior to it without removing
/// anybody.
package struct Takings: Hashable, Sendable {
  /// Whose each replica is, as far as it is known.
  private let devices: [ReplicaID: PublicKey]
  private let holders: [CreditHolder: ReplicaID]
  /// Which of them are lives of one device, of those of which something counts: devices in sync know the same.
  package let lives: DeviceLives
  private let removed: Set<PublicKey>
  /// How far those are known of which something counts.
  private let claimed: VersionVector
  /// The members by seniority.
  private let ranks: [PublicKey: Int]

  /// - Parameters:
  ///   - known: every replica that was met
  ///   - claimed: how far those are known of which something counts
  ///   - members: by seniority
  package init(
    _ known: [(ReplicaID, PublicKey)], claimed: VersionVector, members: [PublicKey],
    removed: Set<PublicKey>
  ) {
    devices = Dictionary(known) { first, _ in first }
    holders = Dictionary(known.map { (CreditHolder($0.0), $0.0) }) { first, _ in first }
    let lives = known.filter { claimed[$0.0] > 0 }.map { (CreditHolder($0.0), $0.1) }
    self.lives = DeviceLives(Dictionary(lives) { first, _ in first })
    self.removed = removed
    self.claimed = claimed
    ranks = Dictionary(members.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
  }

  func allow(_ taking: RegisterKey.Taking) -> Bool {
    let (from, taker) = (taking.from, taking.by)
    if let namer = taking.namer, !allowsNaming(taker, by: namer) { return false }
    switch taking.reason {
    case .lost: return CreditHolder(from) != .nobody && allowsLost(CreditHolder(from), by: taker)
    case .left where CreditHolder(from) == .nobody: return true
    case .named: return allowsNaming(from, by: taker)
    case .left:
      // Of a life of which nothing counts others may never hear whose it was.
      guard claimed[from] > 0, let key = devices[from] else { return false }
      return devices[taker] == key || removed.contains(key)
    case .carried:
      guard let key = devices[from] else { return false }
      return devices[taker] == key
    }
  }

  /// Whether one replica may say what another one had stated. Of a life of which nothing counts others may never hear whose it was:
  /// whoever names it may just as well take over from it, as from one that is lost.
  private func allowsNaming(_ replica: ReplicaID, by namer: ReplicaID) -> Bool {
    // What is named of one replica moves what all hold that are the same holder.
    let holder = CreditHolder(replica)
    guard holder != .nobody else { return false }
    guard let known = holders[holder] else { return true }
    guard known == replica, let key = devices[known] else { return false }
    return devices[namer] == key || removed.contains(key) || claimed[known] == 0 && ranks[key] == nil
  }

  private func allowsLost(_ holder: CreditHolder, by taker: ReplicaID) -> Bool {
    // A device may take over from a life of its own that others have not heard of.
    guard let replica = holders[holder], let key = devices[replica], !removed.contains(key),
      devices[taker] != key
    else { return true }
    guard claimed[replica] == 0 else { return false }
    // It is out with the device that let it in; or it is a member, and has yet to write.
    guard let junior = ranks[key] else { return true }
    guard let senior = devices[taker].flatMap({ ranks[$0] }) else { return false }
    return senior < junior
  }
}

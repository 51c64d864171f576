/// From whom rights to credits may be taken over: from nobody, by the most senior member from devices that a removal names, and by a device
/// from its own lives. What else says that somebody has taken something moves nothing [F59]. A spend of a life none but a life of the same
/// device can name; how much it had spent, given and taken in all, whoever saw it void, by the device's own signature.
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
  /// The replicas of which there is evidence of a fork, and whose they are.
  private let forked: Set<ReplicaID>
  private let forkedKeys: Set<PublicKey>
  /// How far those are known of which something counts.
  private let claimed: VersionVector
  /// The members by seniority.
  private let ranks: [PublicKey: Int]
  /// Those that are senior to every member, and have been the most senior one.
  private let former: Set<PublicKey>
  /// Who let each device in.
  private let hosts: [PublicKey: PublicKey]

  /// - Parameters:
  ///   - known: every replica that was met
  ///   - claimed: how far those are known of which something counts
  ///   - members: by seniority
  ///   - forked: the replicas of which there is evidence of a fork
  ///   - former: those of the removed that are senior to every member
  ///   - hosts: who let each device in, by its key
  package init(
    _ known: [(ReplicaID, PublicKey)], claimed: VersionVector, members: [PublicKey],
    removed: Set<PublicKey>, forked: [ReplicaID] = [], former: Set<PublicKey> = [],
    hosts: [PublicKey: PublicKey] = [:]
  ) {
    devices = Dictionary(known) { first, _ in first }
    holders = Dictionary(known.map { (CreditHolder($0.0), $0.0) }) { first, _ in first }
    let lives = known.filter { claimed[$0.0] > 0 }.map { (CreditHolder($0.0), $0.1) }
    self.removed = removed
    (self.former, self.hosts) = (former, hosts)
    let ranks = Dictionary(members.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    self.ranks = ranks
    // Of who is neither a member nor was removed, nobody is shown evidence any more: some have it, and others never will.
    self.forked = Set(
      forked.filter { [devices] in devices[$0].map { ranks[$0] != nil || removed.contains($0) } ?? false })
    forkedKeys = Set(self.forked.compactMap { [devices] in devices[$0] })
    self.claimed = claimed
    self.lives = DeviceLives(
      Dictionary(lives) { first, _ in first }, members: ranks, removed: removed, former: former)
  }

  func allow(_ taking: RegisterKey.Taking) -> Bool {
    let from = taking.from
    // Whose a life is that is named, its signature says: others may never have met it.
    let taker = taking.namer == nil ? devices[taking.by] : taking.signer
    if taking.namer != nil, !allowsNaming(taking.by, shownIn: taking) { return false }
    switch taking.reason {
    case .lost: return CreditHolder(from) != .nobody && allowsLost(CreditHolder(from), by: taker)
    case .left where CreditHolder(from) == .nobody: return true
    case .named where taking.signer != nil: return allowsNaming(from, shownIn: taking)
    case .named, .carried: return isLife(from, of: taker)
    case .left:
      // What is taken moves what all ids hold that are the same holder. Of a life of which nothing counts others may never hear whose it was.
      // The custodian may have taken over from it while something did, and the device is out by now with the one that let it in.
      let life = holders[CreditHolder(from)] ?? from
      guard claimed[life] > 0, let key = devices[life] else { return taker.map(isCustodian) ?? false }
      return taker == key || removed.contains(key) && taker.map { isCustodian($0, of: key) } ?? false
    }
  }

  /// Whether a device is the most senior member, or has been it, and is senior to all members.
  private func isCustodian(_ key: PublicKey) -> Bool { ranks[key] == 0 || former.contains(key) }

  /// Whether a device is the most senior member, or may have been when it took over from a removed one: none of the members is
  /// senior to it, or it let that one in, or the one that did. Its group may have come under another one since.
  private func isCustodian(_ key: PublicKey, of removed: PublicKey) -> Bool {
    if isCustodian(key) { return true }
    var host = hosts[removed]
    for _ in 0..<hosts.count {
      guard let current = host, current != key else { break }
      host = hosts[current]
    }
    return host == key
  }

  /// Whether a replica is known to all as a device's: something of it counts, or there is evidence that it was forked.
  private func isLife(_ replica: ReplicaID, of key: PublicKey?) -> Bool {
    guard let key, claimed[replica] > 0 || forked.contains(replica) else { return false }
    return devices[replica] == key
  }

  /// Whether it counts that a replica had stated what somebody has signed who is no member, or has equivocated: what a member states
  /// stands in its own registers. Of a life of which nothing counts others may never hear whose it was: the signature in that life says so,
  /// and none in another.
  private func allowsNaming(_ replica: ReplicaID, shownIn taking: RegisterKey.Taking) -> Bool {
    // What is named of one replica moves what all hold that are the same holder.
    let holder = CreditHolder(replica)
    guard holder != .nobody, let signer = taking.signer, ranks[signer] == nil || forkedKeys.contains(signer)
    else { return false }
    guard !taking.isCarried else { return isLife(replica, of: signer) }
    return holders[holder].map { $0 == replica && devices[$0] == signer } ?? true
  }

  private func allowsLost(_ holder: CreditHolder, by taker: PublicKey?) -> Bool {
    // A device may take over from a life of its own that others have not heard of.
    guard let replica = holders[holder], let key = devices[replica], taker != key else { return true }
    guard claimed[replica] == 0 else { return false }
    // It was removed, or is out with the device that let it in; or it is a member, and has yet to write.
    guard !removed.contains(key), let junior = ranks[key] else { return true }
    guard let senior = taker.flatMap({ ranks[$0] }) else { return false }
    return senior < junior
  }
}

/// From whom rights to credits may be taken over: from nobody, by the most senior member from devices that a removal names, and by a device
/// from its own lives. What else says that somebody has taken something moves nothing [F59]. A spend of a life none but a life of the same
/// device can name; how much it had spent, given and taken in all, whoever saw it void, by the device's own signature.
///
/// The one exception is what is lost: a life of which devices in sync know nothing, for nobody had met it, or its device is out with the one
/// that let it in. From those anybody takes. Should it turn up and write to the group, this moves nothing any more.
///
/// All of it goes by what devices in sync know alike. That one of them has met a life says nothing: a member may have shown it to that one alone.
package struct Takings: Hashable, Sendable {
  /// Whose the replicas are that are known to all, and those of which there is evidence of a fork.
  private let devices: [ReplicaID: PublicKey]
  /// Those that are known to all.
  private let holders: [CreditHolder: ReplicaID]
  /// Which of them are lives of one device.
  package let lives: DeviceLives
  private let removed: Set<PublicKey>
  /// Whose the replicas are of which there is evidence of a fork.
  private let forked: Set<PublicKey>
  /// The members by seniority.
  private let ranks: [PublicKey: Int]
  private let succession: Succession

  /// - Parameters:
  ///   - met: every replica that was met, and whose it is
  ///   - shared: those that everybody knows who is in sync: they are claimed, or have registers of their own
  ///   - members: by seniority
  ///   - forked: the replicas of which there is evidence of a fork
  ///   - succession: who takes over from the removed
  package init(
    _ met: [(ReplicaID, PublicKey)], shared: Set<ReplicaID>, members: [PublicKey],
    removed: Set<PublicKey>, forked: [ReplicaID] = [], succession: Succession = Succession()
  ) {
    let ranks = Dictionary(members.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    (self.removed, self.ranks, self.succession) = (removed, ranks, succession)
    let forked = Set(forked)
    // Of who is neither a member nor was removed, nobody is shown evidence any more: some have it, and others never will.
    let isShown = { (life: ReplicaID, key: PublicKey) in
      forked.contains(life) && (ranks[key] != nil || removed.contains(key))
    }
    self.forked = Set(met.filter(isShown).map(\.1))
    let known = met.filter { shared.contains($0.0) }
    // Evidence of a fork may be forgotten here and not there: by it a device names what it had spent, and nobody is told from the lost.
    devices = Dictionary(known + met.filter(isShown)) { first, _ in first }
    holders = Dictionary(known.map { (CreditHolder($0.0), $0.0) }) { first, _ in first }
    let keys = Dictionary(known.map { (CreditHolder($0.0), $0.1) }) { first, _ in first }
    lives = DeviceLives(keys, members: ranks, removed: removed, succession: succession)
  }

  /// Whether a taking that counts is from somebody who is lost, whatever it says.
  package func isFromLost(_ taking: RegisterKey.Taking) -> Bool {
    guard taking.reason == .left || taking.reason == .lost else { return false }
    return CreditHolder(taking.from) != .nobody && holders[CreditHolder(taking.from)] == nil
  }

  /// Whether a taking is from a life of a member that is known to all.
  func isFromMember(_ taking: RegisterKey.Taking) -> Bool {
    holders[CreditHolder(taking.from)].flatMap { devices[$0] }.map { ranks[$0] != nil } ?? false
  }

  func allow(_ taking: RegisterKey.Taking) -> Bool {
    // Whose a life is that is named, its signature says: others may never have met it.
    let taker = taking.namer == nil ? devices[taking.by] : taking.signer
    if taking.namer != nil, !allowsNaming(taking.by, shownIn: taking) { return false }
    // What is taken moves what all ids hold that are the same holder.
    let holder = CreditHolder(taking.from)
    switch taking.reason {
    case .left where holder == .nobody: return true
    case .named where taking.signer != nil: return allowsNaming(taking.from, shownIn: taking)
    case .named, .carried: return isLife(taking.from, of: taker)
    case .left, .lost:
      guard holder != .nobody else { return false }
      guard let key = holders[holder].flatMap({ devices[$0] }), key != taker else { return true }
      return taking.reason == .left && removed.contains(key)
        && taker.map { succession.isCustodian($0, isSenior: ranks[$0] == 0, of: key) } ?? false
    }
  }

  private func isLife(_ replica: ReplicaID, of key: PublicKey?) -> Bool {
    key != nil && devices[replica] == key
  }

  /// Whether it counts that a replica had stated what somebody has signed who is no member, or has equivocated: what a member states
  /// stands in its own registers. Of a life that not everybody knows the signature in that life says whose it is, and none in another.
  private func allowsNaming(_ replica: ReplicaID, shownIn taking: RegisterKey.Taking) -> Bool {
    // What is named of one replica moves what all hold that are the same holder.
    let holder = CreditHolder(replica)
    guard holder != .nobody, let signer = taking.signer, ranks[signer] == nil || forked.contains(signer)
    else { return false }
    guard !taking.isCarried else { return isLife(replica, of: signer) }
    return holders[holder].map { $0 == replica && devices[$0] == signer } ?? true
  }
}

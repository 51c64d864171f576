/// Which writes of what devices decide count on this device. Those that do not stay in their registers all the same: they are
/// told to others, and count once nothing stands against them any more.
package struct Counting: Hashable, Sendable {
  /// The replicas of this device, the one that it writes under first. What it decides counts for itself whatever the stamp is.
  package let own: [ReplicaID]
  /// The latest stamp that a clock may have given.
  package let ceiling: Stamp
  /// Of devices that were removed with some of what they had decided: the last decision of each replica that counts.
  package let last: [ReplicaID: UInt64]

  /// From whom rights to credits may be taken over; nil: no register is about credits.
  package let takings: Takings?

  package init(
    own: [ReplicaID], ceiling: Stamp, last: [ReplicaID: UInt64] = [:], takings: Takings? = nil
  ) {
    self.takings = takings
    self.own = own
    self.ceiling = ceiling
    self.last = last
  }

  /// Whether a decision counts. What an earlier life of this device has stamped too far ahead does until this one has decided
  /// the same anew.
  ///
  /// - Parameter isDecidedAnew: whether a register of this device's present life holds something
  package func includes(_ write: borrowing WriteView, isDecidedAnew: (RegisterID) -> Bool) -> Bool {
    if !last.isEmpty, let last = last[write.replica], write.sequence > last { return false }
    if write.stamp <= ceiling { return true }
    guard let place = own.firstIndex(of: write.replica) else { return false }
    return place == 0 || !isDecidedAnew(RegisterID(key: Array(write.key), author: own[0]))
  }
}

/// From whom rights to credits may be taken over: from nobody, from devices that a removal names, and by a device from its own
/// lives. What else says that somebody has taken something moves nothing [F59]. What a life had spent, none but a life of the same
/// device can name.
///
/// The one exception: a person says that a device which nobody had met is lost. Should it turn up, this stands as long as whoever took
/// over is senior to it: that one could remove it as well, and take over what it holds.
package struct Takings: Hashable, Sendable {
  /// Whose each replica is, as far as it is known.
  private let devices: [ReplicaID: PublicKey]
  private let holders: [CreditHolder: PublicKey]
  /// Which of them are lives of one device, of those of which something counts: devices in sync know the same.
  package let lives: DeviceLives
  private let removed: Set<PublicKey>
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
    holders = Dictionary(known.map { (CreditHolder($0.0), $0.1) }) { first, _ in first }
    let lives = known.filter { claimed[$0.0] > 0 }.map { (CreditHolder($0.0), $0.1) }
    self.lives = DeviceLives(Dictionary(lives) { first, _ in first })
    self.removed = removed
    ranks = Dictionary(members.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
  }

  func allow(_ taking: RegisterKey.Taking) -> Bool {
    let (from, taker) = (taking.from, taking.by)
    switch taking.reason {
    case .lost: return CreditHolder(from) != .nobody && allowsLost(CreditHolder(from), by: taker)
    case .left where CreditHolder(from) == .nobody: return true
    case .left, .carried:
      guard let key = devices[from] else { return false }
      return devices[taker] == key || taking.reason == .left && removed.contains(key)
    }
  }

  private func allowsLost(_ holder: CreditHolder, by taker: ReplicaID) -> Bool {
    // A device may take over from a life of its own that others have not heard of.
    guard let key = holders[holder], !removed.contains(key), devices[taker] != key else { return true }
    guard let senior = devices[taker].flatMap({ ranks[$0] }), let junior = ranks[key] else { return false }
    return senior < junior
  }
}

extension Counting {
  /// Whether a register that no device decides counts: of a taking or a carried spend, whether it moves anything.
  package func includes(undecided key: UnsafeRawBufferPointer) -> Bool {
    guard let takings, let taking = RegisterKey.taking(key) else { return true }
    return takings.allow(taking)
  }
}

extension RegisterMap {
  /// What counts under a key: the greatest of what its authors have decided. Nil when nothing does.
  ///
  /// - Parameter isRead: whether a write makes sense to the caller; others are passed over
  package func standing(
    under key: [UInt8], _ counting: Counting, where isRead: (borrowing WriteView) -> Bool = { _ in true }
  ) -> Write? {
    var standing: Write?
    forEach(under: key) { write in
      let isGreater =
        standing.map { held in held.withView { DecisionRank($0) < DecisionRank(write) } } ?? true
      guard isGreater, counting.includes(write, isDecidedAnew: { self[$0] != nil }), isRead(write) else {
        return
      }
      standing = Write(write)
    }
    return standing
  }
}

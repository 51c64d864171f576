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

extension Counting {
  /// Whether a decision counts as far as removals are concerned, whatever its stamp is.
  func includes(decided dot: Dot) -> Bool { dot.sequence <= last[dot.replica] ?? .max }

  /// Whether a register that no device decides counts: of a taking or a carried spend, whether it moves anything.
  package func includes(undecided write: borrowing WriteView) -> Bool {
    guard let takings, let taking = RegisterKey.taking(write) else { return true }
    return takings.allow(taking)
  }

  /// Which holders of credits are lives of one device, by what is known and by what is named among writes that count.
  package func lives(naming writes: [Write]) -> DeviceLives {
    guard let takings else { return DeviceLives() }
    let named = writes.compactMap { $0.withView { RegisterKey.taking($0)?.named } }
    return takings.lives.adding(named: Dictionary(named.map { ($0.life, $0.key) }) { first, _ in first })
  }
}

extension RegisterMap {
  /// What counts under a key: the greatest of what its authors have decided. Nil when nothing does.
  ///
  /// - Parameter isRead: whether a write makes sense to the caller; others are passed over
  package func standing(
    under key: [UInt8], _ counting: Counting, where isRead: (borrowing WriteView) -> Bool = { _ in true }
  ) -> Write? {
    let others = StatedVersions(products(under: key, counting))
    var standing: (rank: DecisionRank, write: Write)?
    forEach(under: key) { write in
      let rank = DecisionRank(write).settled(among: others)
      guard standing.map({ $0.rank < rank }) ?? true,
        counting.includes(write, isDecidedAnew: { self[$0] != nil }), isRead(write)
      else { return }
      standing = (rank, Write(write))
    }
    return standing?.write
  }

  /// The entries of a product that can be read and count; none of anything else.
  private func products(under key: [UInt8], _ counting: Counting) -> [DecisionRank] {
    guard key.first == RegisterKind.product.rawValue else { return [] }
    var ranks: [DecisionRank] = []
    forEach(under: key) { write in
      if counting.includes(write, isDecidedAnew: { self[$0] != nil }),
        (try? Product(decoding: Array(write.value)[...])) != nil
      {
        ranks.append(DecisionRank(write))
      }
    }
    return ranks
  }
}

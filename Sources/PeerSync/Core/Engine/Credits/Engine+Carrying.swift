// What a device had spent in a life whose writes were cut. The numbers of that life are void, with whatever they had replaced;
// but the credits were used up. So the device names in its new life the spends of the old one beyond the cut: those of its own
// disk, and what peers bring back of what it has forgotten [F66].
extension Engine {
  /// A spend of a life.
  struct LifeSpend {
    let credit: String
    let life: ReplicaID
    let spend: CreditSpend
    /// How much the life had spent with it.
    let total: Int64
  }

  /// The spend that a register remembers or names; nil for any other register.
  func spend(of write: Write) -> LifeSpend? {
    guard let key = try? RegisterKey(decoding: write.key[...]),
      let total = Int64(exactly: write.stamp.rawValue),
      total <= Limits.creditTotal, let entry = try? CreditEntry(key, value: write.value[...])
    else { return nil }
    switch (key, entry) {
    case (.creditSpend(let credit, let life, _), .spend(_, _, let spend)) where spend.amount <= total:
      return LifeSpend(credit: credit, life: life, spend: spend, total: total)
    case (.creditSpendAgain(let credit, let life, _, _), .spentAgain(_, let spend, _))
    where spend.amount <= total:
      return LifeSpend(credit: credit, life: life, spend: spend, total: total)
    default: return nil
    }
  }

  /// Whether some life of a device remembers a spend, or names it.
  mutating func isCarried(_ spent: LifeSpend, by key: PublicKey) -> Bool {
    let lives = replica.replicas(of: key)
    let state = ledger { $0.state(of: spent.credit) }
    return state.isNamed(spent.spend, of: spent.life) || state.remembers(spent.spend, byOneOf: lives)
  }

  /// Names the spends among writes of earlier lives of this device that lie beyond their cuts.
  ///
  /// - Returns: how many of them no life of this device had remembered
  @discardableResult mutating func carry(_ writes: [Write], _ effects: inout Effects) -> Int {
    guard !isRemoved else { return 0 }
    var count = 0
    for spent in writes.compactMap({ spend(of: $0) }) where !isCarried(spent, by: identity.key) {
      let entry = CreditEntry.spentAgain(spent.life, spent.spend, by: replica.id)
      if write([entry], total: spent.total, of: spent.credit, &effects) { count += 1 }
    }
    return count
  }
}

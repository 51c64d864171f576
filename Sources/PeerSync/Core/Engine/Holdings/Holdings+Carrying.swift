// What a device had spent and given away in a life whose writes were cut. The numbers of that life are void, with whatever they had
// replaced; but the credits were used up, or others go on with them. So the device names in its new life the spends and gifts of
// the old one beyond the cut: those of its own disk, and what peers bring back of what it has forgotten [F66].
extension Holdings {
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

  /// What a register says that a life gave to another replica; nil for any other register.
  private func gift(of write: Write) -> (credit: String, from: ReplicaID, to: ReplicaID, total: Int64)? {
    guard let total = Int64(exactly: write.stamp.rawValue), (1...Limits.creditTotal).contains(total) else {
      return nil
    }
    switch try? RegisterKey(decoding: write.key[...]) {
    case .creditTransfer(let credit, let from, let to), .creditTransferAgain(let credit, let from, let to, _):
      return (credit, from, to, total)
    default: return nil
    }
  }

  /// Whether what a register says counts of a device, whichever of its lives says so.
  mutating func isCarried(_ write: Write, by key: PublicKey) -> Bool {
    if let spent = spend(of: write) { return isCarried(spent, by: key) }
    guard let gift = gift(of: write) else { return replica.hasAtLeast(write) }
    return ledger { $0.state(of: gift.credit) }.moved(from: gift.from, to: gift.to) >= gift.total
  }

  /// Whether some life of a device remembers a spend, or names it.
  private mutating func isCarried(_ spent: LifeSpend, by key: PublicKey) -> Bool {
    let lives = replica.replicas(of: key)
    let state = ledger { $0.state(of: spent.credit) }
    return state.isNamed(spent.spend, of: spent.life) || state.remembers(spent.spend, byOneOf: lives)
  }

  /// Names the spends and gifts among writes of earlier lives of this device that lie beyond their cuts.
  ///
  /// - Returns: how many of them did not count of any life of this device
  @discardableResult mutating func carry(_ writes: [Write], _ effects: inout Effects) -> Int {
    var count = 0
    for forgotten in writes where !isCarried(forgotten, by: key) {
      if let spent = spend(of: forgotten) {
        let spend = CreditSpend(id: spent.spend.id, amount: spent.spend.amount)
        let entry = CreditEntry.spentAgain(spent.life, spend, by: replica.id)
        if write([entry], total: spent.total, of: spent.credit, &effects) { count += 1 }
      } else if let gift = gift(of: forgotten), gift.from != replica.id {
        let entry = CreditEntry.movedAgain(from: gift.from, to: gift.to, by: replica.id)
        if write([entry], total: gift.total, of: gift.credit, &effects) { count += 1 }
      }
    }
    return count
  }
}

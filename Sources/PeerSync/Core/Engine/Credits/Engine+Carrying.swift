// What a device had spent in a life whose writes were cut. The numbers of that life are void, with whatever they had
// replaced; but the credits were used up. So the device says in its new life how much the old one had spent by its cut, and
// spends again, under the same ids, what came behind it: on its own disk, and what peers bring back of what it has
// forgotten [F66].
extension Engine {
  /// What a device does again, in a later life, of what it wrote about credits in one that was cut.
  enum CreditAgain {
    /// A spend of a life, which had spent so much with it as far as that is said.
    case spend(CreditSpend, of: ReplicaID, total: Int64)
    /// How much a life had spent by its cut.
    case carry(upTo: Dot, total: Int64)
  }

  /// What a register says of a credit that is done again; nil for any other register.
  func creditAgain(_ write: Write) -> (credit: String, again: CreditAgain)? {
    guard let key = try? RegisterKey(decoding: write.key[...]),
      let total = Int64(exactly: write.stamp.rawValue),
      (0...Limits.creditTotal).contains(total), let entry = try? CreditEntry(key, value: write.value[...])
    else { return nil }
    return switch (key, entry) {
    case (.creditSpend(let credit, let life, _), .spend(_, _, let spend)) where spend.amount <= total:
      (credit, .spend(spend, of: life, total: total))
    case (.creditSpendAgain(let credit, let life, _, _), .spentAgain(_, let spend, _)):
      (credit, .spend(spend, of: life, total: spend.amount))
    case (.creditCarry(let credit, let cut, _), _): (credit, .carry(upTo: cut, total: total))
    default: nil
    }
  }

  /// Whether some life of a device has done it.
  mutating func isDone(_ again: CreditAgain, _ credit: String, by key: PublicKey) -> Bool {
    let lives = replica.replicas(of: key)
    let state = ledger { $0.state(of: credit) }
    return switch again {
    case .spend(let spend, let life, _):
      state.isSpentAgain(spend, of: life) || state.remembers(spend, byOneOf: lives)
    case .carry(let cut, let total): state.isCarried(upTo: cut, total: total)
    }
  }

  /// Goes on from the numbers of earlier lives of this device that lie beyond their cuts.
  mutating func carry(_ numbers: [Write], _ effects: inout Effects) {
    guard !isRemoved else { return }
    var standings: [Dot: [Name: Int64]] = [:]
    for write in numbers {
      guard let cut = replica.cuts[write.dot.replica], let (credit, standing) = standing(before: write) else {
        continue
      }
      let life = Dot(replica: write.dot.replica, sequence: cut)
      standings[life, default: [:]][Name(credit)] = min(standings[life]?[Name(credit)] ?? .max, standing)
    }
    for (cut, credits) in standings.sorted(by: { $0.key < $1.key }) {
      for (credit, total) in credits.sorted(by: { $0.key < $1.key }) {
        write([.carried(upTo: cut, by: replica.id)], total: total, of: credit.text, &effects)
      }
    }
    _ = doAgain(numbers, &effects)
  }

  /// How much a life had spent before a number of it changed, or with it where that is not said. The least of all beyond
  /// its cut is what it had spent by then.
  private func standing(before write: Write) -> (credit: String, total: Int64)? {
    switch try? RegisterKey(decoding: write.key[...]) {
    case .creditRow(let credit, _): Int64(exactly: write.stamp.rawValue).map { (credit, $0) }
    case .creditSpend:
      if case (let credit, .spend(let spend, _, let total))? = creditAgain(write) {
        (credit, total - spend.amount)
      } else {
        nil
      }
    default: nil
    }
  }

  /// Does in this life what no life of this device has done.
  ///
  /// - Returns: how many of the writes those were
  mutating func doAgain(_ writes: [Write], _ effects: inout Effects) -> Int {
    var count = 0
    for write in writes {
      guard let (credit, again) = creditAgain(write), !isDone(again, credit, by: identity.key) else {
        continue
      }
      let isWritten =
        switch again {
        case .spend(let spend, let life, _):
          self.write([.spentAgain(life, spend, by: replica.id)], total: spend.amount, of: credit, &effects)
        case .carry(let cut, let total):
          self.write([.carried(upTo: cut, by: replica.id)], total: total, of: credit, &effects)
        }
      if isWritten { count += 1 }
    }
    return count
  }
}

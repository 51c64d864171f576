// What a removed device had spent, given and taken over, beyond the cut of its writes. A number that came ahead of its turn has replaced
// the one before it, which counts; with the cut both would be gone, and the custodian would take over rights that were used up. So whoever
// has to drop such a number names it. What it says lowers what the removed device holds, and nothing else. What that device does after
// its removal is void as before: nobody is given it, but nobody takes it over either once it was seen.
extension Holdings {
  /// Names void numbers of devices that were removed.
  package mutating func name(_ numbers: [Write], _ effects: inout Effects) {
    guard !numbers.isEmpty else { return }
    var entries: [(named: CreditEntry, credit: String, rank: Int, total: Int64)] = []
    for write in numbers {
      guard let total = Int64(exactly: write.stamp.rawValue), (1...Limits.creditTotal).contains(total),
        let key = try? RegisterKey(decoding: write.key[...]),
        case .credit(let credit, let entry)? = try? Fact(key: key, value: write.value[...]),
        let named = name(entry)
      else { continue }
      // Lives of which nothing counts may be made up by the thousand as well.
      let counts = replica.vector[write.dot.replica] > 0
      let rank = !counts ? 5 : ledger { $0.knowsCredit(credit) } ? named.rank : 4
      entries.append((named.entry, credit, rank, total))
    }
    let order = entries.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    for (_, entry) in order.prefix(Limits.namedNumbers) {
      write([entry.named], total: entry.total, of: entry.credit, &effects)
    }
  }

  /// What names a number, and how much it matters: those whose other side nobody has met may be made up by the thousand.
  private func name(_ entry: CreditEntry) -> (entry: CreditEntry, rank: Int)? {
    switch entry {
    case .spent(let life), .spentInAll(let life, _): (.spentInAll(life, by: replica.id), 0)
    case .taken(let from, let taker):
      (.takenAgain(CreditTaking(from: from, by: taker, isLost: false), by: replica.id), rank(of: from))
    case .lost(let from, let taker):
      (.takenAgain(CreditTaking(from: from, by: taker, isLost: true), by: replica.id), rank(of: from))
    case .takenAgain(let taken, _): (.takenAgain(taken, by: replica.id), rank(of: taken.from))
    case .moved(let from, let to), .movedAgain(let from, let to, _):
      (.movedAgain(from: from, to: to, by: replica.id), rank(of: to))
    case .spend, .spentAgain: nil
    }
  }

  private func rank(of other: ReplicaID) -> Int {
    CreditHolder(other) == .nobody ? 1 : replica.incarnation(of: other) == nil ? 3 : 2
  }
}

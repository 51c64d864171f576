// Who pays for what a holder has spent or given away and did not have. A refund makes a debt, which all pay, in their order. Whatever
// no refund explains costs others no more than what they were given: by that holder, or by those to whom it had come from it [F58].
extension CreditState {
  /// What is paid by whom.
  struct Settlement {
    /// What nobody can pay yet: the next rights of those who owe it do.
    fileprivate(set) var owed: Int64 = 0
    /// What holders lack that no refund explains, in their order.
    fileprivate(set) var doubts: [(holder: CreditHolder, amount: Int64)] = []
    /// What holders have left.
    fileprivate(set) var free: [CreditHolder: Int64] = [:]

    /// Lets a holder pay.
    ///
    /// - Returns: what is left to be paid
    fileprivate mutating func pay(_ amount: Int64, by holder: CreditHolder) -> Int64 {
      let part = min(amount, free[holder] ?? 0)
      guard part > 0 else { return amount }
      free[holder, default: 0] -= part
      return amount - part
    }
  }

  /// What a holder may spend or give away: its rights, less what it pays of what others lack.
  package func available(to holder: CreditHolder) -> Int64 {
    guard isShort else { return max(rights(of: holder), 0) }
    return settlement.free[holder] ?? 0
  }

  /// What all holders together may spend; where that is nothing, less than nothing by what is owed.
  package var balance: Int64 {
    guard isShort else { return holdings.values.reduce(0) { $0 &+ $1.rights } }
    let settlement = settlement
    let left = settlement.free.values.reduce(0, +)
    return left > 0 ? left : 0 - settlement.owed
  }

  /// Those that have spent or given away what they never had, as far as is known here, and how much.
  package var doubts: [(holder: CreditHolder, amount: Int64)] { isShort ? settlement.doubts : [] }

  private var isShort: Bool { holdings.values.contains { $0.rights < 0 } }

  private var settlement: Settlement {
    var settlement = Settlement()
    var debt: Int64 = 0
    for (holder, rights) in ownRights.sorted(by: { $0.key < $1.key }) {
      guard rights < 0 else {
        settlement.free[holder] = rights
        continue
      }
      let owed = min(0 &- rights, max(holdings[holder]?.refunded ?? 0, 0))
      debt &+= owed
      let doubt = 0 &- rights &- owed
      if doubt > 0 { settlement.doubts.append((holder, doubt)) }
    }
    if !settlement.doubts.isEmpty { trace(&settlement) }
    for holder in settlement.free.keys.sorted() where debt > 0 { debt = settlement.pay(debt, by: holder) }
    settlement.owed &+= debt
    return settlement
  }

  /// The rights of each holder, where a life that was cut has itself spent what the life that carries it cannot pay: it was spent out
  /// of its rights.
  private var ownRights: [CreditHolder: Int64] {
    var rights = holdings.mapValues(\.rights)
    var carried = cutLives.filter { $0.value.charged > 0 }.sorted { $0.key < $1.key }
      .map { (life: $0.key, carrier: CreditHolder($0.value.carrier), left: $0.value.charged) }
    // A life that is charged for another may be carried itself: one pass more for each. Circles end with the last.
    for _ in carried.indices {
      var isDone = true
      for place in carried.indices {
        let (life, carrier, left) = carried[place]
        let lack = 0 &- (rights[carrier] ?? 0) &- max(holdings[carrier]?.refunded ?? 0, 0)
        let moved = min(left, max(lack, 0))
        rights[carrier, default: 0] &+= moved
        rights[life, default: 0] &-= moved
        carried[place].left -= moved
        if moved > 0 { isDone = false }
      }
      if isDone { break }
    }
    return rights
  }

  /// Follows what holders did not have to those whom they gave it, and on from those who cannot pay. Each passes on once, so that gifts
  /// in a circle end: whatever comes round to it later is owed.
  private func trace(_ settlement: inout Settlement) {
    var gifts: [CreditHolder: [CreditHolder: Int64]] = [:]
    for (passage, amount) in passages where passage.from != passage.to {
      gifts[CreditHolder(passage.from), default: [:]][CreditHolder(passage.to), default: 0] &+= amount
    }
    var givers = settlement.doubts.map(\.holder)
    let origins = Set(givers)
    var waiting = Dictionary(settlement.doubts.map { ($0.holder, $0.amount) }) { first, _ in first }
    var passedOn: Set<CreditHolder> = []
    var next = 0
    while next < givers.count {
      let giver = givers[next]
      next += 1
      passedOn.insert(giver)
      var rest = waiting[giver] ?? 0
      for (receiver, amount) in (gifts[giver] ?? [:]).sorted(by: { $0.key < $1.key }) where rest > 0 {
        let passed = min(rest, amount)
        rest -= passed
        let unpaid = settlement.pay(passed, by: receiver)
        guard unpaid > 0 else { continue }
        guard !passedOn.contains(receiver) else {
          settlement.owed &+= unpaid
          continue
        }
        if waiting[receiver] == nil { givers.append(receiver) }
        waiting[receiver, default: 0] &+= unpaid
      }
      // Nobody has had what the first ones did not give away.
      if !origins.contains(giver) { settlement.owed &+= rest }
    }
  }
}

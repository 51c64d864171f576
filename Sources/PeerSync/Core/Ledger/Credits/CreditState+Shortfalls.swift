// Who pays for what a device has spent or given away and did not have. Its lives pay for one another first. A refund makes a debt, which
// all pay, in their order. Whatever no refund explains costs others no more than what they were given: by that device, or by those to
// whom it had come from it [F58].
extension CreditState {
  /// What is paid by whom. A device stands under the holder that ``DeviceLives`` names.
  struct Settlement {
    /// What nobody can pay yet: the next rights of those who owe it do.
    fileprivate(set) var owed: Int64 = 0
    /// What devices lack that no refund explains, in their order.
    fileprivate(set) var doubts: [(holder: CreditHolder, amount: Int64)] = []
    /// What devices have left.
    fileprivate(set) var free: [CreditHolder: Int64] = [:]

    /// Lets a device pay.
    ///
    /// - Returns: what is left to be paid
    fileprivate mutating func pay(_ amount: Int64, by device: CreditHolder) -> Int64 {
      let part = min(amount, free[device] ?? 0)
      guard part > 0 else { return amount }
      free[device, default: 0] -= part
      return amount - part
    }
  }

  /// What a holder may spend or give away: its rights, less what it pays of what others lack. The lives of a device pay in their order.
  package mutating func available(to holder: CreditHolder) -> Int64 {
    let rights = max(rights(of: holder), 0)
    guard rights > 0, let settlement = settle() else { return rights }
    let device = lives.device(of: holder)
    var (before, all): (Int64, Int64) = (0, 0)
    for (life, holding) in holdings where holding.rights > 0 && lives.device(of: life) == device {
      all &+= holding.rights
      if life < holder { before &+= holding.rights }
    }
    let paid = all &- (settlement.free[device] ?? 0)
    return rights - min(max(paid &- before, 0), rights)
  }

  /// What all holders together may spend; where that is nothing, less than nothing by what is owed.
  package var balance: Int64 {
    mutating get {
      guard let settlement = settle() else { return holdings.values.reduce(0) { $0 &+ $1.rights } }
      let left = settlement.free.values.reduce(0, &+)
      return left > 0 ? left : 0 - settlement.owed
    }
  }

  /// The devices that have spent or given away what they never had, as far as is known here, and how much. Each is named by one of its
  /// holders.
  package var doubts: [(holder: CreditHolder, amount: Int64)] { mutating get { settle()?.doubts ?? [] } }

  /// What is paid by whom; nil where nobody lacks anything. Worked out once for the numbers that stand.
  private mutating func settle() -> Settlement? {
    if let settled { return settled }
    let settlement = holdings.values.contains { $0.rights < 0 } ? settlement : nil
    settled = .some(settlement)
    return settlement
  }

  private var settlement: Settlement {
    var devices: [CreditHolder: (rights: Int64, refunded: Int64)] = [:]
    for (holder, holding) in holdings {
      let device = lives.device(of: holder)
      devices[device, default: (0, 0)].rights &+= holding.rights
      devices[device, default: (0, 0)].refunded &+= holding.refunded
    }
    var settlement = Settlement()
    var debt: Int64 = 0
    for (device, book) in devices.sorted(by: { $0.key < $1.key }) {
      guard book.rights < 0 else {
        settlement.free[device] = book.rights
        continue
      }
      let owed = min(0 &- book.rights, max(book.refunded, 0))
      debt &+= owed
      let doubt = 0 &- book.rights &- owed
      if doubt > 0 { settlement.doubts.append((device, doubt)) }
    }
    if !settlement.doubts.isEmpty { trace(&settlement) }
    for device in settlement.free.keys.sorted() where debt > 0 { debt = settlement.pay(debt, by: device) }
    settlement.owed &+= debt
    return settlement
  }

  /// Follows what devices did not have to those to whom they gave it, and on from those who cannot pay. All of it at once, for what
  /// one of them did not have may have come to another and gone on with what that one did not have: as long as nobody spends, nobody
  /// can spend more than was bought.
  private func trace(_ settlement: inout Settlement) {
    var gifts: [CreditHolder: [CreditHolder: Int64]] = [:]
    for (passage, amount) in passages {
      let giver = lives.device(of: CreditHolder(passage.from))
      let receiver = lives.device(of: CreditHolder(passage.to))
      if giver != receiver { gifts[giver, default: [:]][receiver, default: 0] &+= amount }
    }
    // Whoever passed anything on or has anything has holdings.
    let devices = Set(holdings.keys.map { lives.device(of: $0) }).sorted()
    let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
    var flow = GiftFlow(devices: devices.count)
    let lacking = settlement.doubts.compactMap { doubt in
      places[doubt.holder].map { (device: doubt.holder, edge: flow.lack(doubt.amount, by: $0)) }
    }
    var (paying, given): ([(CreditHolder, Int)], [CreditHolder: [Int]]) = ([], [:])
    for (place, device) in devices.enumerated() {
      if let free = settlement.free[device], free > 0 { paying.append((device, flow.pay(free, by: place))) }
      for (receiver, amount) in (gifts[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let other = places[receiver] else { continue }
        given[device, default: []].append(flow.give(amount, from: place, to: other))
      }
    }
    flow.run()
    for (device, edge) in paying { settlement.free[device] = flow.room(of: edge) }
    for (device, edge) in lacking {
      // Nobody has had what it did not give away.
      let unpaid = (given[device] ?? []).reduce(Int64(0)) { $0 &+ flow.room(of: $1) }
      settlement.owed &+= min(flow.room(of: edge), unpaid)
    }
  }
}

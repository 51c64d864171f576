// Who pays for what a device has spent or given away and did not have. Its lives pay for one another first. What others took over from it
// and was not there they pay. A refund makes a debt, which all pay, in their order. Whatever no refund explains costs others no more
// than what they were given: by that device, or by those to whom it had come from it [F58].
extension CreditState {
  /// What is paid by whom. A device stands under the holder that ``DeviceLives`` names.
  struct Settlement {
    /// What nobody can pay yet: the next rights of those who owe it do.
    fileprivate(set) var owed: Int64 = 0
    /// What devices lack that no refund explains, in their order.
    fileprivate(set) var doubts: [(holder: CreditHolder, amount: Int64)] = []
    /// What devices have left.
    fileprivate(set) var free: [CreditHolder: Int64] = [:]
    /// What those of their lives that have rights have left of them.
    fileprivate(set) var spendable: [CreditHolder: Int64] = [:]
    /// What devices pay of what others lack, by those: giving it to them changes what nobody can spend.
    fileprivate(set) var paid: [CreditHolder: [CreditHolder: Int64]] = [:]
    /// Of that, what had come to them by others: these can give it on.
    fileprivate(set) var paidBy: [CreditHolder: [CreditHolder: Int64]] = [:]
    /// What the groups of those that nobody knows have left, by their places.
    fileprivate(set) var strange: [Int64] = []

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

  /// What a holder may spend or give away: its rights, less what it pays of what others lack.
  package mutating func available(to holder: CreditHolder) -> Int64 {
    let rights = max(rights(of: holder), 0)
    guard rights > 0, let settlement = settle() else { return rights }
    if let spendable = settlement.spendable[holder] { return spendable }
    // Of a group no one has more than all.
    return accounts.place(of: holder).map { min(rights, settlement.strange[$0]) } ?? 0
  }

  /// What the device of a holder pays of what that of another one lacks, or of what had come to it by that one, as far as the holder has it:
  /// it can give it that one, and has no less to spend for it.
  package mutating func paid(by holder: CreditHolder, for lacking: CreditHolder) -> Int64 {
    guard let settlement = settle() else { return 0 }
    let (payer, other) = (device(of: holder), device(of: lacking))
    let amount = (settlement.paid[payer]?[other] ?? 0) &+ (settlement.paidBy[payer]?[other] ?? 0)
    return min(amount, max(rights(of: holder) - available(to: holder), 0))
  }

  /// How much more another holder could spend if it were given so much, and how much more both together: what others lack may swallow it.
  package mutating func gain(of amount: Int64, from giver: ReplicaID, to receiver: ReplicaID)
    -> (receiver: Int64, both: Int64)
  {
    guard settle() != nil else { return (amount, 0) }
    var after = self
    after.apply(
      .moved(from: giver, to: receiver), total: UInt64(clamping: moved(from: giver, to: receiver) + amount))
    let (own, other) = (CreditHolder(giver), CreditHolder(receiver))
    let gain = after.available(to: other) - available(to: other)
    return (gain, gain + after.available(to: own) - available(to: own))
  }

  /// What the device of a holder pays of what members lack, as far as the holder has it.
  package mutating func paidForMembers(by holder: CreditHolder) -> Int64 {
    let all = settle()?.paid
    let paid = (all?[device(of: holder)] ?? [:]).filter { lives.isMember($0.key) }
    return min(paid.values.reduce(0, &+), max(rights(of: holder) - available(to: holder), 0))
  }

  /// Who may spend or give away how much, in the order of the holders; of each group of those that nobody knows the few that hold the most.
  package var spendable: [CreditShare] {
    mutating get {
      let (accounts, settlement) = (accounts, settle())
      var shares = accounts.known.map { CreditShare(holder: $0, rights: available(to: $0)) }
      for (place, group) in accounts.groups.enumerated() {
        shares += most(of: group.holders, settlement?.strange[place] ?? group.rights)
      }
      return shares.filter { $0.rights > 0 }.sorted { $0.holder < $1.holder }
    }
  }

  /// How many holders of a group are told of at once: a member may have made up any number of them.
  package static let toldOfGroup = 64

  /// Of holders those that hold the most, with what they hold, up to what they have together.
  private func most(of holders: Set<CreditHolder>, _ together: Int64) -> [CreditShare] {
    guard together > 0 else { return [] }
    var most: [CreditShare] = []
    for holder in holders {
      let share = CreditShare(holder: holder, rights: rights(of: holder))
      guard share.rights > 0 else { continue }
      let place = most.partitionPoint { ($0.rights, share.holder) < (share.rights, $0.holder) }
      guard place < Self.toldOfGroup else { continue }
      most.insert(share, at: place)
      if most.count > Self.toldOfGroup { most.removeLast() }
    }
    var left = together
    return most.map { share in
      let part = min(share.rights, left)
      left -= part
      return CreditShare(holder: share.holder, rights: part)
    }
  }

  /// What all holders together may spend; where that is nothing, less than nothing by what is owed.
  package var balance: Int64 {
    mutating get {
      guard let settlement = settle() else {
        let accounts = accounts
        return accounts.known.reduce(accounts.strange) { $0 &+ rights(of: $1) }
      }
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
    let accounts = accounts
    let isShort =
      accounts.groups.contains { $0.rights < 0 } || accounts.known.contains { rights(of: $0) < 0 }
    let settlement = isShort ? settlement(of: accounts) : nil
    settled = .some(settlement)
    return settlement
  }

  private func settlement(of accounts: CreditAccounts) -> Settlement {
    var devices: [CreditHolder: (rights: Int64, refunded: Int64)] = [:]
    let standIns = accounts.standIns
    for (standIn, group) in zip(standIns, accounts.groups) where !group.holders.isEmpty {
      devices[standIn] = (group.rights, 0)
    }
    for holder in accounts.known {
      guard let holding = holdings[holder] else { continue }
      let device = self.device(of: holder)
      devices[device, default: (0, 0)].rights &+= holding.rights
      devices[device, default: (0, 0)].refunded &+= holding.refunded
    }
    let takings = takers(in: accounts)
    var (settlement, lacks, debt) = (Settlement(), [Lack](), Int64(0))
    for (device, book) in devices.sorted(by: { $0.key < $1.key }) {
      guard book.rights < 0 else {
        settlement.free[device] = book.rights
        continue
      }
      let takers = takings[device] ?? []
      let taken = takers.reduce(Int64(0)) { $0 &+ $1.value }
      let own = max(0 &- book.rights &- taken, 0)
      let owed = min(own, max(book.refunded, 0))
      debt &+= owed
      var lack = Lack(device: device, given: own - owed)
      lack.blame(takers, for: 0 &- book.rights &- own, refunded: max(book.refunded, 0) - owed)
      if lack.given > 0 || !lack.taken.isEmpty { lacks.append(lack) }
    }
    if !lacks.isEmpty {
      settlement.doubts = doubts(of: lacks, beside: settlement.free)
      let net = NetGifts(
        accounts.passed(areGifts: true, standIns), takings: through(takings, but: lacks))
      debt &+= trace(lacks, among: devices.keys.sorted(), net, takings, &settlement)
    }
    for device in settlement.free.keys.sorted() where debt > 0 { debt = settlement.pay(debt, by: device) }
    settlement.owed &+= debt
    settlement.spendable = spendable(of: settlement.free, among: accounts.known)
    settlement.strange = standIns.map { settlement.free[$0] ?? 0 }
    return settlement
  }

  /// What a device lacks that its own refunds do not explain.
  private struct Lack {
    let device: CreditHolder
    /// What it spent or gave away without having it.
    let given: Int64
    /// What others took over without its being there, by who pays first: they pay, and not those to whom the device gave what it had.
    private(set) var taken: [Part] = []

    /// What one of them has to pay. What it cannot pay is no other taker's.
    struct Part {
      let taker: CreditHolder
      let amount: Int64
      /// What the refunds of the device explain of it: that was there when it was taken over.
      var refunded: Int64 = 0
    }

    init(device: CreditHolder, given: Int64) { (self.device, self.given) = (device, given) }

    /// Says who took what was not there. What the last of them took over was there first, so refunds explain theirs first.
    mutating func blame(_ takers: [(key: CreditHolder, value: Int64)], for amount: Int64, refunded: Int64) {
      var (left, explained) = (amount, refunded)
      for taker in takers where left > 0 {
        taken.append(Part(taker: taker.key, amount: min(left, taker.value)))
        left -= min(left, taker.value)
      }
      for place in taken.indices.reversed() {
        taken[place].refunded = min(taken[place].amount, explained)
        explained -= taken[place].refunded
      }
    }
  }

  /// Those who took over from each device, who pays first in front.
  private typealias Takers = [CreditHolder: [(key: CreditHolder, value: Int64)]]

  /// Of what names nobody whoever says that it took over more than was ever bought pays before all, and so does whoever was removed with all
  /// that it had decided. Only the most senior member takes over, so whoever is that, or has been, pays last: of those who have been it in a
  /// group that has come under this one that is known for what a device held that was removed from that group, and not for what names nobody.
  /// Else the junior ones pay first, whoever is no member before all; and of equals who took the most, for whoever says that it took over what
  /// never was says so of any amount.
  private func takers(in accounts: CreditAccounts) -> Takers {
    let nobodys = holdings[.nobody] ?? Holding()
    let bought = nobodys.issued &+ nobodys.refunded
    // Of them others name more than they have stated themselves: where they are out they may have signed it since.
    let named = Set(named.map { device(of: CreditHolder($0.to)) })
    return Dictionary(
      uniqueKeysWithValues: accounts.passed(areGifts: false, accounts.standIns).map { device, takers in
        let most = device == .nobody ? bought : .max
        let order = takers.map { taker in
          let paysFirst =
            taker.value > most || lives.isTakenBack(taker.key)
            || named.contains(taker.key) && !lives.isMember(taker.key)
          return (taker, paysFirst, lives.rank(of: taker.key, from: device))
        }.sorted { one, other in
          if one.1 != other.1 { return one.1 }
          return (other.2, other.0.value, one.0.key) < (one.2, one.0.value, other.0.key)
        }
        return (device, order.map(\.0))
      })
  }

  /// What came through devices to those who took over from them: what of it was not there its taker lacks, and nothing of that came through.
  private func through(_ takings: Takers, but lacks: [Lack]) -> NetGifts.Passed {
    var through = takings.mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
    for lack in lacks {
      for part in lack.taken { through[lack.device]?[part.taker]? -= part.amount }
    }
    return through
  }

  /// Who has spent or given away what it never had: what a taker has left of what was not there, it has not.
  private func doubts(of lacks: [Lack], beside free: [CreditHolder: Int64]) -> [(CreditHolder, Int64)] {
    var (doubts, free) = ([CreditHolder: Int64](), free)
    for lack in lacks {
      doubts[lack.device, default: 0] &+= lack.given
      for part in lack.taken {
        let own = min(part.amount, free[part.taker] ?? 0)
        free[part.taker, default: 0] -= own
        doubts[part.taker, default: 0] &+= max(part.amount - own - part.refunded, 0)
      }
    }
    return doubts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
  }

  /// Follows what devices did not have to those to whom they gave it, and on from those who cannot pay. All of it at once, for what
  /// one of them did not have may have come to another and gone on with what that one did not have: as long as nobody spends, nobody
  /// can spend more than was bought.
  ///
  /// - Returns: what nobody pays whom it had come to, and refunds explain: all owe it
  private func trace(
    _ lacks: [Lack], among devices: [CreditHolder], _ net: NetGifts, _ takings: Takers,
    _ settlement: inout Settlement
  ) -> Int64 {
    let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
    let (gifts, through) = (net.gifts, net.takings)
    // What came to a device and was taken over from it leaves it by a place of its own.
    var flow = GiftFlow(devices: 2 * devices.count)
    var lacking: [(device: CreditHolder, edge: Int, refunded: Int64)] = []
    for lack in lacks {
      let parts =
        [(lack.device, lack.given, Int64(0))] + lack.taken.map { ($0.taker, $0.amount, $0.refunded) }
      for (device, amount, refunded) in parts where amount > 0 {
        guard let place = places[device] else { continue }
        lacking.append((device, flow.lack(amount, by: place), refunded))
      }
    }
    var (paying, given) = ([(CreditHolder, Int)](), [CreditHolder: [Int]]())
    // What was taken over from whom by whom, the first takers of each first.
    var turns: [[(place: Int, taker: Int, amount: Int64)]] = []
    for (place, device) in devices.enumerated() {
      if let free = settlement.free[device], free > 0 { paying.append((device, flow.pay(free, by: place))) }
      for (receiver, amount) in (gifts[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let other = places[receiver] else { continue }
        given[device, default: []].append(flow.give(amount, from: place, to: other))
      }
      let takers = (takings[device] ?? []).map { ($0.key, through[device]?[$0.key] ?? 0) }
      guard !takers.isEmpty else { continue }
      _ = flow.give(takers.reduce(0) { $0 &+ $1.1 }, from: place, to: place + devices.count)
      for (turn, taker) in takers.enumerated() {
        guard let other = places[taker.0] else { continue }
        if turn == turns.count { turns.append([]) }
        turns[turn].append((place, other, taker.1))
      }
    }
    // Who took over pays in turn, with those to whom it passed it on.
    for turn in turns.isEmpty ? [[]] : turns {
      for (place, other, amount) in turn {
        _ = flow.give(amount, from: place + devices.count, to: other)
      }
      flow.run()
    }
    for (device, edge) in paying { settlement.free[device] = flow.room(of: edge) }
    var flows = flow.flow
    for lack in lacking {
      for (payer, others, amount) in flow.payers(of: lack.edge, &flows) {
        let payer = devices[payer % devices.count]
        settlement.paid[payer, default: [:]][lack.device, default: 0] &+= amount
        for other in Set(others.map { devices[$0 % devices.count] }) where other != payer {
          settlement.paidBy[payer, default: [:]][other, default: 0] &+= amount
        }
      }
    }
    var (debt, unpaid) = (Int64(0), [CreditHolder: Int64]())
    for lack in lacking {
      let byRefunds = min(flow.room(of: lack.edge), lack.refunded)
      debt &+= byRefunds
      unpaid[lack.device, default: 0] &+= flow.room(of: lack.edge) - byRefunds
    }
    // Nobody has had what it did not give away.
    for (device, amount) in unpaid {
      let room = (given[device] ?? []).reduce(Int64(0)) { $0 &+ flow.room(of: $1) }
      settlement.owed &+= min(amount, room)
    }
    return debt
  }

  /// - Parameter free: what devices have left. Their lives pay in their order.
  private func spendable(of free: [CreditHolder: Int64], among known: Set<CreditHolder>)
    -> [CreditHolder: Int64]
  {
    var spendable: [CreditHolder: Int64] = [:]
    for life in known { spendable[life] = max(rights(of: life), 0) }
    var paid: [CreditHolder: Int64] = [:]
    for (life, rights) in spendable { paid[device(of: life), default: 0] &+= rights }
    for device in paid.keys { paid[device]? &-= free[device] ?? 0 }
    for (life, rights) in spendable.sorted(by: { $0.key < $1.key }) {
      let device = self.device(of: life)
      let part = min(rights, paid[device] ?? 0)
      paid[device]? &-= part
      spendable[life] = rights - part
    }
    return spendable
  }
}

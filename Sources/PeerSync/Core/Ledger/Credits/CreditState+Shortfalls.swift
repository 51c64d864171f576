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
    /// What devices have less than nothing.
    fileprivate(set) var lacks: [CreditHolder: Int64] = [:]
    /// What devices have left.
    fileprivate(set) var free: [CreditHolder: Int64] = [:]
    /// What those of their lives that have rights have left of them.
    fileprivate(set) var spendable: [CreditHolder: Int64] = [:]
    /// What devices pay of what others lack, by those: giving it to them changes what nobody can spend.
    fileprivate(set) var paid: [CreditHolder: [CreditHolder: Int64]] = [:]
    /// Of that, what had come to them by others: these can give it on.
    fileprivate(set) var paidBy: [CreditHolder: [CreditHolder: Int64]] = [:]
    /// What is charged to devices that have spent it, and somebody can take over for those who lack it.
    fileprivate(set) var charged: [CreditHolder: Int64] = [:]
    /// What those that nobody knows have left, by what they stand under.
    fileprivate(set) var strange: [CreditHolder: Int64] = [:]

    /// What a device pays of what some others lack.
    fileprivate func paid(by device: CreditHolder, for isMeant: (CreditHolder) -> Bool) -> Int64 {
      (paid[device] ?? [:]).reduce(0) { isMeant($1.key) ? $0 &+ $1.value : $0 }
    }

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
    return accounts.side(of: holder).map { min(rights, settlement.strange[$0] ?? 0) } ?? 0
  }

  /// What the device of a holder lacks: also where only what removed devices say that they gave it, and never had, hides that.
  package mutating func lack(of holder: CreditHolder) -> Int64 { settle()?.lacks[device(of: holder)] ?? 0 }

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

  /// What the device of a holder pays of what members lack, as far as the holder has it, or that is charged to it: of the lives of a device
  /// to the one that stands for all.
  package mutating func paidForMembers(by holder: CreditHolder) -> Int64 {
    guard let settlement = settle() else { return 0 }
    let device = device(of: holder)
    let charged = holder == device ? settlement.charged[device] ?? 0 : 0
    let held = max(rights(of: holder) - available(to: holder), 0)
    return min(settlement.paid(by: device, for: lives.isMember), held &+ charged)
  }

  /// What the custodian can take over from a holder that is gone.
  package mutating func reclaimable(from holder: CreditHolder) -> Reclaimable {
    Reclaimable(holder: holder, rights: available(to: holder), owed: paidForMembers(by: holder))
  }

  /// The same of all holders, in their order; of each group of those that nobody knows of the few that hold the most.
  package var reclaimable: [Reclaimable] {
    mutating get {
      let (accounts, settlement) = (accounts, settle())
      var all = accounts.known.map { reclaimable(from: $0) }
      for strangers in accounts.strangers {
        let paid = settlement?.paid(by: strangers.standIn, for: lives.isMember) ?? 0
        var left = settlement.map { $0.free[strangers.standIn] ?? 0 } ?? strangers.rights
        for share in most(of: accounts.holders(of: strangers), left &+ paid) {
          let rights = min(share.rights, left)
          left -= rights
          all.append(Reclaimable(holder: share.holder, rights: rights, owed: share.rights - rights))
        }
      }
      return all.filter { $0.amount > 0 }.sorted { $0.holder < $1.holder }
    }
  }

  /// Who may spend or give away how much, in the order of the holders; of each group of those that nobody knows the few that hold the most.
  package var spendable: [CreditShare] {
    mutating get {
      let (accounts, settlement) = (accounts, settle())
      var shares = accounts.known.map { CreditShare(holder: $0, rights: available(to: $0)) }
      for strangers in accounts.strangers {
        let left = settlement.map { $0.free[strangers.standIn] ?? 0 } ?? strangers.rights
        shares += most(of: accounts.holders(of: strangers), left)
      }
      return shares.filter { $0.rights > 0 }.sorted { $0.holder < $1.holder }
    }
  }

  /// How many holders of a group are told of at once: a member may have made up any number of them.
  package static let toldOfGroup = 64

  /// Of holders those that hold the most, with what they hold, up to what they have together.
  private func most(of holders: some Sequence<CreditHolder>, _ together: Int64) -> [CreditShare] {
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
      accounts.strangers.contains { $0.rights < 0 } || accounts.known.contains { rights(of: $0) < 0 }
    let settlement = isShort ? settlement(of: accounts) : nil
    settled = .some(settlement)
    return settlement
  }

  private func settlement(of accounts: CreditAccounts) -> Settlement {
    let strangers = accounts.strangers
    var passed = Passed(
      books: books(of: accounts, strangers), gifts: accounts.passed(areGifts: true, strangers),
      takers: takers(accounts.passed(areGifts: false, strangers)))
    let takenBack = takeBack(&passed)
    var (settlement, lacks, debt) = (Settlement(), [ShortfallTrace.Lack](), Int64(0))
    for (device, book) in passed.books.sorted(by: { $0.key < $1.key }) {
      guard book.rights < 0 else {
        settlement.free[device] = book.rights
        continue
      }
      settlement.lacks[device] = 0 &- book.rights
      let (lack, owed) = passed.lack(of: device)
      debt &+= owed
      if !lack.isNothing { lacks.append(lack) }
    }
    if !lacks.isEmpty {
      let net = NetGifts(
        passed.gifts, takings: through(passed.takers, but: lacks),
        first: custodian(among: passed.books.keys), from: takenBack)
      let trace = ShortfallTrace(
        lacks, among: passed.books.keys.sorted(), gifts: net.gifts, through: net.takings, passed.takers)
      debt &+= settle(trace, passed.books, takenBack, &settlement)
    }
    for device in settlement.free.keys.sorted() where debt > 0 { debt = settlement.pay(debt, by: device) }
    settlement.owed &+= debt
    settlement.spendable = spendable(of: settlement.free, among: accounts.known)
    for one in strangers { settlement.strange[one.side] = settlement.free[one.standIn] ?? 0 }
    return settlement
  }

  private func books(of accounts: CreditAccounts, _ strangers: [CreditAccounts.Strangers])
    -> [CreditHolder: Passed.Book]
  {
    var books: [CreditHolder: Passed.Book] = [:]
    for one in strangers { books[one.standIn] = Passed.Book(rights: one.rights) }
    for holder in accounts.known {
      guard let holding = holdings[holder] else { continue }
      let device = self.device(of: holder)
      books[device, default: Passed.Book()].rights &+= holding.rights
      books[device]?.bought &+= holding.issued &+ holding.refunded
      books[device]?.refunded &+= holding.refunded
      // Also what is void and named: it has taken off what there was.
      books[device]?.spent &+= holding.paid &+ holding.carried
    }
    return books
  }

  /// Has those pay who have what devices lack. For what had come to those who were removed with all that they had decided these pay before
  /// all others, and then the custodian out of what it took over from them. It pays for nothing else so: who can pay itself would be given
  /// that again and again. What nobody has is charged to them, as far as they have spent what came to them from others: they may have stated
  /// the very amount out of which they were given it.
  ///
  /// - Returns: what nobody pays whom it had come to, and refunds explain: all owe it
  private func settle(
    _ trace: ShortfallTrace, _ books: [CreditHolder: Passed.Book], _ takenBack: Set<CreditHolder>,
    _ settlement: inout Settlement
  ) -> Int64 {
    var trace = trace
    func pay(_ means: ShortfallTrace.Means, _ which: ShortfallTrace.Which) {
      for (device, amount) in trace.run(paying: means, which) { settlement.free[device]? -= amount }
    }
    func isTakenBack(_ device: CreditHolder) -> Bool { takenBack.contains(device) }
    if !takenBack.isEmpty {
      pay(
        ShortfallTrace.Means(
          settlement.free.filter { isTakenBack($0.key) },
          ofTaken: settlement.free.filter { lives.isCustodian($0.key) && !isTakenBack($0.key) },
          from: takenBack), .given)
    }
    let lacks = trace.lacks
    let free = settlement.free
    pay(ShortfallTrace.Means(free), .all)
    settlement.charged = trace.run(
      paying: ShortfallTrace.Means(books.filter { isTakenBack($0.key) }.mapValues(\.spentOfOthers)), .given)
    settlement.doubts = doubts(of: lacks, books, beside: free, settlement.charged)
    (settlement.paid, settlement.paidBy) = (trace.paid, trace.paidBy)
    settlement.owed &+= trace.owed
    return trace.refunded
  }

  /// The custodian, as one of some devices.
  private func custodian(among devices: some Sequence<CreditHolder>) -> CreditHolder? {
    devices.first { lives.isCustodian($0) && lives.isMember($0) }
  }

  /// Of what names nobody whoever says that it took over more than was ever bought pays before all, and so does whoever was removed with all
  /// that it had decided. Only the most senior member takes over, so whoever is that, or has been, pays last: of those who have been it in a
  /// group that has come under this one that is known for what a device held that was removed from that group, and not for what names nobody.
  /// Else the junior ones pay first, whoever is no member before all; and of equals who took the most, for whoever says that it took over what
  /// never was says so of any amount.
  ///
  /// - Parameter taken: what was taken over from each by each
  private func takers(_ taken: CreditAccounts.Passed) -> ShortfallTrace.Takers {
    let nobodys = holdings[.nobody] ?? Holding()
    let bought = nobodys.issued &+ nobodys.refunded
    // Of them others name more than they have stated themselves: where they are out they may have signed it since.
    let named = Set(named.map { device(of: CreditHolder($0.to)) })
    return Dictionary(
      uniqueKeysWithValues: taken.map { device, takers in
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
  private func through(_ takings: ShortfallTrace.Takers, but lacks: [ShortfallTrace.Lack]) -> NetGifts.Passed
  {
    var through = takings.mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
    for lack in lacks {
      for part in lack.taken { through[lack.device]?[part.taker]? -= part.amount }
    }
    return through
  }

  /// Who has spent or given away what it never had, and of whom others had it: what a taker has left of what was not there, it has not.
  ///
  /// - Parameter charged: what is charged to those who have spent it
  private func doubts(
    of lacks: [ShortfallTrace.Lack], _ books: [CreditHolder: Passed.Book],
    beside free: [CreditHolder: Int64], _ charged: [CreditHolder: Int64]
  ) -> [(CreditHolder, Int64)] {
    var (doubts, free) = (charged, free)
    for (device, book) in books where book.pretended > 0 { doubts[device, default: 0] &+= book.pretended }
    for lack in lacks {
      // Who was given what was not there is not to blame.
      let pretended = max(0 &- (books[lack.device]?.pretended ?? 0), 0)
      doubts[lack.device, default: 0] &+= max(lack.given - pretended, 0)
      for part in lack.taken {
        let own = min(part.amount, free[part.taker] ?? 0)
        free[part.taker, default: 0] -= own
        doubts[part.taker, default: 0] &+= max(part.amount - own - part.refunded, 0)
      }
    }
    return doubts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
  }

  /// What lives have left. That which holds the most pays first: what a liar says that it gave one of them stands there.
  ///
  /// - Parameter free: what devices have left
  private func spendable(of free: [CreditHolder: Int64], among known: Set<CreditHolder>)
    -> [CreditHolder: Int64]
  {
    var spendable: [CreditHolder: Int64] = [:]
    for life in known { spendable[life] = max(rights(of: life), 0) }
    var paid: [CreditHolder: Int64] = [:]
    for (life, rights) in spendable { paid[device(of: life), default: 0] &+= rights }
    for device in paid.keys { paid[device]? &-= free[device] ?? 0 }
    for (life, rights) in spendable.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      let device = self.device(of: life)
      let part = min(rights, paid[device] ?? 0)
      paid[device]? &-= part
      spendable[life] = rights - part
    }
    return spendable
  }
}

/// What is known of one credit: the escrow counter (docs/semantics.md, section 5).
///
///     rights(i) = issued at i + received by i - given by i - spent by i - carried by i
///
/// ``BoundedCounter`` is the same by its definition, but for what is carried. This one keeps the sums as numbers come in.
package struct CreditState: Sendable {
  /// The numbers of one holder. Each register counts up to ``Limits/creditTotal`` and there are ``Limits/registers`` at
  /// most, so that no sum leaves 64 bits.
  package struct Holding: Hashable, Sendable {
    /// What its purchases buy, after refunds.
    package var issued: Int64 = 0
    /// What refunds have taken off them.
    var refunded: Int64 = 0
    var spent: Int64 = 0
    var given: Int64 = 0
    /// What others gave it, and what it took over.
    var received: Int64 = 0
    /// What earlier lives of its device had spent, as far as their own numbers do not say so.
    var carried: Int64 = 0

    var rights: Int64 { issued &+ received &- given &- spent &- carried }
  }

  /// A register of what passed from one to another.
  private struct Passage: Hashable {
    let from: ReplicaID
    let to: ReplicaID
    let isTaken: Bool
  }

  /// How much a life had spent by the cut of its writes.
  private struct Carry {
    let cut: UInt64
    let total: Int64
    let carrier: ReplicaID
    /// How much of it the life's own number does not say.
    var counted: Int64 = 0

    /// What was spent behind the lowest cut is spent again by itself. Of what is said of one cut the most counts.
    func counts(before other: Carry) -> Bool {
      (cut, other.total, carrier) < (other.cut, total, other.carrier)
    }
  }

  /// Names a spend of a life that was cut.
  private struct SpendOfLife: Hashable {
    let life: ReplicaID
    let id: Name
  }

  /// A spend that a later life has made again.
  private struct SpendAgain {
    let amount: Int64
    let carrier: ReplicaID
  }

  /// Where one of the last spends is remembered.
  struct SpendSlot: Hashable, Sendable {
    let replica: ReplicaID
    let number: UInt16
  }

  private struct Remembered {
    let spend: CreditSpend
    let total: Int64
  }

  package private(set) var holdings: [CreditHolder: Holding] = [:]
  /// What is left on all holders together; less than nothing is a debt.
  package private(set) var balance: Int64 = 0
  private var passages: [Passage: Int64] = [:]
  /// What counts of those that are said of a life.
  private var carries: [CreditHolder: Carry] = [:]
  /// Several lives may have made a spend again, each before it heard of the other: it counts once.
  private var spentAgain: [SpendOfLife: SpendAgain] = [:]
  /// The greatest amount of those of each id.
  private var greatestAgain: [Name: Int64] = [:]
  private var remembered: [SpendSlot: Remembered] = [:]
  /// The slots that hold a spend of an id: more than one when devices that were apart spent under one id.
  private var slots: [Name: [SpendSlot]] = [:]
  /// The slot of each replica's last spend.
  private var lastSlots: [ReplicaID: SpendSlot] = [:]

  package init() {}

  // MARK: Taking in

  /// Counts a purchase, or with a sign of -1 takes it back.
  package mutating func count(_ bought: BoughtCredits, at issuedTo: CreditHolder, sign: Int64) {
    holdings[issuedTo, default: Holding()].issued &+= sign * bought.left
    holdings[issuedTo, default: Holding()].refunded &+= sign * bought.refunded
    balance &+= sign * bought.left
  }

  /// Takes a register in. The greater number counts; one beyond ``Limits/creditTotal`` is of a dishonest device, and
  /// counts for nothing.
  package mutating func apply(_ entry: CreditEntry, total: UInt64) {
    guard let total = Int64(exactly: total), (0...Limits.creditTotal).contains(total) else { return }
    switch entry {
    case .spent(let replica): spend(total, by: CreditHolder(replica))
    case .moved(let from, let to): pass(total, Passage(from: from, to: to, isTaken: false))
    case .taken(let from, let taker): pass(total, Passage(from: from, to: taker, isTaken: true))
    case .spend(let replica, let slot, let spend):
      remember(Remembered(spend: spend, total: total), at: SpendSlot(replica: replica, number: slot))
    case .carried(let cut, let carrier):
      carry(Carry(cut: cut.sequence, total: total, carrier: carrier), of: CreditHolder(cut.replica))
    case .spentAgain(let life, let spend, let carrier):
      spendAgain(
        SpendAgain(amount: spend.amount, carrier: carrier), SpendOfLife(life: life, id: Name(spend.id)))
    }
  }

  private mutating func spend(_ total: Int64, by holder: CreditHolder) {
    let more = total - (holdings[holder]?.spent ?? 0)
    guard more > 0 else { return }
    holdings[holder, default: Holding()].spent &+= more
    balance &-= more
    if let carry = carries[holder] { count(carry, of: holder) }
  }

  private mutating func carry(_ carry: Carry, of holder: CreditHolder) {
    if let held = carries[holder] {
      guard carry.counts(before: held) else { return }
      charge(0 &- held.counted, to: held.carrier)
    }
    count(carry, of: holder)
  }

  /// Counts of a carry what the life's own number does not say.
  private mutating func count(_ carry: Carry, of holder: CreditHolder) {
    var carry = carry
    let uncounted = max(carry.total - (holdings[holder]?.spent ?? 0), 0)
    charge(uncounted &- carry.counted, to: carry.carrier)
    carry.counted = uncounted
    carries[holder] = carry
  }

  /// Of several the greatest amount counts; of equals the first replica's.
  private mutating func spendAgain(_ spend: SpendAgain, _ name: SpendOfLife) {
    if let held = spentAgain[name] {
      guard (held.amount, spend.carrier) < (spend.amount, held.carrier) else { return }
      charge(0 &- held.amount, to: held.carrier)
    }
    charge(spend.amount, to: spend.carrier)
    spentAgain[name] = spend
    greatestAgain[name.id] = max(greatestAgain[name.id] ?? 0, spend.amount)
  }

  private mutating func charge(_ more: Int64, to carrier: ReplicaID) {
    guard more != 0 else { return }
    holdings[CreditHolder(carrier), default: Holding()].carried &+= more
    balance &-= more
  }

  private mutating func pass(_ total: Int64, _ passage: Passage) {
    let more = total - (passages[passage] ?? 0)
    guard more > 0 else { return }
    passages[passage] = total
    holdings[CreditHolder(passage.from), default: Holding()].given &+= more
    holdings[CreditHolder(passage.to), default: Holding()].received &+= more
  }

  private mutating func remember(_ spend: Remembered, at slot: SpendSlot) {
    if let held = remembered[slot] {
      guard held.total < spend.total else { return }
      let name = Name(held.spend.id)
      slots[name]?.removeAll { $0 == slot }
      if slots[name]?.isEmpty == true { slots[name] = nil }
    }
    remembered[slot] = spend
    slots[Name(spend.spend.id), default: []].append(slot)
    let last = lastSlots[slot.replica].flatMap { remembered[$0] }?.total ?? 0
    if last <= spend.total { lastSlots[slot.replica] = slot }
  }

  // MARK: Asking

  /// How much a replica has spent, ever.
  func spent(by replica: ReplicaID) -> Int64 { holdings[CreditHolder(replica)]?.spent ?? 0 }

  /// How much one replica gave to another, ever.
  func moved(from: ReplicaID, to: ReplicaID) -> Int64 {
    passages[Passage(from: from, to: to, isTaken: false)] ?? 0
  }

  /// How much a replica took over from another, ever.
  func taken(from: ReplicaID, by taker: ReplicaID) -> Int64 {
    passages[Passage(from: from, to: taker, isTaken: true)] ?? 0
  }

  /// What a holder holds; less than nothing when it spent what was refunded, or when something is not known yet.
  package func rights(of holder: CreditHolder) -> Int64 { holdings[holder]?.rights ?? 0 }

  /// Whether it is known that a life had spent so much by a cut, or what counts before that.
  func isCarried(upTo cut: Dot, total: Int64) -> Bool {
    guard let carry = carries[CreditHolder(cut.replica)] else { return false }
    return (carry.cut, total) <= (cut.sequence, carry.total)
  }

  /// Whether one of some replicas remembers a spend.
  func remembers(_ spend: CreditSpend, byOneOf replicas: [ReplicaID]) -> Bool {
    slots[Name(spend.id)]?.contains { replicas.contains($0.replica) } ?? false
  }

  /// Whether it is known that a later life made a spend again.
  func isSpentAgain(_ spend: CreditSpend, of life: ReplicaID) -> Bool {
    let known = spentAgain[SpendOfLife(life: life, id: Name(spend.id))]
    return known.map { $0.amount >= spend.amount } ?? false
  }

  /// A spend that is remembered; of several under one id, that of the first replica.
  package func spend(_ id: String) -> CreditSpend? {
    let slot = slots[Name(id)]?.min { ($0.replica, $0.number) < ($1.replica, $1.number) }
    return slot.flatMap { remembered[$0]?.spend }
      ?? greatestAgain[Name(id)].map { CreditSpend(id: id, amount: $0) }
  }

  /// The slot for the next spend of a replica.
  package func nextSlot(of replica: ReplicaID) -> UInt16 {
    lastSlots[replica].map { ($0.number + 1) % Limits.rememberedSpends } ?? 0
  }

  /// What a holder may spend or give away: its rights, less its share of what others lack.
  ///
  /// A holder that is short has spent what was refunded since (a debt), or has spent or given what it never had, as far as
  /// is known here. A debt is paid out of all rights. Other shortfalls are paid by those who were given rights: what came
  /// to them may be what is missing. Holders pay in their order, each as much as it can, so that all together have just
  /// the balance left.
  package func available(to holder: CreditHolder) -> Int64 {
    let rights = rights(of: holder)
    guard rights > 0 else { return 0 }
    var short = shortfall
    guard short.debt > 0 || short.doubt > 0 else { return rights }
    for (other, holding) in holdings.sorted(by: { $0.key < $1.key }) where other < holder {
      _ = short.pay(holding)
    }
    return rights - short.pay(holdings[holder] ?? Holding())
  }

  private struct Shortfall {
    var debt: Int64 = 0
    var doubt: Int64 = 0

    /// Lets a holder pay what it can.
    ///
    /// - Returns: how much that was
    mutating func pay(_ holding: Holding) -> Int64 {
      let rights = max(holding.rights, 0)
      let doubted = min(rights, holding.received, doubt)
      let owed = min(rights - doubted, debt)
      doubt -= doubted
      debt -= owed
      return doubted + owed
    }
  }

  private var shortfall: Shortfall {
    var short = Shortfall()
    for holding in holdings.values where holding.rights < 0 {
      let owed = min(0 &- holding.rights, max(holding.refunded, 0))
      short.debt &+= owed
      short.doubt &+= 0 &- holding.rights &- owed
    }
    return short
  }
}

/// The credits that a transaction buys. A prorated refund leaves its part of them, rounded down.
package struct BoughtCredits: Hashable, Sendable {
  /// What refunds have left.
  let left: Int64
  /// What they have taken back.
  let refunded: Int64

  package init(_ transaction: Transaction, of product: Product) {
    left = creditsBought(by: transaction, of: product)
    var whole = transaction
    whole.revocationDate = nil
    refunded = creditsBought(by: whole, of: product) - left
  }
}

/// What is known of one credit: the escrow counter (docs/semantics.md, section 5).
///
///     rights(i) = issued at i + received by i - given by i - spent by i - carried by i
///
/// `BoundedCounter`, its twin in the tests, is the same by definition, but for lives that were cut. This one keeps the sums as numbers come in.
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

    /// The greatest number of its own spending that is void and that others have seen.
    var seen: Int64 = 0
    /// How much of its own spending is charged to a later life of its device.
    var passedOn: Int64 = 0

    /// What is void takes what there is left, and makes nobody short.
    package var rights: Int64 { left &- void }

    /// Whether anything was bought for it.
    var isBought: Bool { issued != 0 || refunded != 0 }

    /// How much of what it has spent it has paid for, as far as its own numbers say so, and void ones that others have seen.
    var paid: Int64 { spent &+ void }

    private var left: Int64 { issued &+ received &- given &- spent &- carried }

    /// What its void spending takes of what is left.
    private var void: Int64 { min(max(left, 0), max(seen &- spent &- passedOn, 0)) }
  }

  /// A register of what passed from one to another.
  package struct Passage: Hashable, Sendable {
    let from: ReplicaID
    let to: ReplicaID
    let way: Way

    /// How it passed.
    package enum Way: Hashable, Sendable { case given, taken, lost }

    /// Who says so about whom.
    var word: OutsideDevices.Word {
      let (from, to) = (CreditHolder(from), CreditHolder(to))
      return way == .given ? (from, to) : (to, from)
    }
  }

  package private(set) var holdings: [CreditHolder: Holding] = [:]
  private(set) var passages: [Passage: Int64] = [:]
  private(set) var cutLives: [CreditHolder: CutLife] = [:]
  private var remembered = RememberedSpends()

  /// Which holders are lives of one device.
  package var lives: DeviceLives {
    didSet { if lives != oldValue { (settled, worked, fromLost) = (nil, nil, nil) } }
  }
  /// Who pays what by these numbers, nobody where it holds nil; nil as long as nobody has asked.
  var settled: Settlement??
  /// The holders that state numbers of their own.
  private var authors: Set<CreditHolder> = []
  /// The takings of which others name more than the taker has stated itself.
  package private(set) var named: Set<Passage> = []
  /// What each has taken over from devices that are lost, ever; nil: it has to be added up anew.
  var fromLost: [ReplicaID: Int64]?
  /// Who is known and who is not; nil: it has to be worked out anew.
  private var worked: CreditAccounts?
  /// Which of the devices that never were members stand alone by it.
  private var outside = OutsideDevices()
  /// How often it was worked out with all numbers.
  package private(set) var workings = 0

  package init(lives: DeviceLives = DeviceLives()) { self.lives = lives }

  // MARK: Taking in

  /// Counts a purchase, or with a sign of -1 takes it back.
  package mutating func count(_ bought: BoughtCredits, at issuedTo: CreditHolder, sign: Int64) {
    settled = nil
    change(issuedTo) {
      $0.issued &+= sign * bought.left
      $0.refunded &+= sign * bought.refunded
    }
    if outside.mayChange(byPurchasesFor: issuedTo, areThere: isBought(for: issuedTo), lives) { worked = nil }
  }

  /// Takes a register in. The greater number counts; one beyond ``Limits/creditTotal`` is of a dishonest device, and counts as that: what it
  /// has replaced was given and spent as well.
  package mutating func apply(_ entry: CreditEntry, total: UInt64) {
    let total = min(Int64(clamping: total), Limits.creditTotal)
    if authors.insert(CreditHolder(entry.author)).inserted {
      settled = nil
      review(CreditHolder(entry.author))
    }
    guard total > 0 else { return }
    settled = nil
    switch entry {
    case .spent(let replica): spend(total, by: CreditHolder(replica))
    // What a life gave is the greater of its own number and what later lives of its device name.
    case .moved(let from, let to), .movedAgain(let from, let to, _):
      // Nobody is given anything, and gives nothing: what is nobody's is taken over.
      guard ![from, to].contains(where: { CreditHolder($0) == .nobody }) else { return }
      pass(total, Passage(from: from, to: to, way: .given))
    case .taken(let from, let taker): take(total, Passage(from: from, to: taker, way: .taken))
    case .takenAgain(let taken, _):
      let passage = Passage(from: taken.from, to: taken.taker, way: taken.isLost ? .lost : .taken)
      if total > passages[passage] ?? 0 { named.insert(passage) }
      pass(total, passage)
    case .spentInAll(let life, _):
      change(CreditHolder(life)) { $0.seen = max($0.seen, total) }
    case .lost(let from, let taker): take(total, Passage(from: from, to: taker, way: .lost))
    case .spend(let replica, let slot, let spend):
      remember(
        RememberedSpends.Remembered(spend: spend, total: total),
        at: RememberedSpends.Slot(replica: replica, number: slot))
    case .spentAgain(let life, let spend, let carrier):
      name(spend, of: life, before: total - spend.amount, by: carrier)
    }
  }

  private mutating func spend(_ total: Int64, by holder: CreditHolder) {
    let more = total - (holdings[holder]?.spent ?? 0)
    guard more > 0 else { return }
    change(holder) { $0.spent &+= more }
    charge(holder)
  }

  private mutating func name(_ spend: CreditSpend, of life: ReplicaID, before: Int64, by carrier: ReplicaID) {
    let (holder, id) = (CreditHolder(life), Name(spend.id))
    if cutLives[holder] == nil {
      cutLives[holder] = CutLife(carrier: carrier)
      rememberAll(of: holder)
    }
    let named = CutLife.Spend(amount: spend.amount, before: max(before, 0))
    cutLives[holder]?.name(named, id, by: carrier) { [remembered] in
      remembered.all(under: id, of: holder).map(\.ofCutLife)
    }
    charge(holder, by: carrier)
  }

  /// Has a life that was cut remember what its slots hold.
  private mutating func rememberAll(of holder: CreditHolder) {
    for known in remembered.all(of: holder) {
      cutLives[holder]?.remember(known.ofCutLife, Name(known.spend.id))
    }
  }

  /// Charges what a life that was cut has spent, as far as its own number does not say so.
  private mutating func charge(_ holder: CreditHolder, by carrier: ReplicaID? = nil) {
    guard let total = cutLives[holder]?.total(), let life = cutLives[holder].map({ ($0.carrier, $0.charged) })
    else { return }
    charge(0 &- life.1, to: life.0)
    let first = carrier.map { min(life.0, $0) } ?? life.0
    let charged = min(max(total - (holdings[holder]?.spent ?? 0), 0), Limits.creditTotal)
    charge(charged, to: first)
    change(holder) { $0.passedOn = charged }
    // In place: it may be large.
    cutLives[holder]?.charge(charged, to: first)
  }

  private mutating func charge(_ more: Int64, to carrier: ReplicaID) {
    guard more != 0 else { return }
    change(CreditHolder(carrier)) { $0.carried &+= more }
  }

  /// Takes in what a taker states itself.
  private mutating func take(_ total: Int64, _ passage: Passage) {
    if total >= passages[passage] ?? 0 { named.remove(passage) }
    pass(total, passage)
  }

  private mutating func pass(_ total: Int64, _ passage: Passage) {
    let more = total - (passages[passage] ?? 0)
    guard more > 0 else { return }
    passages[passage] = total
    if fromLost != nil, isFromLost(passage) { fromLost?[passage.to, default: 0] &+= more }
    let (giver, receiver) = (CreditHolder(passage.from), CreditHolder(passage.to))
    change(giver) { $0.given &+= more }
    change(receiver) { $0.received &+= more }
    let (from, to) = (party(giver), party(receiver))
    let isKept = worked?.pass(more, from: from, to: to, isGift: passage.way == .given) ?? true
    if !isKept || outside.mayChange(by: passage.word, lives) { worked = nil }
  }

  private mutating func change(_ holder: CreditHolder, _ change: (inout Holding) -> Void) {
    change(&holdings[holder, default: Holding()])
    review(holder)
  }

  // MARK: Who is known

  /// Notes whether a holder is known whose numbers have changed.
  private mutating func review(_ holder: CreditHolder) {
    guard worked != nil, holdings[holder] != nil else { return }
    switch party(holder) {
    case .device(let device): if worked?.know(holder, as: device) == false { worked = nil }
    // Its purchases do not count any more.
    case .stranger: if worked?.known.contains(holder) == true { worked = nil }
    }
  }

  /// Whether nobody knows a holder; see ``CreditAccounts``.
  private func isStranger(_ holder: CreditHolder) -> Bool {
    guard holder != .nobody, !lives.knows(holder), !authors.contains(holder) else { return false }
    guard let held = holdings[holder] else { return true }
    return !held.isBought && held.seen == 0 && held.passedOn == 0
  }

  /// Whether any of it was bought, as far as is known here.
  var isBought: Bool { holdings.values.contains(where: \.isBought) }

  private func isBought(for holder: CreditHolder) -> Bool { holdings[holder]?.isBought ?? false }

  /// The holder that stands for the device of a holder, as ``accounts`` were worked out.
  func device(of holder: CreditHolder) -> CreditHolder { outside.device(of: holder, lives) }

  private func party(_ holder: CreditHolder) -> CreditAccounts.Party {
    isStranger(holder) ? .stranger(holder) : .device(device(of: holder))
  }

  /// Who is known and who is not, and what passed between them.
  var accounts: CreditAccounts {
    mutating get {
      if let worked { return worked }
      workings += 1
      outside = OutsideDevices(
        lives, bought: holdings.lazy.filter(\.value.isBought).map(\.key),
        words: passages.keys.lazy.map(\.word))
      let accounts = CreditAccounts(
        known: Set(holdings.keys.filter { !isStranger($0) }),
        passages: passages.map { passage, amount in
          let (from, to) = (party(CreditHolder(passage.from)), party(CreditHolder(passage.to)))
          return (amount, from, to, passage.way == .given)
        })
      worked = accounts
      return accounts
    }
  }

  /// In how many groups of several devices one of them is at most whose word has these stand alone.
  package static let groupsTold = 8

  /// How many devices and groups of holders that nobody knows are told apart where it is worked out who pays.
  package var toldApart: Int { mutating get { accounts.strangers.count + accounts.known.count } }

  private mutating func remember(_ spend: RememberedSpends.Remembered, at slot: RememberedSpends.Slot) {
    let holder = CreditHolder(slot.replica)
    let (isHeld, former) = remembered.insert(spend, at: slot)
    guard isHeld, cutLives[holder] != nil else { return }
    if let id = former.map({ Name($0.spend.id) }) {
      cutLives[holder]?.forget(id, but: remembered.all(under: id, of: holder).map(\.ofCutLife))
    }
    cutLives[holder]?.remember(spend.ofCutLife, Name(spend.spend.id))
    charge(holder)
  }

  // MARK: Asking

  /// How much a replica has spent, ever.
  func spent(by replica: ReplicaID) -> Int64 { holdings[CreditHolder(replica)]?.spent ?? 0 }

  /// How much one replica gave to another, ever.
  package func moved(from: ReplicaID, to: ReplicaID) -> Int64 {
    passages[Passage(from: from, to: to, way: .given)] ?? 0
  }

  /// How much a replica took over from another, ever.
  package func taken(from: ReplicaID, by taker: ReplicaID) -> Int64 {
    passages[Passage(from: from, to: taker, way: .taken)] ?? 0
  }

  /// How much a replica took over from a device that was lost, ever.
  func lost(from: ReplicaID, by taker: ReplicaID) -> Int64 {
    passages[Passage(from: from, to: taker, way: .lost)] ?? 0
  }

  /// What a holder holds; less than nothing when it spent what was refunded, or when something is not known yet.
  package func rights(of holder: CreditHolder) -> Int64 { holdings[holder]?.rights ?? 0 }

  /// Who holds rights, in the order of the holders.
  package var shares: [CreditShare] {
    mutating get {
      let accounts = accounts
      var shares: [CreditHolder: Int64] = [:]
      for holder in accounts.known { shares[outside.told(holder, lives), default: 0] &+= rights(of: holder) }
      if let stranger = accounts.stranger { shares[stranger] = accounts.strange }
      return shares.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        .map { CreditShare(holder: $0.key, rights: $0.value) }
    }
  }

  /// Whether one of some replicas remembers a spend.
  func remembers(_ spend: CreditSpend, byOneOf replicas: [ReplicaID]) -> Bool {
    remembered.holds(Name(spend.id), byOneOf: replicas)
  }

  /// Whether a later life names a spend.
  func isNamed(_ spend: CreditSpend, of life: ReplicaID) -> Bool {
    cutLives[CreditHolder(life)]?.named[Name(spend.id)].map { $0.amount >= spend.amount } ?? false
  }

  /// A spend that is remembered, and that its life has paid for; of several under one id, that of the first replica.
  package func spend(_ id: String) -> CreditSpend? {
    // What is remembered of a life that was cut is charged to the one that names its spends.
    let spend = remembered.spend(under: Name(id)) { holder in
      cutLives[holder] == nil ? holdings[holder]?.paid ?? 0 : nil
    }
    let named = cutLives.values.lazy.compactMap { $0.named[Name(id)]?.amount }.max()
    return spend ?? named.map { CreditSpend(id: id, amount: $0) }
  }

  /// The slot for the next spend of a replica.
  package func nextSlot(of replica: ReplicaID) -> UInt16 { remembered.nextSlot(of: replica) }

  /// The number of the next spend of a replica, from 1.
  package func nextNumber(of replica: ReplicaID) -> UInt64 {
    (remembered.last(of: replica)?.spend.number ?? 0) + 1
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
    whole.revocation = Transaction.Revocation()
    refunded = creditsBought(by: whole, of: product) - left
  }
}

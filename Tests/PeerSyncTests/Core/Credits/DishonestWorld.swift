import PeerSyncCore

/// Honest devices of one group and others that lie, with their numbers of one credit. Honest ones give, level, spend and take over by the
/// rules of the escrow. The others state whatever they like, raise what a unit buys, and are removed one after the other with all that they
/// had decided.
struct DishonestWorld {
  /// What nobody's purchases stand at.
  private static let nobody = ReplicaID(high: 0, low: 0)
  private static let keys = (0..<6).map { Author(UInt64($0 + 1)).key.publicKey }
  /// What a unit buys whose amount can be raised.
  private static let amount: Int64 = 5

  /// The first of them is the custodian.
  let honest: [ReplicaID]
  let liars: [ReplicaID]
  /// Holders that no device is.
  private let madeUp: [ReplicaID]
  private(set) var state: CreditState
  private var removed: [ReplicaID] = []
  private var units: [ReplicaID] = []
  /// What a unit buys now.
  private var unit = Self.amount
  private var totals: [CreditEntry: Int64] = [:]
  private var hasChanged = false
  private var random: SeededGenerator

  /// What was bought in all, by the right amounts.
  private(set) var bought: Int64 = 0
  /// What honest devices have spent.
  private(set) var spent: Int64 = 0
  /// What liars say that they have spent: nobody can tell whether it is so.
  var spentByLiars: Int64 { liars.reduce(0) { $0 + (totals[.spent(by: $1)] ?? 0) } }
  /// What honest devices may spend together.
  var available: Int64 {
    var state = state
    return honest.reduce(0) { $0 + state.available(to: CreditHolder($1)) }
  }
  /// The honest devices that have less than nothing.
  var short: [ReplicaID] { honest.filter { state.rights(of: CreditHolder($0)) < 0 } }

  /// - Parameter random: says who is who, and what each does
  init(_ random: SeededGenerator) {
    self.random = random
    let ids = (0..<8).map(CreditStateTests.replica).shuffled(using: &self.random)
    (honest, liars, madeUp) = (Array(ids[..<3]), Array(ids[3..<6]), Array(ids[6...]))
    state = CreditState(lives: Self.lives(honest + liars, removed: []))
  }

  private static func lives(_ devices: [ReplicaID], removed: [ReplicaID]) -> DeviceLives {
    let members = zip(devices, keys).filter { !removed.contains($0.0) }.map(\.1)
    let gone = Set(zip(devices, keys).filter { removed.contains($0.0) }.map(\.1))
    return DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(devices.map { CreditHolder($0) }, keys)),
      members: Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) }),
      removed: gone, succession: Succession(takenBack: gone))
  }

  private var members: [ReplicaID] { (honest + liars).filter { !removed.contains($0) } }
  private var custodian: ReplicaID { honest[0] }

  // MARK: What happens

  /// Devices buy, give and lie, also out of a raised amount, until all liars are removed.
  ///
  /// - Parameter isRaised: a liar raises an amount for a while. Whoever spent out of it lacks that rightly, so honest ones do not spend then
  mutating func run(isRaised: Bool) {
    buy(20, custodian)
    buyUnits(2, random.pick(honest))
    for _ in 0..<random.pick(4...14) { step(maySpend: !isRaised) }
    if isRaised {
      setUnit([1_000, 1_000_000, Int64(Limits.creditAmount)][random.below(3)])
      for _ in 0..<random.pick(4...10) { step(maySpend: false) }
      setUnit(Self.amount)
    }
    for liar in liars.shuffled(using: &random) {
      removed.append(liar)
      state.lives = Self.lives(honest + liars, removed: removed)
      sometimesLie()
      if !random.chance(3) { _ = settle() }
      if !isRaised, random.chance(2) { spend(random.pick(honest)) }
      sometimesLie()
    }
  }

  private mutating func step(maySpend: Bool) {
    let (device, liar) = (random.pick(honest), random.pick(liars))
    switch random.below(12) {
    case 0: buy(Int64(random.pick(1...10)) * 10, random.pick([device, device, Self.nobody]))
    case 1: buyUnits(random.pick(1...3), random.pick([device, liar]))
    case 2, 3: level(device, with: random.pick(members.filter { $0 != device }))
    case 4, 5: ask(random.chance(2) ? anyNumber() : .max, of: device, for: liar)
    case 6: if maySpend { spend(device) }
    default: lie(liar)
    }
  }

  private mutating func sometimesLie() {
    for liar in liars where !removed.contains(liar) && random.chance(2) { lie(liar) }
  }

  /// A number of the kind that liars state.
  private mutating func anyNumber() -> Int64 {
    switch random.below(6) {
    case 0: Limits.creditTotal
    case 1: Int64(random.pick(1...1_000_000_000))
    case 2: Int64(random.pick(1...1_000))
    default: Int64(random.pick(1...100))
    }
  }

  private mutating func lie(_ liar: ReplicaID) {
    let others = (honest + liars + madeUp).filter { $0 != liar }
    let own = max(state.rights(of: CreditHolder(liar)), 0)
    let amount = random.chance(3) ? own : anyNumber()
    switch random.below(8) {
    case 0, 1: add(amount, .spent(by: liar))
    case 2, 3, 4: add(amount, .moved(from: liar, to: random.pick(others)))
    case 5:
      let source = random.pick([Self.nobody] + madeUp + liars.filter { $0 != liar })
      add(amount, .taken(from: source, by: liar))
    case 6: add(amount, .lost(from: random.pick(madeUp), by: liar))
    default: buyUnits(random.pick(1...3), liar)
    }
  }

  // MARK: Purchases

  mutating func buy(_ amount: Int64, _ holder: ReplicaID) {
    bought += amount
    count(amount, holder, sign: 1)
  }

  private mutating func buyUnits(_ number: Int, _ holder: ReplicaID) {
    for _ in 0..<number {
      bought += Self.amount
      units.append(holder)
      count(unit, holder, sign: 1)
    }
  }

  private mutating func setUnit(_ amount: Int64) {
    for holder in units {
      count(unit, holder, sign: -1)
      count(amount, holder, sign: 1)
    }
    unit = amount
  }

  private mutating func count(_ amount: Int64, _ holder: ReplicaID, sign: Int64) {
    let holder = holder == Self.nobody ? CreditHolder.nobody : CreditHolder(holder)
    state.count(CreditStateTests.bought(amount, of: amount), at: holder, sign: sign)
  }

  // MARK: Numbers

  private mutating func add(_ amount: Int64, _ entry: CreditEntry) {
    let total = min((totals[entry] ?? 0) + min(amount, Limits.creditTotal), Limits.creditTotal)
    guard total > totals[entry] ?? 0 else { return }
    totals[entry] = total
    hasChanged = true
    // From whom nobody may take over nothing counts: the ledger leaves it out.
    if counts(entry) { state.apply(entry, total: UInt64(total)) }
  }

  private func counts(_ entry: CreditEntry) -> Bool {
    switch entry {
    case .taken(let source, let taker):
      source == Self.nobody || madeUp.contains(source) || removed.contains(source) && taker == custodian
    default: true
    }
  }

  /// Spends no more than what it has bought itself.
  private mutating func spend(_ device: ReplicaID) {
    let left = state.available(to: CreditHolder(device))
    let own = state.holdings[CreditHolder(device)]?.issued ?? 0
    let most = min(left, own - (totals[.spent(by: device)] ?? 0))
    guard most > 0 else { return }
    let amount = Int64(random.pick(1...Int(min(most, 1_000))))
    spent += amount
    add(amount, .spent(by: device))
  }

  private mutating func give(_ amount: Int64, from giver: ReplicaID, to receiver: ReplicaID) {
    let left = Limits.creditTotal - state.moved(from: giver, to: receiver)
    add(min(amount, left), .moved(from: giver, to: receiver))
  }

  private mutating func ask(_ amount: Int64, of device: ReplicaID, for receiver: ReplicaID) {
    guard members.contains(receiver) else { return }
    let (own, other) = (CreditHolder(device), CreditHolder(receiver))
    give(min(amount, state.available(to: own) + state.paid(by: own, for: other)), from: device, to: receiver)
  }

  /// Gives another one what it pays for it, and half of what it has more.
  private mutating func level(_ device: ReplicaID, with other: ReplicaID) {
    give(state.paid(by: CreditHolder(device), for: CreditHolder(other)), from: device, to: other)
    let own = state.available(to: CreditHolder(device))
    let theirs = max(state.rights(of: CreditHolder(other)), 0 - own)
    guard own >= 2, own - theirs >= 2, theirs < own - theirs else { return }
    let amount = min((own - theirs) / 2, own, Limits.creditTotal / 2 - state.moved(from: device, to: other))
    guard amount > 0, theirs + amount > 0 else { return }
    let gain = state.gain(of: amount, from: device, to: other)
    if gain.receiver > 0, gain.both >= 0 { give(amount, from: device, to: other) }
  }

  /// Levels, takes over and reclaims what is lost until nothing more happens.
  ///
  /// - Returns: whether it came to an end soon
  mutating func settle() -> Bool {
    for _ in 0..<40 {
      hasChanged = false
      takeOver()
      for device in honest {
        for other in members where other != device { level(device, with: other) }
      }
      reclaimLost()
      if !hasChanged { return true }
    }
    return false
  }

  private mutating func takeOver() {
    for (source, amount) in Escrow.lost(of: [Self.nobody] + removed, by: custodian, &state) {
      add(amount, .taken(from: source, by: custodian))
    }
  }

  private mutating func reclaimLost() {
    for one in state.reclaimable {
      guard let source = madeUp.first(where: { CreditHolder($0) == one.holder }) else { continue }
      let left = one.left(beyond: totals[.lost(from: source, by: custodian)] ?? 0)
      add(left.rights + left.owed, .lost(from: source, by: custodian))
    }
  }
}

/// What one person has bought, and what follows from it.
///
/// A ledger takes facts in any order, any number of times, and answers with views: which lines are covered and until
/// when, which entitlements hold, how many credits are left, and why. The views are derived when asked for and never
/// replicated, so that two ledgers with the same facts answer alike (docs/semantics.md, I2 and I8).
///
/// Facts of other environments and apps are kept but grant nothing [B26]. Purchases of unknown products are kept and count
/// as soon as a product arrives [B22]. A new fact touches only the line, credit or product it belongs to; a line is folded
/// again when it is next asked for, if something in it has changed.
///
/// Asking changes only caches. The present is always an argument.
public struct Ledger: Sendable {
  /// The environment whose purchases count.
  public let environment: Environment
  /// The app whose purchases count.
  public let bundleId: String
  /// How many registers could not be decoded: written by a later version, or damaged. Each application counts.
  public private(set) var unreadable = 0

  var products: [Name: ProductState] = [:]
  var snapshots: [TransactionKey: Snapshot<Transaction>] = [:]
  /// What the store says of the renewal of this app's subscriptions.
  var renewals: [OriginalKey: Snapshot<RenewalInfo>] = [:]
  /// Why items do not count, of those whose signature was looked at.
  var refused: [StoreSubject: [StoreItemID: JWSRejection]] = [:]
  var disputed = Contradictions()
  var byProduct: [Name: [TransactionKey]] = [:]
  var grants: [Name: [Name: Decision<Grant>]] = [:]
  var lines: [Name: LineState] = [:]
  var credits: [Name: CreditState] = [:]
  /// The credits of which a purchase was ever counted: a member may have made up names of others by the hundred thousand.
  var creditsIssued: Set<Name> = []
  /// Which holders of credits are lives of one device.
  var lives = DeviceLives()
  var owned: [Name: OwnershipState] = [:]
  var subscriptions: [OriginalKey: SubscriptionRecord] = [:]
  /// The subscriptions in the order of their references; nil when one has come since.
  var subscriptionOrder: [OriginalKey]?
  /// When the store signed what counts here.
  var signed = SignedDates()
  var plan: EntitlementPlan?
  var cachedView: CachedView?

  /// Makes an empty ledger of an app in an environment.
  public init(environment: Environment, bundleId: String) {
    self.environment = environment
    self.bundleId = bundleId
  }

  /// Takes in a register as bytes. One that cannot be read is counted in ``unreadable`` and changes nothing else.
  package mutating func apply(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>, stamp: Stamp) {
    guard let read = ReadFact(key: key, value: value, stamp: stamp) else { return noteUnreadable() }
    apply(read)
  }

  mutating func noteUnreadable() { unreadable += 1 }

  /// Takes in what a register says that no store has signed.
  mutating func apply(_ read: ReadFact) {
    guard let entries = read.entries else { return apply(read.fact, read.rank) }
    for entry in entries { apply(entry) }
  }

  /// Takes in a fact. Of what devices decide the greater stamp wins; of equal stamps the greater first byte of the value, then
  /// its greater hash; of a product the greater version before all that. Of the snapshots of a transaction the same one stands
  /// in whatever order they come, and none that does not count hides one that does [C40]. Applying a fact again changes
  /// nothing.
  public mutating func apply(_ fact: Fact, stamp: Stamp) {
    let version: UInt64 = if case .product(_, let version) = fact { version } else { 0 }
    let from: Instant? = if case .product(let product, _) = fact { product.from } else { nil }
    apply(fact, DecisionRank(version: version, stamp: stamp, from: from, value: fact.value))
  }

  private mutating func apply(_ fact: Fact, _ rank: DecisionRank) {
    switch fact {
    case .transaction(let transaction, let device): apply(transaction, device: device, stamp: rank.stamp)
    case .product(let product, _): apply(Decision(value: product, rank: rank))
    case .expiration(let line, let register):
      let decision = Decision(value: register, rank: rank)
      if lines[Name(line)]?.register?.yields(to: decision) ?? true { set(decision, at: Name(line)) }
    case .grant(let entitlement, let id, let grant):
      let decision = Decision(value: grant, rank: rank)
      if grants[Name(entitlement)]?[Name(id)]?.yields(to: decision) ?? true {
        set(decision, of: Name(entitlement), at: Name(id))
      }
    case .credit(let credit, let entry): apply(entry, of: Name(credit), stamp: rank.stamp)
    case .other: break
    }
  }

  /// Takes in all that counts of what several authors have decided under one key, in the place of what stood there: an author
  /// may have replaced its decision by one with a lower stamp, or not count any more.
  package mutating func decide(
    _ key: RegisterKey, among candidates: some Sequence<(rank: DecisionRank, value: [UInt8])>
  ) {
    if case .product(let id) = key { return decide(product: id, among: candidates) }
    var scratch = Ledger(environment: environment, bundleId: bundleId)
    for (rank, value) in candidates {
      if let fact = try? Fact(key: key, value: value[...]) {
        scratch.apply(fact, rank)
      } else {
        scratch.unreadable += 1
      }
    }
    unreadable += scratch.unreadable
    switch key {
    case .expiration(let line):
      let (held, decision) = (lines[Name(line)]?.register, scratch.lines[Name(line)]?.register)
      if held?.rank != decision?.rank { set(decision, at: Name(line)) }
    case .grant(let entitlement, let id):
      let decision = scratch.grants[Name(entitlement)]?[Name(id)]
      if grants[Name(entitlement)]?[Name(id)]?.rank != decision?.rank {
        set(decision, of: Name(entitlement), at: Name(id))
      }
    case .product, .transaction, .renewalInfo, .creditRow, .creditTransfer, .creditTaking, .creditLost,
      .creditSpend,
      .creditSpendAgain, .creditTransferAgain, .creditRowAgain, .creditTakingAgain, .value, .storePart,
      .deviceName:
      break
    }
  }

  /// All entries that authors state of a product, in the place of what stood there.
  private mutating func decide(
    product id: String, among candidates: some Sequence<(rank: DecisionRank, value: [UInt8])>
  ) {
    let statements = ProductStatements(of: id, candidates.map { ($0.rank.stamp, $0.value) })
    unreadable += statements.unreadable
    let living = statements.living.map(\.decision)
    let state = living.isEmpty ? nil : ProductState(living, replaced: statements.replaced)
    if products[Name(id)]?.timeline.steps.map(\.rank) == state?.timeline.steps.map(\.rank) {
      products[Name(id)] = state
    } else {
      set(state, at: Name(id))
    }
  }

  /// Takes in an entry of a product.
  private mutating func apply(_ entry: Decision<Product>) {
    let name = Name(entry.value.id)
    var state = products[name] ?? ProductState()
    if state.insert(entry) { set(state, at: name) } else { products[name] = state }
  }

  private mutating func apply(_ transaction: Transaction, device: DeviceID?, stamp: Stamp) {
    take(
      Snapshot(value: transaction, stamp: stamp),
      at: TransactionKey(transaction, device: device))
  }

  /// Takes in one of the items about a transaction.
  mutating func take(_ snapshot: Snapshot<Transaction>, at key: TransactionKey) {
    // Of every item, not only of the one that stands: what is known must not depend on what came first.
    if isOwn(key), snapshot.value.isAccepted { signed.note(snapshot.value.signedDate) }
    let held = snapshots[key]
    if let held {
      if held.isOutdated(by: snapshot) { disputed.transactions.remove(key) }
      if held.contradicts(snapshot) { disputed.transactions.insert(key) }
      if held.isOtherPurchase(than: snapshot) { disputed.reused.insert(key) }
      guard held.yields(to: snapshot) else { return }
      detach(key, held.value)
    }
    list(key, under: snapshot.value.productId, insteadOf: held?.value.productId)
    products[Name(snapshot.value.productId)]?.revalued = nil
    if let held { products[Name(held.value.productId)]?.revalued = nil }
    snapshots[key] = snapshot
    attach(key, snapshot.value)
    // Of an unknown product as well: its revocation outranks a grant that stands for it.
    if isOwn(key) { cachedView = nil }
  }

  private mutating func set(_ product: ProductState?, at name: Name) {
    let purchases = byProduct[name] ?? []
    // The last first: taking out of the end of a list costs least.
    for key in purchases.reversed() { snapshots[key].map { detach(key, $0.value) } }
    products[name] = product
    for key in purchases { snapshots[key].map { attach(key, $0.value) } }
    forgetSubscriptionViews()
    plan = nil
    cachedView = nil
  }

  private mutating func set(_ register: Decision<ExpirationRegister>?, at line: Name) {
    lines[line, default: LineState()].set(register)
    plan = nil
    cachedView = nil
  }

  private mutating func set(_ grant: Decision<Grant>?, of entitlement: Name, at id: Name) {
    grants[entitlement, default: [:]][id] = grant
    plan = nil
    cachedView = nil
  }
}

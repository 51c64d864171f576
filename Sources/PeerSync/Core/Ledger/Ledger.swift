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

  var products: [Name: Stamped<Product>] = [:]
  var snapshots: [TransactionKey: Snapshot<Transaction>] = [:]
  /// What the store says of the renewal of this app's subscriptions.
  var renewals: [OriginalKey: Snapshot<RenewalInfo>] = [:]
  /// Why items do not count, of those whose signature was looked at.
  var refused: [StoreSubject: [StoreItemID: JWSRejection]] = [:]
  /// Transactions of which the store has signed different things in the millisecond that counts.
  var contradicted: Set<TransactionKey> = []
  /// Subscriptions of whose renewal it has done so.
  var contradictedRenewals: Set<OriginalKey> = []
  var byProduct: [Name: [TransactionKey]] = [:]
  var grants: [Name: [Name: Stamped<Grant>]] = [:]
  var lines: [Name: LineState] = [:]
  var credits: [Name: CreditState] = [:]
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
    guard let fact = try? Fact(key: key, value: value) else {
      unreadable += 1
      return
    }
    apply(fact, stamp: stamp)
  }

  /// Takes in a fact. The greater stamp wins; on equal stamps the greater first byte of the value; then the fact given
  /// last, because the replica that calls decides by the hash of the content. Of the snapshots of a transaction the same
  /// one stands in whatever order they come, and none that does not count hides one that does [C40]. Applying a fact again
  /// changes nothing.
  public mutating func apply(_ fact: Fact, stamp: Stamp) {
    switch fact {
    case .transaction(let transaction, let device): apply(transaction, device: device, stamp: stamp)
    case .product(let product): apply(product, stamp: stamp)
    case .expiration(let line, let register): apply(register, line: Name(line), stamp: stamp)
    case .grant(let entitlement, let id, let grant):
      apply(grant, entitlement: Name(entitlement), id: Name(id), stamp: stamp)
    case .credit(let credit, let entry): apply(entry, of: Name(credit), stamp: stamp)
    case .other: break
    }
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
      if held.isOutdated(by: snapshot) { contradicted.remove(key) }
      if held.contradicts(snapshot) { contradicted.insert(key) }
      guard held.yields(to: snapshot) else { return }
      detach(key, held.value)
    }
    list(key, under: snapshot.value.productId, insteadOf: held?.value.productId)
    snapshots[key] = snapshot
    attach(key, snapshot.value)
    // Of an unknown product as well: its revocation outranks a grant that stands for it.
    if isOwn(key) { cachedView = nil }
  }

  private mutating func apply(_ product: Product, stamp: Stamp) {
    let name = Name(product.id)
    if let held = products[name] {
      guard held.yields(to: stamp, product.precedence) else { return }
      if held.stamp == stamp, held.value.encoded == product.encoded { return }
    }
    let purchases = byProduct[name] ?? []
    // The last first: taking out of the end of a list costs least.
    for key in purchases.reversed() { snapshots[key].map { detach(key, $0.value) } }
    products[name] = Stamped(value: product, stamp: stamp, precedence: product.precedence)
    for key in purchases { snapshots[key].map { attach(key, $0.value) } }
    forgetSubscriptionViews()
    plan = nil
    cachedView = nil
  }

  private mutating func apply(_ register: ExpirationRegister, line: Name, stamp: Stamp) {
    if let held = lines[line]?.register, !held.yields(to: stamp, register.precedence) { return }
    lines[line, default: LineState()].set(
      Stamped(value: register, stamp: stamp, precedence: register.precedence))
    plan = nil
    cachedView = nil
  }

  private mutating func apply(_ grant: Grant, entitlement: Name, id: Name, stamp: Stamp) {
    if let held = grants[entitlement]?[id], !held.yields(to: stamp, grant.precedence) { return }
    grants[entitlement, default: [:]][id] = Stamped(value: grant, stamp: stamp, precedence: grant.precedence)
    plan = nil
    cachedView = nil
  }
}

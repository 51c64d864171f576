import PeerSyncCore

// What the store knows, found and changed. Every change of a transaction or subscription has a revision of its own, and is
// signed later than the one before.
extension SandboxStore {
  /// The transaction of an id.
  package func transaction(_ id: UInt64) -> SandboxTransaction? {
    index(of: id).map { transactions[$0] }
  }

  /// Where the transaction of an id stands.
  func index(of id: UInt64) -> Int? {
    let index = transactions.partitionPoint { $0.id >= id }
    return index < transactions.count && transactions[index].id == id ? index : nil
  }

  package func product(_ id: String) -> SandboxProduct? { products[Name(id)] }

  func require(_ id: UInt64) throws(SandboxRefusal) -> SandboxTransaction {
    guard let transaction = transaction(id) else { throw .unknownTransaction(id) }
    return transaction
  }

  /// Where the subscription of a transaction stands.
  func requireSubscription(_ id: UInt64) throws(SandboxRefusal) -> Int {
    guard let place = places[try require(id).original] else { throw .notSubscription(id) }
    return place
  }

  package func require(account id: String) throws(SandboxRefusal) -> SandboxAccount {
    guard let account = accounts[Name(id)] else { throw .unknownAccount(id) }
    return account
  }

  /// The account of a name, which is made when it first comes.
  mutating func open(account id: String) throws(SandboxRefusal) -> SandboxAccount {
    if let account = accounts[Name(id)] { return account }
    guard (1...Limits.textBytes).contains(id.utf8.count) else { throw .tooLong }
    guard accounts.count < Limits.sandboxAccounts else { throw .full("accounts") }
    let account = SandboxAccount(id: id)
    accounts[Name(id)] = account
    events.append(.account(account))
    return account
  }

  mutating func set(_ account: SandboxAccount, _ change: (inout SandboxAccount) -> Void) {
    var changed = account
    change(&changed)
    guard changed != account || changed.names != account.names else { return }
    accounts[Name(account.id)] = changed
    events.append(.account(changed))
  }

  mutating func set(_ product: SandboxProduct, _ change: (inout SandboxProduct) -> Void) {
    var changed = product
    change(&changed)
    guard changed != product else { return }
    products[Name(product.id)] = changed
    events.append(.product(changed))
    lookAtWinBack { Name($0.productId) == Name(product.id) }
  }

  /// Changes a transaction, which is signed anew.
  mutating func set(_ id: UInt64, _ change: (inout SandboxTransaction) -> Void) {
    guard let index = index(of: id) else { return }
    let old = transactions[index]
    var changed = old
    change(&changed)
    guard changed != old else { return }
    revision += 1
    changed.version.renew(at: time, revision)
    transactions[index] = changed
    events.append(.transaction(changed))
  }

  /// Changes a subscription, which is signed anew.
  mutating func set(subscription index: Int, _ change: (inout SandboxSubscription) -> Void) {
    let old = subscriptions[index]
    change(&subscriptions[index])
    listWinBack(at: index)
    guard subscriptions[index] != old || subscriptions[index].names != old.names else { return }
    revision += 1
    subscriptions[index].version.renew(at: time, revision)
    events.append(.subscription(subscriptions[index]))
    for shared in shared(subscriptions[index]) { events.append(.shared(shared)) }
    // Whether a customer is to be won back depends on all that he has.
    if subscriptions[index].state != old.state { lookAtWinBack { Name($0.account) == Name(old.account) } }
  }

  /// Notes that something was tried or looked at, which nobody signs.
  mutating func note(subscription index: Int, _ change: (inout SandboxSubscription) -> Void) {
    change(&subscriptions[index])
    events.append(.subscription(subscriptions[index]))
  }

  /// Records a purchase or renewal.
  mutating func add(_ make: (_ id: UInt64, _ revision: UInt64) -> SandboxTransaction) -> SandboxTransaction {
    revision += 1
    let next = transactions.last.map { $0.id + 1 } ?? terms.firstId
    let transaction = make(max(next, terms.nextId ?? next), revision)
    transactions.append(transaction)
    events.append(.transaction(transaction))
    return transaction
  }

  var isFull: Bool {
    transactions.count >= Limits.sandboxTransactions || subscriptions.count >= Limits.sandboxSubscriptions
  }

  // MARK: Notifications

  /// Tells servers of a transaction, and of its subscription as it is for whose transaction it is.
  @discardableResult mutating func notify(_ type: String, _ subtype: String? = nil, _ id: UInt64) -> UInt64 {
    guard let transaction = transaction(id) else { return 0 }
    let subscription = subscription(for: transaction)
    let state = transaction.sharedFrom == nil ? subscription?.state : status(of: transaction)
    return notify(
      type, subtype, bundleId: transaction.bundleId, transaction: id, subscription: subscription?.original,
      status: subscription == nil ? nil : state?.rawValue)
  }

  mutating func notify(
    _ type: String, _ subtype: String? = nil, bundleId: String, transaction: UInt64? = nil,
    subscription: UInt64? = nil, status: Int? = nil
  ) -> UInt64 {
    let number = (notifications.last?.number ?? terms.notificationsGone) + 1
    let notification = SandboxNotification(
      number: number, type: type, subtype: subtype, bundleId: bundleId, transaction: transaction,
      subscription: subscription, status: status, signed: time, uuid: terms.uuid(number))
    notifications.append(notification)
    if notifications.count > Limits.sandboxNotifications {
      // Many at once: moving the rest for each would cost more than all else.
      let gone = Limits.sandboxNotifications / 10
      terms.notificationsGone = notifications[gone - 1].number
      notifications.removeFirst(gone)
    }
    events.append(.notification(notification))
    return number
  }

  /// Tells servers of something that changes nothing.
  mutating func tell(_ type: String, about id: UInt64) throws(SandboxRefusal) -> SandboxResult {
    _ = try require(id)
    return .notification(notify(type, nil, id))
  }

  mutating func posted(_ number: UInt64, _ attempt: SandboxNotification.Attempt, _ isDelivered: Bool)
    -> SandboxResult
  {
    guard let first = notifications.first?.number, number >= first,
      number - first < UInt64(notifications.count)
    else { return .done }
    let index = Int(number - first)
    if notifications[index].attempts.count < Limits.sandboxAttempts {
      notifications[index].attempts.append(attempt)
    }
    notifications[index].isDelivered = isDelivered
    events.append(.attempted(notifications[index]))
    return .done
  }
}

// Values are equal whose texts only look alike: what names something is compared by its bytes besides.
extension SandboxAccount {
  fileprivate var names: [Name?] { [family.map(Name.init)] }
}

extension SandboxSubscription {
  fileprivate var names: [Name?] {
    ([course.productId, renewal.nextProductId, offers.offerProductId, offers.offer?.id, offers.nextOffer?.id]
      + (offers.winBackOffers ?? [])).map { $0.map(Name.init) }
  }
}

extension SandboxProduct {
  /// Its group, and its offers.
  var names: [Name?] { [Name(group)] + offers.map { $0.id.map(Name.init) } }
}

extension SandboxTerms {
  /// A name in the form of a UUID of version 4. (It is made of the seed and the run: a pure value has no random numbers.)
  func uuid(_ number: UInt64) -> String {
    let start = run.map { mix(self.seed ^ mix($0)) } ?? self.seed
    let (high, low) = (mix(start &+ number &* 2), mix(start &+ number &* 2 &+ 1))
    let digits = Array(hexadecimal(high & 0xffff_ffff_ffff_0fff | 0x4000))
    let rest = Array(hexadecimal(low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000))
    return [digits[0..<8], digits[8..<12], digits[12..<16], rest[0..<4], rest[4..<16]]
      .map { String($0) }.joined(separator: "-")
  }

  /// The mixing function of SplitMix64 (Steele, Lea, Flood, 2014).
  private func mix(_ value: UInt64) -> UInt64 {
    var value = value &* 0x9e37_79b9_7f4a_7c15
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

extension SandboxStore {
  /// A store as it was kept.
  package init(
    terms: SandboxTerms, at time: Instant, revision: UInt64, products: [SandboxProduct],
    accounts: [SandboxAccount],
    transactions: [SandboxTransaction], subscriptions: [SandboxSubscription], requests: [SandboxRequest],
    notifications: [SandboxNotification]
  ) {
    self.init(terms: terms, at: time)
    self.revision = revision
    for product in products { self.products[Name(product.id)] = product }
    for account in accounts { self.accounts[Name(account.id)] = account }
    self.transactions = transactions
    self.subscriptions = subscriptions
    self.requests = requests
    self.notifications = notifications
    for (place, subscription) in subscriptions.enumerated() {
      places[subscription.original] = place
      // A store of before has kept only how much of the introductory offer is left.
      guard subscription.offer == nil, subscription.offerPeriodsLeft > 0 else { continue }
      let introductory = product(subscription.productId)?.introductory
      self.subscriptions[place].offers.take(
        introductory, of: subscription.productId, payments: subscription.offerPeriodsLeft)
    }
    // A store of before has listed no win-back offers.
    lookAtWinBack()
  }
}

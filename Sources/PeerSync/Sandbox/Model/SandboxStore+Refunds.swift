import PeerSyncCore

// Taking purchases back, giving them again, and what families share.
extension SandboxStore {
  mutating func refund(_ id: UInt64, _ percentage: Int?) throws(SandboxRefusal) -> SandboxResult {
    let transaction = try require(id)
    guard transaction.revocation == nil else { throw .alreadyRefunded(id) }
    if let percentage {
      guard (1...Transaction.wholeMilliunits).contains(percentage) else { throw .wrongPart(percentage) }
    }
    let type = percentage == nil ? RevocationType.refundFull : .refundProrated
    revoke(id, type, percentage)
    let hasTurnedOff = stop(transaction)
    notify("REFUND", nil, id)
    if hasTurnedOff { notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", id) }
    for shared in copies(of: transaction) { withdrawShare(shared) }
    return .done
  }

  private mutating func revoke(_ id: UInt64, _ type: RevocationType, _ percentage: Int? = nil) {
    set(id) { [time] in
      $0.standing.revocation = SandboxTransaction.Revocation(
        date: time, type: type, reason: 0, percentage: percentage)
    }
  }

  /// A subscription ends with the refund of the period that runs.
  ///
  /// - Returns: whether it would have renewed
  private mutating func stop(_ transaction: SandboxTransaction) -> Bool {
    guard let place = places[transaction.original], subscriptions[place].latest == transaction.id,
      subscriptions[place].state != .expired
    else { return false }
    let wasOn = subscriptions[place].willRenew
    set(subscription: place) { $0.renewal.end(.revoked, nil) }
    return wasOn
  }

  mutating func reverseRefund(_ id: UInt64) throws(SandboxRefusal) -> SandboxResult {
    let transaction = try require(id)
    guard let revocation = transaction.revocation, revocation.type != .familyRevoke else {
      throw .notRefunded(id)
    }
    set(id) { ($0.standing.revocation, $0.standing.wasReturned) = (nil, true) }
    if let place = places[transaction.original], subscriptions[place].latest == id,
      subscriptions[place].state == .revoked
    {
      set(subscription: place) { [time] in $0.renewal.restore(isRunning: $0.course.expires > time) }
    }
    notify("REFUND_REVERSED", nil, id)
    if let returned = self.transaction(id) { share(returned) }
    return .done
  }

  // MARK: Families

  /// Why a family gets something.
  enum Sharing {
    /// Somebody bought it, has it back, or joins.
    case access
    /// The next period has begun, with the subtype that the buyer's notification has.
    case renewal(String?)
  }

  /// Gives the family what one of it has bought. Servers hear of each who shares it.
  mutating func share(_ bought: SandboxTransaction, _ why: Sharing = .access) {
    guard bought.ownership == .purchased, bought.revocation == nil,
      product(bought.productId)?.isFamilyShareable == true,
      let family = accounts[Name(bought.account)]?.family
    else { return }
    for member in members(of: family) where Name(member) != Name(bought.account) {
      share(bought, with: member, why)
    }
  }

  private func members(of family: String) -> [String] {
    accounts.values.filter { $0.family.map(Name.init) == Name(family) }.map(\.id).sortedUniqueNames()
  }

  /// A transaction of his own, with the dates of the one that is shared.
  private mutating func share(_ bought: SandboxTransaction, with member: String, _ why: Sharing) {
    let earlier = transactions.last {
      Name($0.account) == Name(member) && $0.sharedFrom == bought.original && $0.revocation == nil
    }
    let isKnown =
      earlier.map { Name($0.productId) == Name(bought.productId) && $0.expires == bought.expires } ?? false
    guard !isFull, !isKnown else { return }
    let line = transactions.first { Name($0.account) == Name(member) && $0.sharedFrom == bought.original }?
      .original
    let news = news(of: bought, for: member, isNew: earlier == nil, why)
    let copy = add { [time] id, revision in
      SandboxTransaction(
        bought.sale.shared(with: member, as: id, line: line ?? id),
        SandboxVersion(signed: time, revision: revision))
    }
    if let subscription = subscription(for: copy) { events.append(.shared(subscription)) }
    // What was given back after its end gives no access.
    if isStanding(bought) { notify(news.type, news.subtype, copy.id) }
  }

  /// What servers hear of one with whom something is shared.
  ///
  /// - Parameter isNew: whether he did not share the period before
  private func news(
    of bought: SandboxTransaction, for member: String, isNew: Bool, _ why: Sharing
  ) -> (type: String, subtype: String?) {
    guard bought.type == .autoRenewableSubscription else { return ("ONE_TIME_CHARGE", nil) }
    if case .renewal(let subtype) = why, !isNew { return ("DID_RENEW", subtype) }
    let hadOne = transactions.contains {
      Name($0.account) == Name(member) && Name($0.bundleId) == Name(bought.bundleId)
        && $0.group.map(Name.init) == bought.group.map(Name.init)
    }
    return ("SUBSCRIBED", hadOne ? "RESUBSCRIBE" : "INITIAL_BUY")
  }

  /// What is shared of a purchase, with its dates.
  private func copies(of bought: SandboxTransaction) -> [SandboxTransaction] {
    transactions.filter {
      $0.sharedFrom == bought.original && $0.expires == bought.expires && $0.revocation == nil
    }
  }

  private mutating func withdrawShare(_ shared: SandboxTransaction) {
    revoke(shared.id, .familyRevoke)
    notify("REVOKE", nil, shared.id)
  }

  mutating func join(_ id: String, _ family: String) throws(SandboxRefusal) -> SandboxResult {
    guard (1...Limits.textBytes).contains(family.utf8.count) else { throw .tooLong }
    let account = try open(account: id)
    if let old = account.family, Name(old) != Name(family) { _ = try leave(id) }
    set(account) { $0.family = family }
    let everybody = Set(members(of: family).map(Name.init))
    for bought in transactions where everybody.contains(Name(bought.account)) && isStanding(bought) {
      share(bought)
    }
    return .done
  }

  private func isStanding(_ transaction: SandboxTransaction) -> Bool {
    transaction.ownership == .purchased && transaction.standing.stands
      && (transaction.expires.map { $0 > time } ?? true || isRunning(transaction))
  }

  /// He loses what others shared with him, and they what he shared; his own purchases stay [C38].
  mutating func leave(_ id: String) throws(SandboxRefusal) -> SandboxResult {
    let account = try require(account: id)
    guard account.family != nil else { throw .noFamily(id) }
    set(accounts[Name(id)] ?? account) { $0.family = nil }
    for shared in transactions where shared.sharedFrom != nil && shared.revocation == nil {
      let owner = shared.sharedFrom.flatMap { transaction($0)?.account }
      let isOver = shared.expires.map { $0 <= time } ?? false && !isRunning(shared)
      guard !isOver, Name(shared.account) == Name(id) || owner.map(Name.init) == Name(id) else { continue }
      withdrawShare(shared)
    }
    return .done
  }
}

extension SandboxTransaction.Sale {
  /// As one of the family has it who shares it: with the same dates, for nothing.
  fileprivate func shared(with member: String, as id: UInt64, line: UInt64) -> Self {
    Self(
      id: id, original: line, account: member, bundleId: bundleId, productId: productId, type: type,
      group: group, purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate,
      expires: expires, quantity: quantity, price: 0, currency: currency, ownership: .familyShared,
      sharedFrom: original, isRenewal: isRenewal, device: nil, token: nil)
  }
}

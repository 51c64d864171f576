import PeerSyncCore

extension SandboxStore {
  // MARK: Buying

  mutating func buy(_ order: SandboxOrder) throws(SandboxRefusal) -> SandboxResult {
    let product = try check(order)
    let offer = try offer(of: product, for: order)
    let account = try open(account: order.account)
    if let standing = standing(product, order) { return .purchased(standing) }
    switch takeMood(of: account) {
    case .succeed where account.canPay(at: time): return .purchased(try sell(product, order, offer))
    case .succeed, .fail: return .failed
    case .cancel: return .cancelled
    case .ask: return try ask(order)
    }
  }

  private func check(_ order: SandboxOrder) throws(SandboxRefusal) -> SandboxProduct {
    guard order.isWithinLimits else { throw .tooLong }
    guard let product = product(order.productId) else { throw .unknownProduct(order.productId) }
    guard !product.isWithdrawn else { throw .notForSale(product.called) }
    guard (1...Limits.quantity).contains(order.quantity) else { throw .wrongQuantity(order.quantity) }
    guard !isFull else { throw .full("transactions") }
    if let date = order.date {
      guard product.type != .autoRenewableSubscription else { throw .renews(product.called) }
      guard date <= time, date.canBeSigned else { throw .wrongDate(date) }
    }
    return product
  }

  /// What was bought for good already is not bought again, nor a subscription that runs, unless at another price.
  private func standing(_ product: SandboxProduct, _ order: SandboxOrder) -> UInt64? {
    switch product.type {
    case .consumable, .nonRenewingSubscription: return nil
    case .nonConsumable:
      return transactions.last {
        Name($0.productId) == Name(product.id) && $0.revocation == nil && $0.ownership == .purchased
          && isOf(order, $0.account, $0.bundleId)
      }?.id
    case .autoRenewableSubscription:
      guard
        let running = place(product, order).map({ subscriptions[$0] }),
        running.isActive, Name(running.productId) == Name(product.id),
        Name(running.nextProductId) == Name(product.id), running.willRenew, order.offer == nil
      else { return nil }
      return running.latest
    }
  }

  /// Where the subscription stands that an order is about: the customer's one of the product's group.
  private func place(_ product: SandboxProduct, _ order: SandboxOrder) -> Int? {
    subscriptions.firstIndex {
      isOf(order, $0.account, $0.bundleId) && Name($0.group) == Name(product.group)
    }
  }

  private func isOf(_ order: SandboxOrder, _ account: String, _ bundleId: String) -> Bool {
    Name(account) == Name(order.account) && Name(bundleId) == Name(order.bundleId)
  }

  private mutating func takeMood(of account: SandboxAccount) -> SandboxMood {
    if let once = account.moodOnce {
      set(account) { $0.moodOnce = nil }
      return once
    }
    if let mood = account.mood { return mood }
    defer { terms.moodOnce = nil }
    return terms.moodOnce ?? terms.mood
  }

  /// - Returns: the transaction that the buyer is shown
  private mutating func sell(
    _ product: SandboxProduct, _ order: SandboxOrder, _ offer: SandboxOffer?
  ) throws(SandboxRefusal) -> UInt64 {
    guard product.type == .autoRenewableSubscription else { return sellOnce(product, order) }
    guard product.period != nil else { throw .notForSale(product.called) }
    guard let place = place(product, order) else { return subscribe(product, order, offer) }
    guard subscriptions[place].isActive else { return resubscribe(place, product, order, offer) }
    return change(place, to: product, order, offer)
  }

  private mutating func sellOnce(_ product: SandboxProduct, _ order: SandboxOrder) -> UInt64 {
    let sold = add { [time] id, revision in
      SandboxTransaction(
        SandboxTransaction.Sale(order, product, id: id, at: order.date ?? time),
        SandboxVersion(signed: time, revision: revision))
    }
    notify("ONE_TIME_CHARGE", nil, sold.id)
    share(sold)
    return sold.id
  }

  // MARK: Approval [C39]

  private mutating func ask(_ order: SandboxOrder) throws(SandboxRefusal) -> SandboxResult {
    if requests.count >= Limits.sandboxRequests {
      guard let old = requests.firstIndex(where: { $0.state != .pending }) else {
        throw .full("purchases to approve")
      }
      requests.remove(at: old)
    }
    terms.requests += 1
    let request = SandboxRequest(id: terms.requests, order: order, made: time)
    requests.append(request)
    events.append(.request(request))
    return .pending(request: request.id)
  }

  private func pending(_ id: UInt64) throws(SandboxRefusal) -> Int {
    guard let index = requests.firstIndex(where: { $0.id == id }) else { throw .unknownRequest(id) }
    guard requests[index].state == .pending else { throw .decided(id) }
    return index
  }

  private mutating func decide(_ index: Int, _ state: SandboxRequest.State) {
    requests[index].state = state
    events.append(.request(requests[index]))
  }

  mutating func approve(_ id: UInt64) throws(SandboxRefusal) -> SandboxResult {
    let index = try pending(id)
    var order = requests[index].order
    // It may arrive on another device: on whichever asks first.
    (order.device, order.date) = (nil, nil)
    let product = try check(order)
    let offer = try offer(of: product, for: order)
    let account = try require(account: order.account)
    guard account.canPay(at: time) else {
      decide(index, .declined)
      return .failed
    }
    let sold =
      if let standing = standing(product, order) { standing } else { try sell(product, order, offer) }
    decide(index, .approved)
    return .purchased(sold)
  }

  mutating func decline(_ id: UInt64) throws(SandboxRefusal) -> SandboxResult {
    decide(try pending(id), .declined)
    return .cancelled
  }

  // MARK: Finishing

  /// What is not that account's is passed over, and so is what was finished before.
  mutating func finish(_ ids: [UInt64], of account: String) -> SandboxResult {
    for id in ids.prefix(Limits.sandboxTransactions) {
      guard let index = index(of: id), Name(transactions[index].account) == Name(account),
        !transactions[index].isFinished
      else { continue }
      transactions[index].standing.isFinished = true
      events.append(.finished(transactions[index]))
    }
    return .done
  }
}

extension SandboxTransaction.Sale {
  /// What is bought once.
  fileprivate init(_ order: SandboxOrder, _ product: SandboxProduct, id: UInt64, at date: Instant) {
    self.init(
      id: id, original: id, account: order.account, bundleId: order.bundleId, productId: product.id,
      type: product.type, group: nil, purchaseDate: date, originalPurchaseDate: date, expires: nil,
      quantity: order.quantity, price: product.price * Int64(order.quantity), currency: product.currency,
      ownership: .purchased, sharedFrom: nil, isRenewal: false, device: order.device,
      token: order.token)
  }
}

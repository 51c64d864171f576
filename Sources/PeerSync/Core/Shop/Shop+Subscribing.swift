// Buying auto-renewable subscriptions: the first time, again after an end, and another of the same group.
extension Shop {
  mutating func subscribe(_ product: ShopProduct, _ order: ShopOrder) -> UInt64 {
    let offer = isNewcomer(order, to: product.group) ? product.introductory : nil
    let bought = addPeriod(
      product, order, original: nil, at: time, anchor: time, periods: 1, offer: offer, isRenewal: false)
    revision += 1
    places[bought.id] = subscriptions.count
    subscriptions.append(
      ShopSubscription(
        original: bought.id, account: order.account, bundleId: order.bundleId, group: product.group,
        currency: product.currency, token: order.token, productId: product.id, latest: bought.id, start: time,
        anchor: time, expires: bought.expires ?? time, nextProductId: product.id, price: product.price,
        offerPeriodsLeft: offer?.laterPeriods ?? 0, signed: time, revision: revision))
    events.append(.subscription(subscriptions[subscriptions.count - 1]))
    notify("SUBSCRIBED", "INITIAL_BUY", bought.id)
    share(bought)
    return bought.id
  }

  /// Whoever has never had a subscription of the group may have it at the reduced price.
  private func isNewcomer(_ order: ShopOrder, to group: String) -> Bool {
    !subscriptions.contains { Name($0.account) == Name(order.account) && Name($0.group) == Name(group) }
  }

  mutating func resubscribe(_ place: Int, _ product: ShopProduct, _ order: ShopOrder) -> UInt64 {
    let bought = addPeriod(
      product, order, original: subscriptions[place].original, at: time, anchor: time, periods: 1, offer: nil,
      isRenewal: false)
    begin(place, product, bought, isNew: true)
    notify("SUBSCRIBED", "RESUBSCRIBE", bought.id)
    share(bought)
    return bought.id
  }

  /// An upgrade and a crossgrade of the same length happen at once [C33], anything else at the next renewal [C34].
  mutating func change(_ place: Int, to product: ShopProduct, _ order: ShopOrder) -> UInt64 {
    let subscription = subscriptions[place]
    let current = self.product(subscription.productId)
    let isSame = Name(product.id) == Name(subscription.productId)
    let isUpgrade = current.map { product.rank < $0.rank } ?? true
    let isCrossgradeNow = current.map { product.rank == $0.rank && product.period == $0.period } ?? false
    guard !isSame, isUpgrade || isCrossgradeNow else {
      return changeLater(place, to: product, isSame: isSame)
    }
    // Of a renewal that was made early the period before it still runs.
    for old in transactions where old.original == subscription.original {
      if let end = old.expires, end > time, old.revocation == nil { set(old.id) { $0.isUpgraded = true } }
    }
    set(subscription.latest) { $0.isUpgraded = true }
    let bought = addPeriod(
      product, order, original: subscription.original, at: time, anchor: time, periods: 1, offer: nil,
      isRenewal: false)
    begin(place, product, bought, isNew: false)
    notify("DID_CHANGE_RENEWAL_PREF", "UPGRADE", bought.id)
    share(bought)
    return bought.id
  }

  private mutating func changeLater(_ place: Int, to product: ShopProduct, isSame: Bool) -> UInt64 {
    let wasOn = subscriptions[place].willRenew
    let wasOther = subscriptions[place].nextProductId != product.id
    set(subscription: place) {
      ($0.nextProductId, $0.willRenew, $0.isTried) = (product.id, true, false)
    }
    let latest = subscriptions[place].latest
    if wasOther { notify("DID_CHANGE_RENEWAL_PREF", isSame ? nil : "DOWNGRADE", latest) }
    if !wasOn { notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", latest) }
    return latest
  }

  /// A period from now on, of a product that was bought by hand.
  private mutating func begin(_ place: Int, _ product: ShopProduct, _ bought: ShopTransaction, isNew: Bool) {
    set(subscription: place) { [time] in
      if isNew { ($0.start, $0.renewals) = (time, 0) }
      ($0.productId, $0.nextProductId, $0.price) = (product.id, product.id, product.price)
      ($0.anchor, $0.periods, $0.offerPeriodsLeft) = (time, 1, 0)
      $0.run(bought)
      $0.willRenew = true
    }
  }

  /// Records a period of a subscription.
  ///
  /// - Parameters:
  ///   - original: nil: this is the first
  ///   - periods: how many have been since the anchor, this one included
  mutating func addPeriod(
    _ product: ShopProduct, _ order: ShopOrder, original: UInt64?, at start: Instant, anchor: Instant,
    periods: Int,
    offer: ShopProduct.Offer?, isRenewal: Bool, ownership: Ownership = .purchased, sharedFrom: UInt64? = nil
  ) -> ShopTransaction {
    let period = offer.map(\.firstPeriod) ?? product.period
    let expires = period.map {
      terms.scale.end(of: $0, times: offer == nil ? periods : offer?.unitsAtOnce ?? 1, from: anchor)
    }
    let began = original.flatMap { transaction($0)?.originalPurchaseDate } ?? start
    let price = ownership == .familyShared ? 0 : offer?.price ?? product.price
    return add { [time] id, revision in
      ShopTransaction(
        id: id, original: original ?? id, account: order.account, bundleId: order.bundleId,
        productId: product.id,
        type: .autoRenewableSubscription, group: product.group, purchaseDate: start,
        originalPurchaseDate: began,
        expires: expires, quantity: 1, price: price, currency: product.currency, ownership: ownership,
        sharedFrom: sharedFrom, isRenewal: isRenewal, offer: offer?.mode, device: order.device,
        token: order.token,
        signed: time, revision: revision)
    }
  }
}

extension ShopSubscription {
  /// Goes on with a transaction, as if nothing had ever stood in the way.
  mutating func run(_ transaction: ShopTransaction) {
    latest = transaction.id
    productId = transaction.productId
    expires = transaction.expires ?? expires
    state = .subscribed
    (reason, graceEnds, retryEnds, increase) = (nil, nil, nil, nil)
    (isChecked, isTried, warnings) = (false, false, [])
  }
}

extension ShopProduct.Offer {
  var firstPeriod: Period { period }
  /// Periods that one payment covers.
  var unitsAtOnce: Int { mode == .payAsYouGo ? 1 : periods }
  /// Periods that are paid for later, at the reduced price.
  var laterPeriods: Int { mode == .payAsYouGo ? periods - 1 : 0 }
}

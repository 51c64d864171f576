import PeerSyncCore

// Buying auto-renewable subscriptions: the first time, again after an end, and another of the same group.
extension SandboxStore {
  mutating func subscribe(_ product: SandboxProduct, _ order: SandboxOrder, _ offer: SandboxOffer?) -> UInt64
  {
    let introductory = introductory(of: product, for: order)
    // Whoever redeems a code that can be stacked has the introductory offer first.
    let first = offer.map { $0.isStackable ? introductory ?? $0 : $0 } ?? introductory
    let bought = addPeriod(
      product, order, original: nil, at: time, anchor: time, periods: 1, offer: first, isRenewal: false)
    revision += 1
    var subscription = SandboxSubscription(
      bought, of: product, SandboxVersion(signed: time, revision: revision))
    subscription.offers.take(
      first, of: product.id, payments: (first?.payments ?? 1) - 1, then: offer == first ? nil : offer)
    places[bought.id] = subscriptions.count
    subscriptions.append(subscription)
    events.append(.subscription(subscription))
    // He may have had one in another app.
    lookAtWinBack { Name($0.account) == Name(order.account) }
    notify("SUBSCRIBED", "INITIAL_BUY", bought.id)
    share(bought)
    return bought.id
  }

  mutating func resubscribe(
    _ place: Int, _ product: SandboxProduct, _ order: SandboxOrder, _ offer: SandboxOffer?
  ) -> UInt64 {
    let bought = begin(place, product, order, offer, isNew: true)
    notify("SUBSCRIBED", "RESUBSCRIBE", bought.id)
    share(bought)
    return bought.id
  }

  /// An upgrade and a crossgrade of the same length happen at once [C33], anything else at the next renewal [C34].
  mutating func change(
    _ place: Int, to product: SandboxProduct, _ order: SandboxOrder, _ offer: SandboxOffer?
  ) -> UInt64 {
    let subscription = subscriptions[place]
    let current = self.product(subscription.productId)
    let isSame = Name(product.id) == Name(subscription.productId)
    let isUpgrade = current.map { product.rank < $0.rank } ?? true
    let isCrossgradeNow = current.map { product.rank == $0.rank && product.period == $0.period } ?? false
    guard !isSame, isUpgrade || isCrossgradeNow else {
      return changeLater(place, to: product, offer, isSame: isSame)
    }
    // Of a renewal that was made early the period before it still runs.
    for old in transactions where old.original == subscription.original {
      if let end = old.expires, end > time, old.revocation == nil { upgrade(old.id) }
    }
    upgrade(subscription.latest)
    let bought = begin(place, product, order, offer, isNew: false)
    notify(offer == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED", "UPGRADE", bought.id)
    share(bought)
    return bought.id
  }

  private mutating func upgrade(_ id: UInt64) { set(id) { $0.standing.isUpgraded = true } }

  private mutating func changeLater(
    _ place: Int, to product: SandboxProduct, _ offer: SandboxOffer?, isSame: Bool
  ) -> UInt64 {
    let wasOn = subscriptions[place].willRenew
    let wasOther = Name(subscriptions[place].nextProductId) != Name(product.id)
    set(subscription: place) {
      $0.renewal.change(to: product.id)
      // One offer at a time: it takes the place of what is left of another.
      if let offer { $0.offers.take(offer, of: product.id, payments: offer.payments) }
    }
    let latest = subscriptions[place].latest
    let subtype = isSame ? nil : "DOWNGRADE"
    if offer != nil {
      notify("OFFER_REDEEMED", subtype, latest)
    } else if wasOther {
      notify("DID_CHANGE_RENEWAL_PREF", subtype, latest)
    }
    if !wasOn { notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", latest) }
    return latest
  }

  /// Sells a period from now on by hand, of a subscription that was there before.
  private mutating func begin(
    _ place: Int, _ product: SandboxProduct, _ order: SandboxOrder, _ offer: SandboxOffer?, isNew: Bool
  ) -> SandboxTransaction {
    let bought = addPeriod(
      product, order, original: subscriptions[place].original, at: time, anchor: time, periods: 1,
      offer: offer, isRenewal: false)
    set(subscription: place) { [time] in
      $0.course.begin(product, at: time, isNew: isNew)
      $0.offers.take(offer, of: product.id, payments: (offer?.payments ?? 1) - 1)
      $0.run(bought)
      $0.renewal.change(to: product.id)
    }
    return bought
  }

  /// Records a period of a subscription.
  ///
  /// - Parameters:
  ///   - original: nil: this is the first
  ///   - periods: how many have been since the anchor, this one included
  mutating func addPeriod(
    _ product: SandboxProduct, _ order: SandboxOrder, original: UInt64?, at start: Instant, anchor: Instant,
    periods: Int, offer: SandboxOffer?, isRenewal: Bool
  ) -> SandboxTransaction {
    let period = offer?.period ?? product.period
    let expires = period.map {
      terms.scale.end(of: $0, times: offer?.periodsAtOnce ?? periods, from: anchor)
    }
    let began = original.flatMap { transaction($0)?.originalPurchaseDate } ?? start
    return add { [time] id, revision in
      SandboxTransaction(
        SandboxTransaction.Sale(
          id: id, original: original ?? id, account: order.account, bundleId: order.bundleId,
          productId: product.id, type: .autoRenewableSubscription, group: product.group,
          purchaseDate: start, originalPurchaseDate: began, expires: expires, quantity: 1,
          price: offer?.price ?? product.price, currency: product.currency, ownership: .purchased,
          sharedFrom: nil, isRenewal: isRenewal, device: order.device, token: order.token),
        at: offer, SandboxVersion(signed: time, revision: revision))
    }
  }
}

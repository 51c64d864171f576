import PeerSyncCore

// What time does to subscriptions. One thing at a time, each at its own instant.
extension SandboxStore {
  /// How long before its end a period is renewed, in milliseconds of the real store.
  private static let renewalLead: Int64 = Instant.dayMilliseconds
  /// How many days before its end somebody looks at what stands in the way.
  private static let preflightDays: Int64 = 10
  /// How many days the store tries to charge after a failure.
  private static let retryDays: Int64 = 60
  /// Renewals after which Apple's sandbox turns the subscription off.
  private static let sandboxRenewals = 12

  /// When something is next due for a subscription.
  func due(_ subscription: SandboxSubscription) -> Instant? {
    switch subscription.state {
    case .subscribed:
      if !subscription.isChecked { return min(preflight(subscription), subscription.expires) }
      guard subscription.willRenew, !subscription.isTried else { return subscription.expires }
      let early = subscription.expires.advanced(byMilliseconds: -terms.scale.span(SandboxStore.renewalLead))
      // A period that is shorter than the lead is renewed at its end.
      return early > periodStart(subscription) ? early : subscription.expires
    case .inGracePeriod: return subscription.graceEnds
    case .inBillingRetry: return subscription.retryEnds
    case .expired, .revoked: return openings[subscription.original]
    }
  }

  private func preflight(_ subscription: SandboxSubscription) -> Instant {
    let ahead = subscription.expires.advanced(
      byMilliseconds: -terms.scale.span(days: SandboxStore.preflightDays))
    return max(ahead, periodStart(subscription))
  }

  private func periodStart(_ subscription: SandboxSubscription) -> Instant {
    transaction(subscription.latest)?.purchaseDate ?? subscription.start
  }

  /// Does what is due.
  mutating func pass(_ place: Int) {
    let subscription = subscriptions[place]
    switch subscription.state {
    case .subscribed where !subscription.isChecked: check(place)
    case .subscribed where time < subscription.expires: tryEarly(place)
    case .subscribed: end(place)
    case .inGracePeriod: endGrace(place)
    case .inBillingRetry: expire(place, .billingError, "BILLING_RETRY")
    // A win-back offer opens, or is gone: nothing else changes.
    case .expired, .revoked: set(subscription: place) { _ in }
    }
  }

  // MARK: Renewing

  /// Looks at the next renewal ten days ahead.
  private mutating func check(_ place: Int) {
    let subscription = subscriptions[place]
    var warnings: [String] = []
    if subscription.willRenew {
      let account = accounts[Name(subscription.account)]
      if account?.isBillingFailing == true || terms.isBillingFailing {
        warnings.append("payments of this account fail")
      }
      if let end = account?.cardExpires, end <= subscription.expires {
        warnings.append("the card expires before the renewal")
      }
      if let increase = subscription.increase {
        warnings.append(
          increase.status == 0 ? "a higher price has not been agreed to" : "the next period costs more")
      }
      if product(subscription.nextProductId)?.isWithdrawn != false {
        warnings.append("the product is no longer for sale")
      }
    }
    note(subscription: place) { $0.renewal.noteChecked(warnings) }
  }

  /// What stands in the way of a renewal.
  private func obstacle(_ subscription: SandboxSubscription) -> SandboxSubscription.Reason? {
    guard subscription.willRenew else { return subscription.reason ?? .turnedOff }
    if isFull { return .other }
    guard let product = product(subscription.nextProductId), !product.isWithdrawn else {
      return .productUnavailable
    }
    if subscription.increase?.status == 0 { return .priceNotAccepted }
    let canPay = accounts[Name(subscription.account)]?.canPay(at: time) ?? false
    return canPay && !terms.isBillingFailing ? nil : .billingError
  }

  private mutating func tryEarly(_ place: Int) {
    guard obstacle(subscriptions[place]) == nil else {
      return note(subscription: place) { $0.renewal.noteTried() }
    }
    renew(place)
  }

  /// The next period, which begins where this one ends.
  private mutating func renew(_ place: Int) { renew(place, at: subscriptions[place].expires) }

  private mutating func renew(_ place: Int, at start: Instant, _ subtype: String? = nil) {
    let subscription = subscriptions[place]
    let (anchor, periods) = count(subscription, from: start)
    guard var product = product(subscription.nextProductId) else { return }
    // The subscriber keeps his price until a higher one was announced.
    if Name(product.id) == Name(subscription.productId) {
      product.price = subscription.increase?.price ?? subscription.price
    }
    let regular = product.price
    let order = SandboxOrder(
      account: subscription.account, bundleId: subscription.bundleId, productId: product.id,
      token: subscription.token)
    let renewed = addPeriod(
      product, order, original: subscription.original, at: start, anchor: anchor, periods: periods,
      offer: subscription.comingOffer, isRenewal: true)
    let endsRenewals = terms.scale.endsRenewals
    set(subscription: place) {
      $0.offers.useComing(for: product.id)
      $0.course.renew(from: anchor, periods: periods, price: regular)
      $0.run(renewed)
      $0.renewal.goOn(
        as: product.id, isLast: endsRenewals && $0.course.renewals >= SandboxStore.sandboxRenewals)
    }
    if !subscriptions[place].willRenew {
      notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", renewed.id)
    }
    notify("DID_RENEW", subtype, renewed.id)
    share(renewed, .renewal(subtype))
  }

  /// What the end of the next period is counted from, and how many there are from there. Periods of another product, at an
  /// offer or after a pause are not counted with those before.
  private func count(_ subscription: SandboxSubscription, from start: Instant) -> (
    anchor: Instant, periods: Int
  ) {
    let goesOn =
      start == subscription.expires && Name(subscription.nextProductId) == Name(subscription.productId)
      && subscription.comingOffer == nil && transaction(subscription.latest)?.offer == nil
    return goesOn ? (subscription.anchor, subscription.periods + 1) : (start, 1)
  }

  // MARK: Ending

  /// The end of a period that was not renewed early.
  private mutating func end(_ place: Int) {
    switch obstacle(subscriptions[place]) {
    case nil: renew(place)
    case .billingError: failBilling(place)
    case .turnedOff: expire(place, .turnedOff, "VOLUNTARY")
    case .priceNotAccepted: expire(place, .priceNotAccepted, "PRICE_INCREASE")
    case .productUnavailable: expire(place, .productUnavailable, "PRODUCT_NOT_FOR_SALE")
    case .other: expire(place, .other, nil)
    }
  }

  private mutating func failBilling(_ place: Int) {
    let subscription = subscriptions[place]
    let retryEnds = time.advanced(byMilliseconds: terms.scale.span(days: SandboxStore.retryDays))
    // Apple gives weekly subscriptions 6 days, and all others 16.
    let isWeekly = product(subscription.productId)?.period.map { $0.months == 0 && $0.days <= 7 } ?? false
    let graceEnds =
      terms.hasGrace ? time.advanced(byMilliseconds: terms.scale.span(days: isWeekly ? 6 : 16)) : nil
    set(subscription: place) { $0.renewal.failBilling(tryingUntil: retryEnds, graceUntil: graceEnds) }
    notify("DID_FAIL_TO_RENEW", graceEnds == nil ? nil : "GRACE_PERIOD", subscription.latest)
  }

  private mutating func endGrace(_ place: Int) {
    set(subscription: place) { $0.renewal.endGrace() }
    notify("GRACE_PERIOD_EXPIRED", nil, subscriptions[place].latest)
  }

  private mutating func expire(_ place: Int, _ reason: SandboxSubscription.Reason, _ subtype: String?) {
    set(subscription: place) { $0.renewal.end(.expired, reason) }
    notify("EXPIRED", subtype, subscriptions[place].latest)
  }

  /// The payment goes through at last. In grace nothing was interrupted; later a new period begins now [C36].
  mutating func recover(_ place: Int) {
    let subscription = subscriptions[place]
    guard subscription.state == .inGracePeriod || subscription.state == .inBillingRetry, !isFull,
      product(subscription.nextProductId)?.isWithdrawn == false
    else { return }
    renew(
      place, at: subscription.state == .inGracePeriod ? subscription.expires : time, "BILLING_RECOVERY")
  }
}

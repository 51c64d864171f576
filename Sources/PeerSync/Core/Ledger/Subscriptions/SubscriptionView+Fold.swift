extension SubscriptionView {
  /// How a subscription stands at the present of a horizon.
  init(
    _ fold: SubscriptionFold, _ newest: RenewalInfo?, _ levels: ProductLevels, named reference: String,
    _ horizon: inout Horizon
  ) {
    let current = fold.current
    let inForce = fold.inForce(&horizon)
    let isAhead = inForce.id != current.id
    let outlook = RenewalOutlook(newest, current)
    let state = SubscriptionView.state(fold, outlook, at: horizon.now)
    let expires = current.stands ? current.end : nil
    // Grace was given for a renewal that has been paid and taken back since.
    let grace = fold.revocation == nil ? outlook.grace : nil
    let access = expires.map { max($0, grace ?? $0) }
    for instant in [expires, access, outlook.retryUntil].compactMap(\.self) { horizon.flips(at: instant) }
    self.init(
      originalTransactionId: reference, productId: inForce.product.text, state: state, expires: expires,
      accessUntil: access, willRenew: outlook.willRenew,
      reason: state == .expired || state == .inBillingRetry ? outlook.reason : nil,
      nextProductId: isAhead ? current.product.text : outlook.nextProduct,
      nextBilling: state == .subscribed ? outlook.renewal : nil,
      renewalPrice: outlook.info?.renewalPrice, currency: outlook.info?.currency,
      priceConsent: outlook.info?.consent,
      retryUntil: state == .inBillingRetry || state == .inGracePeriod ? outlook.retryUntil : nil,
      nextChange: isAhead
        ? SubscriptionView.change(from: inForce, to: current.product.text, at: current.start, levels)
        : SubscriptionView.change(from: current, to: outlook.nextProduct, at: outlook.renewal, levels),
      lastChange: isAhead ? nil : fold.change.map { SubscriptionView.change($0, into: current, levels) },
      offer: inForce.offer,
      nextOffer: isAhead ? current.offer : outlook.willRenew == true ? outlook.info?.offer : nil,
      isFamilyShared: inForce.isFamilyShared, revocation: fold.revocation,
      paidDays: fold.paid.days(&horizon), renewalSigned: newest?.signedDate)
  }

  private static func state(
    _ fold: SubscriptionFold, _ outlook: RenewalOutlook, at now: Instant
  ) -> SubscriptionState {
    guard fold.current.stands, let end = fold.current.end else {
      return fold.revocation == nil ? .expired : .revoked
    }
    if now < end { return .subscribed }
    return fold.revocation == nil ? outlook.state(behindEndAt: now) : .revoked
  }

  private static func change(
    from period: SubscriptionPeriod, to next: String?, at date: Instant?, _ levels: ProductLevels
  ) -> ProductChange? {
    guard let next, Name(next) != period.product else { return nil }
    return ProductChange(
      from: period.product.text, to: next, date: date,
      kind: levels.kind(from: period.product, to: Name(next)))
  }

  private static func change(
    _ change: SubscriptionFold.Change, into current: SubscriptionPeriod, _ levels: ProductLevels
  ) -> ProductChange {
    ProductChange(
      from: change.from.text, to: current.product.text, date: change.date,
      kind: change.isUpgrade ? .upgrade : levels.kind(from: change.from, to: current.product))
  }
}

extension RenewalInfo {
  /// Whether a higher price was agreed to.
  fileprivate var consent: PriceConsent? { priceIncreaseStatus.map { $0 == 0 ? .pending : .accepted } }
}

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
      originalTransactionId: reference, productId: inForce.product.text,
      periodStart: inForce.start, state: state, expires: expires,
      accessUntil: access, reason: state == .expired || state == .inBillingRetry ? outlook.reason : nil,
      retryUntil: state == .inBillingRetry || state == .inGracePeriod ? outlook.retryUntil : nil,
      lastChange: isAhead ? nil : fold.change.map { ProductChange($0, into: current.product, levels) },
      offer: inForce.offer, isFamilyShared: inForce.isFamilyShared, revocation: fold.revocation,
      paidDays: fold.paid.days(&horizon),
      renewal: SubscriptionRenewal(
        newest, outlook, from: inForce, to: current, runs: state == .subscribed, levels))
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
}

extension ProductChange {
  /// The change between two periods; nil when both are of one product.
  init?(from product: Name, to next: String?, at date: Instant?, _ levels: ProductLevels) {
    guard let next, Name(next) != product else { return nil }
    self.init(
      from: product.text, to: next, date: date, kind: levels.kind(from: product, to: Name(next), at: date))
  }

  fileprivate init(_ change: SubscriptionFold.Change, into product: Name, _ levels: ProductLevels) {
    self.init(
      from: change.from.text, to: product.text, date: change.date,
      kind: change.isUpgrade ? .upgrade : levels.kind(from: change.from, to: product, at: change.date))
  }
}

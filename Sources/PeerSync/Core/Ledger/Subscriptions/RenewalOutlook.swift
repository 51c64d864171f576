/// What the newest renewal info means for the period that is known to end last.
///
/// The two travel apart, so the info may be older than the transaction: it then says nothing of how that period ends. It is
/// about a period when its `renewalDate` is that period's end or later. An info without that date is judged by when it was
/// signed; the store settles a renewal up to a day ahead, or less where periods last minutes for tests.
struct RenewalOutlook {
  /// How long the store tries to bill, in milliseconds (60 days).
  static let retry = 60 * Instant.dayMilliseconds

  let willRenew: Bool?
  /// Nil unless it renews.
  let nextProduct: String?
  /// When the next period begins, if it renews.
  let renewal: Instant?
  /// The end of the grace period, behind that of the period.
  let grace: Instant?
  /// Until when the store tries to bill.
  let retryUntil: Instant?
  /// Why it ends, if it does.
  let reason: ExpiryReason?
  /// The info, as far as it is about the period.
  let info: RenewalInfo?

  init(_ newest: RenewalInfo?, _ period: SubscriptionPeriod) {
    let end = period.end ?? period.start
    let lead = min(Instant.dayMilliseconds, max(0, end.milliseconds - period.start.milliseconds) / 7)
    let info = newest.flatMap { $0.knows(of: period.start, in: end, lead) ? $0 : nil }
    let last = info.flatMap { $0.knows(of: end, in: end, lead) ? $0 : nil }
    self.info = info
    // Whoever has a newer period than the info knew of had turned renewal on again.
    willRenew = info == nil ? (newest?.autoRenewStatus == true ? true : nil) : info?.autoRenewStatus
    nextProduct = willRenew == true ? info?.autoRenewProductId ?? period.product.text : nil
    renewal = willRenew == true ? max(info?.renewalDate ?? end, end) : nil
    let intent = last?.expirationIntent.map(ExpiryReason.init(expirationIntent:))
    let isOpen = intent == nil || intent == .billingError
    grace = isOpen ? last?.gracePeriodExpiresDate.flatMap { $0 > end ? $0 : nil } : nil
    let isRetrying = last?.isInBillingRetryPeriod ?? false || grace != nil && intent == nil
    retryUntil = isRetrying ? end.advanced(byMilliseconds: Self.retry) : nil
    reason = intent ?? (isRetrying ? .billingError : info?.autoRenewStatus == false ? .turnedOff : nil)
  }

  /// Where a subscription stands behind the end of its period.
  func state(behindEndAt now: Instant) -> SubscriptionState {
    if let grace, now < grace { return .inGracePeriod }
    if let retryUntil, now < retryUntil { return .inBillingRetry }
    return .expired
  }
}

extension RenewalInfo {
  /// Whether it was signed with knowledge of what happened at an instant of the period with that end.
  ///
  /// - Parameter lead: by how many milliseconds the store may be ahead
  fileprivate func knows(of instant: Instant, in end: Instant, _ lead: Int64) -> Bool {
    renewalDate.map { $0 >= end } ?? (signedDate >= instant.advanced(byMilliseconds: -lead))
  }
}

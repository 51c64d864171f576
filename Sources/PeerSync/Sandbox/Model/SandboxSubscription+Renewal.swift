import PeerSyncCore

extension SandboxSubscription {
  /// A higher price that waits for the next renewal.
  package struct PriceIncrease: Codable, Hashable, Sendable {
    package let price: Int64
    /// Whether the subscriber must agree; else he is only told.
    package let needsConsent: Bool
    package var hasAgreed: Bool

    /// Apple's `priceIncreaseStatus`.
    package var status: Int { needsConsent && !hasAgreed ? 0 : 1 }
  }

  /// Where it stands, and what becomes of its next renewal.
  package struct Renewal: Codable, Hashable, Sendable {
    package private(set) var state = State.subscribed
    package private(set) var willRenew = true
    /// What it renews as.
    package private(set) var nextProductId: String
    package private(set) var increase: PriceIncrease?
    package private(set) var graceEnds: Instant?
    package private(set) var retryEnds: Instant?
    package private(set) var reason: Reason?
    /// Whether the renewal of this period was looked at ten days ahead.
    package private(set) var isChecked = false
    /// Whether the renewal of this period was tried before its end.
    package private(set) var isTried = false
    /// What stands in the way of the next renewal, one sentence each.
    package private(set) var warnings: [String] = []

    init(nextProductId: String) { self.nextProductId = nextProductId }

    /// Whether it gives access.
    package var isActive: Bool { state == .subscribed || state == .inGracePeriod }

    /// Whether it has ended, and no payment is tried any more.
    package var isOver: Bool { state == .expired || state == .revoked }

    // MARK: What the customer does

    /// Turns it on or off. Whoever turns it on again agrees to what it costs.
    mutating func turn(on isOn: Bool) {
      willRenew = isOn
      lookAgain()
      reason = reason == .priceNotAccepted ? nil : reason
      if isOn { increase?.hasAgreed = true }
    }

    /// Renews as another product, whatever was before.
    mutating func change(to product: String) { (nextProductId, willRenew, isTried) = (product, true, false) }

    mutating func answerIncrease(_ agrees: Bool) {
      increase?.hasAgreed = agrees
      lookAgain()
      if !agrees { (willRenew, reason) = (false, .priceNotAccepted) }
    }

    // MARK: What the store does

    /// Announces a higher price.
    mutating func raise(to price: Int64, needsConsent: Bool) {
      increase = PriceIncrease(price: price, needsConsent: needsConsent, hasAgreed: false)
      lookAgain()
    }

    /// Notes what stands in the way.
    mutating func noteChecked(_ warnings: [String]) { (isChecked, self.warnings) = (true, warnings) }

    /// Notes that it was tried before the end of the period, in vain.
    mutating func noteTried() { isTried = true }

    /// Looks at it and tries it anew, because something has changed.
    mutating func lookAgain() { (isChecked, isTried) = (false, false) }

    /// Goes on as if nothing had ever stood in the way.
    mutating func run() {
      state = .subscribed
      (reason, graceEnds, retryEnds, increase) = (nil, nil, nil, nil)
      lookAgain()
      warnings = []
    }

    /// Runs on as a product, after it was renewed.
    mutating func goOn(as product: String, isLast: Bool) {
      nextProductId = product
      if isLast { willRenew = false }
    }

    /// The payment has failed: it is tried on, with access for a while or without.
    mutating func failBilling(tryingUntil retry: Instant, graceUntil grace: Instant?) {
      (retryEnds, graceEnds, reason) = (retry, grace, .billingError)
      state = grace == nil ? .inBillingRetry : .inGracePeriod
    }

    mutating func endGrace() { (state, graceEnds) = (.inBillingRetry, nil) }

    mutating func end(_ state: State, _ reason: Reason?) {
      (self.state, self.reason, willRenew) = (state, reason, false)
      (graceEnds, retryEnds, increase) = (nil, nil, nil)
    }

    /// Has its last period back.
    mutating func restore(isRunning: Bool) {
      state = isRunning ? .subscribed : .expired
      if !isRunning { reason = .other }
    }

    /// Writes why it ended, and what stands in the way of its renewal, as Apple does.
    func writeTroubles(to object: inout JSONObjectWriter) {
      let isUnpaid = state == .inBillingRetry || state == .inGracePeriod
      object.write(
        "expirationIntent", isUnpaid || state == .expired ? (reason?.rawValue).map(Int64.init) : nil)
      object.write("isInBillingRetryPeriod", isUnpaid)
      object.write("gracePeriodExpiresDate", graceEnds)
      object.write("priceIncreaseStatus", increase.map { Int64($0.status) })
    }
  }
}

import PeerSyncCore

// Renewal on and off, prices, payments and moods.
extension SandboxStore {
  mutating func setRenewal(_ id: UInt64, _ isOn: Bool) throws(SandboxRefusal) -> SandboxResult {
    let place = try requireSubscription(id)
    let subscription = subscriptions[place]
    guard !subscription.isOver else { throw .ended(id) }
    guard subscription.willRenew != isOn else { return .done }
    set(subscription: place) { $0.renewal.turn(on: isOn) }
    notify(
      "DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", subscription.latest)
    return .done
  }

  // MARK: Prices

  /// Raises a price for new customers at once, and for those who have the product at their next renewal.
  mutating func raisePrice(_ id: String, _ price: Int64, _ needsConsent: Bool) throws(SandboxRefusal)
    -> SandboxResult
  {
    guard let product = product(id) else { throw .unknownProduct(id) }
    guard price <= Limits.sandboxPrice else { throw .tooHighPrice }
    guard price > product.price else { throw .noLowerPrice(product.called) }
    set(product) { $0.price = price }
    for place in subscriptions.indices {
      let subscription = subscriptions[place]
      guard Name(subscription.nextProductId) == Name(id), subscription.isActive, subscription.willRenew else {
        continue
      }
      set(subscription: place) { $0.renewal.raise(to: price, needsConsent: needsConsent) }
      notify("PRICE_INCREASE", needsConsent ? "PENDING" : "ACCEPTED", subscription.latest)
    }
    return .done
  }

  /// Whoever does not agree has no further period [C37].
  mutating func answerIncrease(_ id: UInt64, _ agrees: Bool) throws(SandboxRefusal) -> SandboxResult {
    let place = try requireSubscription(id)
    guard subscriptions[place].increase?.status == 0 else { throw .noIncrease(id) }
    set(subscription: place) { $0.renewal.answerIncrease(agrees) }
    let latest = subscriptions[place].latest
    if agrees {
      notify("PRICE_INCREASE", "ACCEPTED", latest)
    } else {
      notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", latest)
    }
    return .done
  }

  mutating func withdraw(_ id: String, _ isWithdrawn: Bool) throws(SandboxRefusal) -> SandboxResult {
    guard let product = product(id) else { throw .unknownProduct(id) }
    set(product) { $0.isWithdrawn = isWithdrawn }
    lookAgain { Name($0.nextProductId) == Name(id) }
    return .done
  }

  // MARK: Payments

  mutating func setBilling(_ id: String, _ isFailing: Bool) throws(SandboxRefusal) -> SandboxResult {
    set(try open(account: id)) {
      $0.isBillingFailing = isFailing
      // A card that works is a new one.
      if !isFailing { $0.cardExpires = nil }
    }
    if !isFailing { terms.isBillingFailing = false }
    settle(id)
    return .done
  }

  mutating func setCard(_ id: String, _ expires: Instant?) throws(SandboxRefusal) -> SandboxResult {
    set(try open(account: id)) { $0.cardExpires = expires }
    settle(id)
    return .done
  }

  /// Charges what was not paid, if that goes through now.
  private mutating func settle(_ id: String) {
    lookAgain { Name($0.account) == Name(id) }
    guard accounts[Name(id)]?.canPay(at: time) == true, !terms.isBillingFailing else { return }
    for place in subscriptions.indices where Name(subscriptions[place].account) == Name(id) { recover(place) }
  }

  /// The next renewal is looked at and tried anew, because something has changed.
  private mutating func lookAgain(_ isMeant: (SandboxSubscription) -> Bool) {
    for place in subscriptions.indices
    where isMeant(subscriptions[place]) && (subscriptions[place].isChecked || subscriptions[place].isTried) {
      note(subscription: place) { $0.renewal.lookAgain() }
    }
  }

  mutating func setMood(_ mood: SandboxMood, _ id: String?, _ isOnce: Bool) throws(SandboxRefusal)
    -> SandboxResult
  {
    // For the next purchase alone: what stands is there again after it.
    guard let id else {
      if isOnce { terms.moodOnce = mood } else { (terms.mood, terms.moodOnce) = (mood, nil) }
      return .done
    }
    set(try open(account: id)) {
      if isOnce { $0.moodOnce = mood } else { ($0.mood, $0.moodOnce) = (mood, nil) }
    }
    return .done
  }
}

extension Ledger {
  /// What buying some units of a product at an instant would do; nil for an unknown product.
  public mutating func offer(_ productId: String, at now: Instant, quantity: Int = 1) -> Offer? {
    guard let product = product(productId, at: now) ?? product(productId) else { return nil }
    let expires = expiryIfBought(productId, at: now, quantity: quantity)
    return Offer(product: product, action: action(for: product, at: now), expires: expires)
  }

  /// What the expiry of a product's line would become with some more units of it bought at an instant; nil when the
  /// product extends no line or its period is unknown.
  public mutating func expiryIfBought(_ productId: String, at now: Instant, quantity: Int = 1) -> Instant? {
    guard let product = product(productId, at: now), let line = product.stackingLine,
      let period = product.period
    else {
      return nil
    }
    let purchase = Purchase(id: "", date: now, period: period, quantity: quantity)
    return lines[Name(line), default: LineState()].folded(with: purchase).expires
  }

  private mutating func action(for product: Product, at now: Instant) -> Offer.Action {
    if product.type == .nonConsumable { return owned[Name(product.id)]?.isOwned ?? false ? .owned : .buy }
    if let line = product.stackingLine {
      let runs = lines[Name(line), default: LineState()].folded().runs
      return runs.contains { $0.covers(now) } ? .renew : .buy
    }
    guard product.type == .autoRenewableSubscription else { return .buy }
    let current = view(at: now).subscriptions.contains {
      Name($0.productId) == Name(product.id) && $0.givesAccess
    }
    return current ? .renew : .buy
  }
}

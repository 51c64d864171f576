// Who may have which offer.
extension Shop {
  /// The offer that an order asks for; nil when it asks for none.
  func offer(of product: ShopProduct, for order: ShopOrder) throws(ShopRefusal) -> ShopOffer? {
    guard let id = order.offer else { return nil }
    guard let offer = product.offers.first(where: { $0.id.map(Name.init) == Name(id) }) else {
      throw .unknownOffer(id)
    }
    let own = subscriptions(of: order.account, in: product.group)
    guard offer.customers.contains(customer(with: own)) else {
      throw .notForThem(offer: id, offer.customers)
    }
    if let wait = offer.wait, let over = own.map(end).max() {
      let start = terms.scale.end(of: wait, times: 1, from: over)
      guard start <= time else { throw .tooEarly(offer: id, start) }
    }
    guard offer.kind != .code || !hasRedeemed(offer, of: product, order.account, own) else {
      throw .redeemed(id)
    }
    return offer
  }

  /// Whoever has never had a subscription of the group may have it at the reduced price.
  func introductory(of product: ShopProduct, for order: ShopOrder) -> ShopOffer? {
    subscriptions(of: order.account, in: product.group).isEmpty ? product.introductory : nil
  }

  private func subscriptions(of account: String, in group: String) -> [ShopSubscription] {
    subscriptions.filter { Name($0.account) == Name(account) && Name($0.group) == Name(group) }
  }

  private func customer(with own: [ShopSubscription]) -> ShopOffer.Customer {
    guard !own.isEmpty else { return .new }
    return own.allSatisfy { $0.state == .expired || $0.state == .revoked } ? .expired : .existing
  }

  /// When one that is over ended.
  private func end(of subscription: ShopSubscription) -> Instant {
    min(subscription.expires, transaction(subscription.latest)?.revocation?.date ?? subscription.expires)
  }

  /// Whether an account has redeemed a code: each is good once.
  private func hasRedeemed(
    _ offer: ShopOffer, of product: ShopProduct, _ account: String, _ own: [ShopSubscription]
  ) -> Bool {
    let isComing = own.contains {
      $0.offerProductId == product.id && ($0.comingOffer?.id == offer.id || $0.nextOffer?.id == offer.id)
    }
    return isComing
      || transactions.contains {
        $0.offerKind == .code && $0.offerId == offer.id && Name($0.productId) == Name(product.id)
          && Name($0.account) == Name(account)
      }
  }
}

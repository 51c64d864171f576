import PeerSyncCore

// Who may have which offer.
extension SandboxStore {
  /// The offer that an order asks for; nil when it asks for none.
  func offer(of product: SandboxProduct, for order: SandboxOrder) throws(SandboxRefusal) -> SandboxOffer? {
    guard let id = order.offer else { return nil }
    guard let offer = product.offers.first(where: { $0.id.map(Name.init) == Name(id) }) else {
      throw .unknownOffer(id)
    }
    let own = subscriptions(of: order.account, in: product.group)
    if let refusal = refusal(of: offer, product, to: order.account, own) { throw refusal }
    return offer
  }

  /// Why an account may not have an offer now; nil when it may.
  ///
  /// - Parameter own: its subscriptions of the group
  private func refusal(
    of offer: SandboxOffer, _ product: SandboxProduct, to account: String, _ own: [SandboxSubscription]
  ) -> SandboxRefusal? {
    let id = offer.id ?? ""
    guard offer.customers.contains(customer(with: own)) else {
      return .notForThem(offer: id, offer.customers)
    }
    if let wait = offer.wait, let over = own.map(end).max() {
      let start = terms.scale.end(of: wait, times: 1, from: over)
      guard start <= time else { return .tooEarly(offer: id, start) }
    }
    guard offer.kind != .code || !hasRedeemed(offer, of: product, account, own) else { return .redeemed(id) }
    return nil
  }

  /// The offers of a product that an account may have now.
  package func offers(of product: SandboxProduct, openTo account: String) -> [SandboxOffer] {
    let own = subscriptions(of: account, in: product.group)
    return product.offers.filter { offer in
      offer.kind == .introductory ? own.isEmpty : refusal(of: offer, product, to: account, own) == nil
    }
  }

  /// Whoever has never had a subscription of the group may have it at the reduced price.
  func introductory(of product: SandboxProduct, for order: SandboxOrder) -> SandboxOffer? {
    subscriptions(of: order.account, in: product.group).isEmpty ? product.introductory : nil
  }

  private func subscriptions(of account: String, in group: String) -> [SandboxSubscription] {
    subscriptions.filter { Name($0.account) == Name(account) && Name($0.group) == Name(group) }
  }

  private func customer(with own: [SandboxSubscription]) -> SandboxOffer.Customer {
    guard !own.isEmpty else { return .new }
    return own.allSatisfy(\.isOver) ? .expired : .existing
  }

  /// When one that is over ended.
  private func end(of subscription: SandboxSubscription) -> Instant {
    min(subscription.expires, transaction(subscription.latest)?.revocation?.date ?? subscription.expires)
  }

  /// Whether an account has redeemed a code: each is good once.
  private func hasRedeemed(
    _ offer: SandboxOffer, of product: SandboxProduct, _ account: String, _ own: [SandboxSubscription]
  ) -> Bool {
    let (code, name) = (offer.id.map(Name.init), Name(product.id))
    let isComing = own.contains { subscription in
      subscription.offerProductId.map(Name.init) == name
        && [subscription.comingOffer, subscription.nextOffer].contains { $0?.id.map(Name.init) == code }
    }
    return isComing
      || transactions.contains {
        $0.reduction.isCode(code) && Name($0.productId) == name && Name($0.account) == Name(account)
      }
  }
}

// MARK: - Win-back offers

// Renewal info of a subscription that is over lists what would win its customer back. A list is right whenever it is signed;
// one that is no longer right is due to be signed anew, like anything that time does.
extension SandboxStore {
  /// The win-back offers that the customer of a subscription may have now, the best first; nil where there are none. And when
  /// the next one opens to him, as far as time alone decides.
  ///
  /// They are those of the product that he had last, as in the App Store.
  private func winBack(of subscription: SandboxSubscription) -> (ids: [String]?, next: Instant?) {
    guard subscription.isOver, let product = product(subscription.productId), !product.isWithdrawn else {
      return (nil, nil)
    }
    let offers = product.offers.filter { $0.kind == .winBack }
    guard !offers.isEmpty else { return (nil, nil) }
    let own = subscriptions(of: subscription.account, in: product.group)
    var open: [SandboxOffer] = []
    var next: Instant?
    for offer in offers {
      switch refusal(of: offer, product, to: subscription.account, own) {
      case nil: open.append(offer)
      case .tooEarly(_, let start): next = min(next ?? start, start)
      default: break
      }
    }
    return (open.isEmpty ? nil : open.bestFirst.compactMap(\.id), next)
  }

  /// Brings up to date what a subscription lists.
  mutating func listWinBack(at place: Int) {
    let (ids, next) = winBack(of: subscriptions[place])
    subscriptions[place].offers.winBackOffers = ids
    openings[subscriptions[place].original] = next
  }

  /// Looks at what subscriptions list that are over. What is not right any more is due now.
  mutating func lookAtWinBack(_ isMeant: (SandboxSubscription) -> Bool = { _ in true }) {
    for subscription in subscriptions where subscription.isOver && isMeant(subscription) {
      let (ids, next) = winBack(of: subscription)
      let isRight = ids?.map(Name.init) == subscription.winBackOffers?.map(Name.init)
      openings[subscription.original] = isRight ? next : time
    }
  }
}

extension [SandboxOffer] {
  /// The cheapest in all first, of those the longest, else as they stand in the catalogue.
  fileprivate var bestFirst: [SandboxOffer] {
    enumerated().sorted { left, right in
      (left.element.total, right.element.days, left.offset)
        < (right.element.total, left.element.days, right.offset)
    }.map(\.element)
  }
}

extension SandboxOffer {
  /// What all its payments come to.
  fileprivate var total: Int64 { price * Int64(payments) }
  /// About how long it lasts.
  fileprivate var days: Int { (period.months * 30 + period.days) * periods }
}

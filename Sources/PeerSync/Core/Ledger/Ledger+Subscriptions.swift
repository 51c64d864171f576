// Auto-renewable subscriptions: the store renews them, and says when they end.
extension Ledger {
  /// Takes in what the store says of the renewal of a subscription of this app. The newest that counts stands, in whatever
  /// order they come.
  ///
  /// - Parameters:
  ///   - info: what the store says
  ///   - device: the one that recorded it; in the ``Environment/xcode`` environment alone
  public mutating func apply(_ info: RenewalInfo, device: DeviceID? = nil) {
    let subject = StoreSubject(info, bundleId: bundleId, device: device)
    take(Snapshot(value: info, stamp: info.stamp), of: subject)
  }

  /// Takes in one of the items about the renewal of a subscription. Those of other environments and apps say nothing here.
  mutating func take(_ snapshot: Snapshot<RenewalInfo>, of subject: StoreSubject) {
    guard isOwn(subject) else { return }
    if snapshot.value.isAccepted { signed.note(snapshot.value.signedDate) }
    let key = OriginalKey(id: subject.id, device: subject.device)
    if let held = renewals[key] {
      if held.isOutdated(by: snapshot) { disputed.renewals.remove(key) }
      if held.contradicts(snapshot) { disputed.renewals.insert(key) }
      guard held.yields(to: snapshot) else { return }
    }
    renewals[key] = snapshot
    subscriptions[key]?.forgetView()
    cachedView = nil
  }

  /// Whether an item is of this ledger's environment and app.
  func isOwn(_ subject: StoreSubject) -> Bool {
    subject.environment == environment && subject.bundleId == Name(bundleId)
  }

  /// Adds the period of a transaction that counts to its subscription.
  mutating func join(_ original: OriginalKey, _ transaction: Transaction) {
    guard transaction.isAccepted else { return }
    if subscriptions[original] == nil { subscriptionOrder = nil }
    subscriptions[original, default: SubscriptionRecord(original)].insert(SubscriptionPeriod(transaction))
  }

  /// Takes back what ``join(_:_:)`` did.
  mutating func leave(_ original: OriginalKey, _ transaction: Transaction) {
    guard transaction.isAccepted else { return }
    subscriptions[original]?.remove(SubscriptionPeriod(transaction))
  }

  /// A product's level has a say in what a change to it is called.
  mutating func forgetSubscriptionViews() {
    for key in subscriptions.keys { subscriptions[key]?.forgetView() }
  }

  /// How the subscriptions stand, by their references.
  mutating func subscriptionViews(_ horizon: inout Horizon) -> [SubscriptionView] {
    let (products, renewals) = (products, renewals)
    let levels = ProductLevels { name, date in
      let timeline = products[name]?.timeline
      return (date.flatMap { timeline?[$0] } ?? timeline?.steps.last)?.value.level
    }
    let order = currentSubscriptionOrder()
    var views: [SubscriptionView] = []
    views.reserveCapacity(order.count)
    for key in order {
      let view = subscriptions[key]?.view(&horizon) { (renewals[key]?.standing, levels) }
      if let view { views.append(view) }
    }
    return views
  }

  private mutating func currentSubscriptionOrder() -> [OriginalKey] {
    if let subscriptionOrder { return subscriptionOrder }
    let order = subscriptions.map { (Name($0.value.reference), $0.key) }.sorted { $0.0 < $1.0 }.map(\.1)
    subscriptionOrder = order
    return order
  }
}

extension Snapshot where Value == RenewalInfo {
  /// What it says, if it counts.
  fileprivate var standing: RenewalInfo? { value.isAccepted ? value : nil }
}

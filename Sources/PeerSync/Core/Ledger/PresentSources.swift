/// Everything that can give an entitlement, as it is at one instant.
struct PresentSources {
  let now: Instant
  /// In byte order.
  let purchased: [Name]
  /// When each of those was bought.
  var bought: [Name: [Instant]] = [:]
  var lines: [Name: LineView] = [:]
  /// Those of them of which an explicit date leaves nothing.
  var setToNone: Set<Name> = []
  var credits: [Name: CreditView] = [:]
  /// The subscriptions that show each product.
  private var subscriptions: [Name: [(start: Instant, until: Instant, isGrace: Bool)]] = [:]

  init(now: Instant, purchased: [Name]) {
    self.now = now
    self.purchased = purchased
  }

  /// Takes in the subscriptions: each product is held until the last end of those that show it.
  mutating func take(_ views: [SubscriptionView]) {
    for view in views {
      guard let until = view.accessUntil else { continue }
      subscriptions[Name(view.productId), default: []].append(
        (view.periodStart, until, view.state == .inGracePeriod))
    }
  }

  /// Whether an entitlement holds: when anything that gives it does, and as long as the last of them.
  func view(of name: Name, _ sources: EntitlementSources, grants: [(id: Name, grant: Grant)])
    -> EntitlementView
  {
    var best = Hold(active: false, end: nil, reason: .nothing)
    // The last to end of those with a date.
    var dated: Hold?
    for hold in holds(sources, grants) {
      if best.isWeaker(than: hold) { best = hold }
      if let end = hold.presentEnd, dated?.presentEnd.map({ $0 < end }) ?? true { dated = hold }
    }
    let isForGood = best.active && best.end == nil && !best.isUsedUp
    let other = best.isUsedUp ? dated.map { [$0.reason] } ?? [] : []
    let none = best.reason == .nothing ? sources.lines.first(where: setToNone.contains) : nil
    return EntitlementView(
      id: name.text, active: best.active, expires: best.end,
      presentEnd: isForGood ? nil : dated?.presentEnd,
      reasons: [none.map { .setToNone($0.text) } ?? best.reason] + other)
  }

  private func holds(_ sources: EntitlementSources, _ grants: [(id: Name, grant: Grant)]) -> [Hold] {
    sources.owned.compactMap(owned) + grants.map { granted($0.id, $0.grant) }
      + sources.credits.compactMap(credited)
      + sources.lines.compactMap(covered) + sources.subscriptions.compactMap(subscribed)
  }

  private func owned(_ entry: EntrySpan) -> Hold? {
    guard bought[entry.product]?.contains(where: entry.holds) ?? false else { return nil }
    return Hold(active: true, end: nil, reason: .bought(entry.product.text))
  }

  private func credited(_ credit: Name) -> Hold? {
    guard let balance = credits[credit]?.balance, balance > 0 else { return nil }
    return Hold(active: true, end: nil, reason: .credit(credit.text, left: balance), isUsedUp: true)
  }

  private func granted(_ id: Name, _ grant: Grant) -> Hold {
    guard let until = grant.until else {
      return Hold(active: true, end: nil, reason: .granted(id.text))
    }
    let active = now < until
    let reason = active ? Reason.granted(id.text) : .grantEnded(id.text)
    return Hold(active: active, end: until, reason: reason, presentEnd: active ? until : nil)
  }

  private func covered(_ name: Name) -> Hold? {
    guard let line = lines[name], let expires = line.expires else { return nil }
    if line.active {
      let present = line.runs.first { $0.start <= now && now < $0.end }
      return Hold(
        active: true, end: expires, reason: .covered(name.text),
        presentEnd: present?.end ?? expires)
    }
    let reason = now < expires ? Reason.uncovered(name.text) : .lineEnded(name.text)
    return Hold(active: false, end: expires, reason: reason)
  }

  private func subscribed(_ entry: EntrySpan) -> Hold? {
    var last: (start: Instant, until: Instant, isGrace: Bool)?
    for subscription in subscriptions[entry.product] ?? [] where entry.holds(subscription.start) {
      if last.map({ $0.until < subscription.until }) ?? true { last = subscription }
    }
    guard let (_, until, isGrace) = last else { return nil }
    let product = entry.product.text
    let active = now < until
    let reason = isGrace ? Reason.gracePeriod(product) : .subscribed(product)
    return Hold(
      active: active, end: until, reason: active ? reason : .subscriptionEnded(product),
      presentEnd: active ? until : nil)
  }
}

/// One reason for an entitlement.
private struct Hold {
  let active: Bool
  /// Nil without an end when active.
  let end: Instant?
  let reason: Reason
  /// When it ends to hold without a break; nil when that has no date, and when it does not hold.
  var presentEnd: Instant?
  /// Whether it ends when the last credit is spent.
  var isUsedUp = false

  /// Active beats inactive, endless beats ending, later beats earlier; of equals the first stays.
  func isWeaker(than other: Hold) -> Bool {
    if active != other.active { return other.active }
    guard let end else { return !active && other.end != nil }
    guard let otherEnd = other.end else { return active }
    return end < otherEnd
  }
}

/// A view and how long it stays true without a new fact.
struct CachedView: Sendable {
  let view: LedgerView
  let from: Instant
  /// The first instant at which something in it changes; nil for never.
  let until: Instant?

  func holds(at now: Instant) -> Bool { from <= now && until.map { now < $0 } ?? true }
}

extension Ledger {
  /// What follows from the facts at an instant. Costs nothing while no fact has come and no date has passed.
  public mutating func view(at now: Instant) -> LedgerView {
    if let cachedView, cachedView.holds(at: now) { return cachedView.view }
    let cached = makeView(at: now)
    cachedView = cached
    return cached.view
  }

  /// Where entitlements come from, as the products and grants held now say.
  mutating func currentPlan() -> EntitlementPlan {
    if let plan { return plan }
    let granted = grants.lazy.filter { $0.value.values.contains(where: \.value.present) }
    let result = EntitlementPlan(
      products: products.values.lazy.flatMap(\.timeline.spans),
      registers: lines.filter { $0.value.register != nil }.keys,
      grants: granted.map(\.key))
    plan = result
    return result
  }

  private mutating func makeView(at now: Instant) -> CachedView {
    let plan = currentPlan()
    var horizon = Horizon(now: now)
    var present = PresentSources(now: now, purchased: plan.ownable.filter { owned[$0]?.isOwned ?? false })
    for name in present.purchased { present.bought[name] = owned[name]?.dates }
    for name in plan.lines {
      let view = lineView(name, &horizon)
      present.lines[name] = view
      if view.expires == nil, lines[name]?.register != nil { present.setToNone.insert(name) }
    }
    for name in plan.credits { present.credits[name] = creditView(name) }
    let subscriptions = subscriptionViews(&horizon)
    present.take(subscriptions)
    var entitlements: [EntitlementView] = []
    entitlements.reserveCapacity(plan.entitlements.count)
    for (name, sources) in plan.entitlements {
      entitlements.append(present.view(of: name, sources, grants: standingGrants(of: name, &horizon)))
    }
    let view = LedgerView(
      lines: plan.lines.compactMap { present.lines[$0] }, subscriptions: subscriptions,
      entitlements: entitlements,
      purchased: present.purchased.map(\.text), credits: plan.credits.compactMap { present.credits[$0] },
      nextChange: horizon.flip)
    return CachedView(view: view, from: now, until: horizon.change)
  }

  private mutating func lineView(_ name: Name, _ horizon: inout Horizon) -> LineView {
    let fold = lines[name, default: LineState()].folded()
    let next = fold.runs.partitionPoint { $0.end > horizon.now }
    let current = next < fold.runs.count && fold.runs[next].covers(horizon.now) ? fold.runs[next] : nil
    if next < fold.runs.count { horizon.flips(at: current?.end ?? fold.runs[next].start) }
    // An explicit date may lie ahead without covering anything: what is said of it changes there.
    if let expires = fold.expires { horizon.changes(at: expires) }
    return LineView(
      id: name.text, active: current != nil, expires: fold.expires,
      daysRemaining: current.map { horizon.days(until: $0.end) } ?? 0, runs: fold.runs)
  }

  mutating func creditView(_ name: Name) -> CreditView {
    let balance = balance(name.text)
    return CreditView(
      id: name.text, balance: max(balance, 0), debt: max(0 &- balance, 0), shares: shares(of: name.text))
  }

  /// The grants of an entitlement that stand, by id. A revocation by the store outranks the grant that stands for its
  /// transaction.
  func standingGrants(of entitlement: Name) -> [(id: Name, grant: Grant)] {
    guard let decisions = grants[entitlement] else { return [] }
    var standing: [(id: Name, grant: Grant)] = []
    for (id, decision) in decisions where decision.value.present && !isRevoked(decision.value.transactionId) {
      standing.append((id, decision.value))
    }
    return standing.count > 1 ? standing.sorted { $0.id < $1.id } : standing
  }

  private func standingGrants(of entitlement: Name, _ horizon: inout Horizon) -> [(id: Name, grant: Grant)] {
    let grants = standingGrants(of: entitlement)
    for until in grants.compactMap(\.grant.until) { horizon.flips(at: until) }
    return grants
  }

  /// Whether the store has taken back all of a transaction.
  func isRevoked(_ reference: String?) -> Bool {
    guard let reference, let record = transaction(reference)?.transaction else { return false }
    return record.isAccepted && record.refund == .full
  }
}

/// Gathers when the view next differs.
struct Horizon {
  let now: Instant
  /// When something next begins or ends.
  private(set) var flip: Instant?
  /// When anything next changes, a count of days included.
  private(set) var change: Instant?

  init(now: Instant) { self.now = now }

  mutating func flips(at instant: Instant) {
    guard instant > now else { return }
    flip = min(flip ?? instant, instant)
    changes(at: instant)
  }

  mutating func changes(at instant: Instant) {
    if instant > now { change = min(change ?? instant, instant) }
  }

  /// Whole days until an instant that lies ahead, rounded up.
  mutating func days(until end: Instant) -> Int {
    let (whole, rest) = (end.milliseconds - now.milliseconds)
      .quotientAndRemainder(dividingBy: Instant.dayMilliseconds)
    let days = whole + (rest > 0 ? 1 : 0)
    changes(at: end.advanced(byMilliseconds: (1 - days) * Instant.dayMilliseconds))
    return Int(days)
  }
}

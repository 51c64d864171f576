/// The transactions of one subscription, in order, and what they come to.
///
/// A new transaction or renewal info folds its own subscription again and no other; a view is made again when a date in it
/// has passed.
struct SubscriptionRecord: Sendable {
  /// How it is named: the original transaction, with its device where ids are counted on each.
  let reference: String
  private(set) var periods: [SubscriptionPeriod] = []
  private var isSorted = true
  private var fold: SubscriptionFold?
  private var cached: CachedSubscription?

  init(_ key: OriginalKey) { reference = key.reference }

  var isEmpty: Bool { periods.isEmpty }

  /// Adds a period. Those that come in order, as almost all do, cost nothing more than the append.
  mutating func insert(_ period: SubscriptionPeriod) {
    if let last = periods.last, !last.precedes(period) { isSorted = false }
    periods.append(period)
    forget()
  }

  mutating func remove(_ period: SubscriptionPeriod) {
    sort()
    let index = periods.partitionPoint { !$0.precedes(period) }
    guard index < periods.count, periods[index].id == period.id else { return }
    periods.remove(at: index)
    forget()
  }

  /// What the store says of the renewal, or the catalogue of the products, has changed.
  mutating func forgetView() { cached = nil }

  private mutating func forget() {
    fold = nil
    cached = nil
  }

  private mutating func sort() {
    guard !isSorted else { return }
    periods.sort { $0.precedes($1) }
    isSorted = true
  }

  /// How it stands; nil when no transaction of it counts.
  ///
  /// - Parameter products: what the catalogue says of levels, and the newest renewal info; asked only when needed
  mutating func view(
    _ horizon: inout Horizon, _ facts: () -> (RenewalInfo?, ProductLevels)
  ) -> SubscriptionView? {
    if cached?.holds(at: horizon.now) != true { cached = makeView(at: horizon.now, facts()) }
    guard let cached else { return nil }
    cached.flip.map { horizon.flips(at: $0) }
    cached.until.map { horizon.changes(at: $0) }
    return cached.view
  }

  private mutating func makeView(
    at now: Instant, _ facts: (renewal: RenewalInfo?, levels: ProductLevels)
  ) -> CachedSubscription? {
    sort()
    fold = fold ?? SubscriptionFold(periods)
    guard let fold else { return nil }
    var horizon = Horizon(now: now)
    let view = SubscriptionView(fold, facts.renewal, facts.levels, named: reference, &horizon)
    return CachedSubscription(view: view, from: now, flip: horizon.flip, until: horizon.change)
  }
}

/// A view of one subscription and how long it stays true without a new fact.
private struct CachedSubscription: Sendable {
  let view: SubscriptionView
  let from: Instant
  /// When it next begins or ends something.
  let flip: Instant?
  /// The first instant at which something in it changes; nil for never.
  let until: Instant?

  func holds(at now: Instant) -> Bool { from <= now && until.map { now < $0 } ?? true }
}

/// Which level of service products give: 1 is the highest of their group.
struct ProductLevels {
  /// The level of a product at an instant; without one, of late.
  let level: (Name, Instant?) -> Int?

  func kind(from: Name, to: Name, at date: Instant?) -> ProductChange.Kind? {
    guard let before = level(from, date), let after = level(to, date) else { return nil }
    return after < before ? .upgrade : after > before ? .downgrade : .crossgrade
  }
}

extension OriginalKey {
  /// How answers name it.
  package var reference: String { device.map { "\(id.text)@\($0)" } ?? id.text }
}

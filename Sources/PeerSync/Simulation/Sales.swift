import PeerSyncCore

/// The store of a simulation, as the checks must know it: what the credits that it sells are worth, and what has been bought,
/// whatever devices know of it.
struct Sales {
  /// What was bought, in that order.
  private(set) var bought: [Transaction] = []
  /// The credits that products buy.
  private(set) var credits: [String] = []
  /// What one unit of each product buys of a credit, by since when it does.
  private var amounts: [String: [(from: Instant?, credit: Name, amount: Int64)]] = [:] {
    didSet { boughtAmounts = bought.reduce(into: [:]) { count($1, in: &$0) } }
  }
  /// How much of each credit was bought.
  private var boughtAmounts: [Name: Int64] = [:]

  /// A store that sells products.
  init(of products: [Product]) { sell(products) }

  /// Sells products as well.
  mutating func sell(_ products: [Product]) {
    for product in products {
      guard let credit = product.boughtCredit else { continue }
      // What always counts takes the place of what has a date.
      let others = product.from == nil ? [] : (amounts[product.id] ?? []).filter { $0.from != product.from }
      amounts[product.id] = (others + [(product.from, Name(credit), Int64(product.amount ?? 1))])
        .sorted { $0.from.map(\.milliseconds) ?? .min < $1.from.map(\.milliseconds) ?? .min }
      if !credits.contains(where: { Name($0) == Name(credit) }) { credits.append(credit) }
    }
  }

  /// Has products buy more credits than before, but never less: what was sold may be spent.
  mutating func raise(_ product: Product) {
    guard product.boughtCredit != nil, let units = amounts[product.id] else { return }
    amounts[product.id] = units.map { ($0.from, $0.credit, max($0.amount, Int64(product.amount ?? 1))) }
  }

  /// Whether a product buys credits.
  func isCredit(_ product: String) -> Bool { amounts[product] != nil }

  /// How much of a credit was bought.
  func amount(of credit: String) -> Int64 { boughtAmounts[Name(credit), default: 0] }

  /// Something was bought.
  mutating func note(_ transaction: Transaction) {
    bought.append(transaction)
    count(transaction, in: &boughtAmounts)
  }

  private func count(_ transaction: Transaction, in sums: inout [Name: Int64]) {
    let unit = amounts[transaction.productId]?.last { unit in
      unit.from.map { $0 <= transaction.purchaseDate } ?? true
    }
    guard let unit else { return }
    sums[unit.credit, default: 0] += unit.amount * Int64(transaction.quantity)
  }

  /// Dates what a device has drafted, and remembers it as bought unless it is a refund.
  mutating func date(_ draft: Transaction, at time: Instant) -> Transaction {
    var snapshot = draft
    snapshot.signedDate = time
    // Who hears no answer asks again.
    let isAgain = bought.contains { $0.transactionId == snapshot.transactionId }
    if snapshot.revocationDate == nil, !isAgain { note(snapshot) }
    return snapshot
  }

  /// Something that was bought; nil when nothing was.
  func pick(using random: inout RandomState) -> Transaction? {
    bought.isEmpty ? nil : bought[Int(random.chance(UInt64(bought.count)))]
  }
}

// Auto-renewable subscriptions: the store renews them, bills in vain, and says how they go on, in any order.
extension Sales {
  /// Two subscriptions of one group, by their levels.
  static let plans = [plan("club", level: 2), plan("best club", level: 1)]

  private static func plan(_ id: String, level: Int) -> Product {
    var product = Product(
      id: id, type: .autoRenewableSubscription, period: Period("P1M"), entitlements: ["club"])
    (product.subscriptionGroup, product.level) = ("clubs", level)
    return product
  }

  /// Where in what was bought the periods of subscriptions are.
  private var periods: [Int] { bought.indices.filter { bought[$0].type == .autoRenewableSubscription } }

  /// Whether anybody has subscribed.
  var hasSubscriptions: Bool { bought.contains { $0.type == .autoRenewableSubscription } }

  /// Renews a subscription, or says how one will go on.
  ///
  /// - Returns: what it has signed; nil when nobody has subscribed
  mutating func renew(at time: Instant, using random: inout RandomState) -> JWS? {
    let periods = periods
    guard !periods.isEmpty else { return nil }
    // Mostly the newest is renewed, or talked about.
    let back = random.chance(3) > 0 ? 0 : random.chance(UInt64(periods.count))
    let last = bought[periods[periods.count - 1 - Int(back)]]
    guard random.chance(2) == 0 else {
      return SimulatedStore.sign(Self.outlook(of: last, at: time, using: &random))
    }
    let period = Self.period(after: last, at: time, using: &random)
    note(period)
    return SimulatedStore.sign(period)
  }

  /// A period that follows another one, at once or after a gap; of one that has a successor, beside that.
  private static func period(
    after last: Transaction, at time: Instant, using random: inout RandomState
  ) -> Transaction {
    var period = last
    period.transactionId = String(random.next() >> 1)
    if random.chance(6) == 0 { period.productId = plans[Int(random.chance(2))].id }
    period.purchaseDate = (last.expiresDate ?? time).advanced(
      byMilliseconds: Int64(random.chance(3) / 2) * 86_400_000)
    period.expiresDate = period.purchaseDate.adding(months: 1, days: 0)
    period.signedDate = time
    return period
  }

  /// What the store says of the renewal behind a period.
  private static func outlook(
    of period: Transaction, at time: Instant, using random: inout RandomState
  ) -> RenewalInfo {
    let renews = random.chance(3) > 0
    var info = RenewalInfo(
      originalTransactionId: period.originalTransactionId, productId: period.productId,
      autoRenewStatus: renews, renewalDate: period.expiresDate,
      environment: .sandbox, signedDate: time, verification: .simulated)
    if renews, random.chance(3) == 0 {
      info.isInBillingRetryPeriod = true
      info.expirationIntent = 2
      if random.chance(2) == 0 {
        info.gracePeriodExpiresDate = period.expiresDate?.advanced(byMilliseconds: 16 * 86_400_000)
      }
    } else if !renews {
      info.expirationIntent = Int(random.chance(6))
    }
    return info
  }
}

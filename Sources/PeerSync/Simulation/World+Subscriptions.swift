// Auto-renewable subscriptions: the store renews them, bills in vain, and says how they go on, to any device and in any order.
extension World {
  /// Two subscriptions of one group, by their levels.
  static let plans = [plan("club", level: 2), plan("best club", level: 1)]

  private static func plan(_ id: String, level: Int) -> Product {
    var product = Product(
      id: id, type: .autoRenewableSubscription, period: Period("P1M"), entitlements: ["club"])
    (product.subscriptionGroup, product.level) = ("clubs", level)
    return product
  }

  /// The store begins a subscription, renews one, or says how one will go on.
  func subscribe(_ index: Int) {
    let periods = bought.filter { $0.type == .autoRenewableSubscription }
    guard !periods.isEmpty, chance(4) > 0 else { return record(period(after: nil), index) }
    // Mostly the newest is renewed, or talked about.
    let back = chance(3) > 0 ? 0 : chance(UInt64(periods.count))
    let last = periods[periods.count - 1 - Int(back)]
    if chance(2) == 0 { return record(period(after: last), index) }
    let info = outlook(of: last)
    request(.write(SimulatedStore.writes(of: info, bundleId: Self.bundleId)), of: index)
  }

  private func record(_ period: Transaction, _ index: Int) {
    bought.append(period)
    request(.write(SimulatedStore.writes(of: period)), of: index)
  }

  /// A period that follows another one, at once or after a gap; of one that has a successor, beside that.
  private func period(after last: Transaction?) -> Transaction {
    let start = (last?.expiresDate ?? trueTime).advanced(byMilliseconds: Int64(chance(3) / 2) * 86_400_000)
    let product = chance(6) == 0 ? nil : last?.productId
    var transaction = Transaction(
      transactionId: String(random.next() >> 1), productId: product ?? Self.plans[Int(chance(2))].id,
      bundleId: Self.bundleId, environment: .sandbox, purchaseDate: start, quantity: 1, signedDate: trueTime,
      verification: .simulated)
    transaction.type = .autoRenewableSubscription
    transaction.originalTransactionId = last?.originalTransactionId ?? transaction.transactionId
    transaction.expiresDate = start.adding(months: 1, days: 0)
    return transaction
  }

  /// What the store says of the renewal behind a period.
  private func outlook(of period: Transaction) -> RenewalInfo {
    let renews = chance(3) > 0
    var info = RenewalInfo(
      originalTransactionId: period.originalTransactionId, productId: period.productId,
      autoRenewStatus: renews, renewalDate: period.expiresDate,
      environment: .sandbox, signedDate: trueTime, verification: .simulated)
    if renews, chance(3) == 0 {
      info.isInBillingRetryPeriod = true
      info.expirationIntent = 2
      if chance(2) == 0 {
        info.gracePeriodExpiresDate = period.expiresDate?.advanced(byMilliseconds: 16 * 86_400_000)
      }
    } else if !renews {
      info.expirationIntent = Int(chance(6))
    }
    return info
  }
}

import PeerSyncCore

// Auto-renewable subscriptions: the store renews them, bills in vain, and says how they go on, to any device and in any
// order.
extension World {
  /// Two subscriptions of one group, by their levels.
  static let plans = [plan("club", level: 2), plan("best club", level: 1)]

  private static func plan(_ id: String, level: Int) -> Product {
    var product = Product(
      id: id, type: .autoRenewableSubscription, period: Period("P1M"), entitlements: ["club"])
    (product.subscriptionGroup, product.level) = ("clubs", level)
    return product
  }

  /// Someone subscribes, or the store renews a subscription, or says how one will go on.
  func subscribe(_ index: Int) {
    let periods = bought.filter { $0.type == .autoRenewableSubscription }
    guard !periods.isEmpty, chance(4) > 0 else {
      return buy(PurchaseOrder(Self.plans[Int(chance(2))].id, at: trueTime), on: index)
    }
    // Mostly the newest is renewed, or talked about.
    let back = chance(3) > 0 ? 0 : chance(UInt64(periods.count))
    let last = periods[periods.count - 1 - Int(back)]
    guard chance(2) == 0 else { return deliver(SimulatedStore.sign(outlook(of: last)), to: index) }
    let period = period(after: last)
    bought.append(period)
    deliver(SimulatedStore.sign(period), to: index)
  }

  /// A period that follows another one, at once or after a gap; of one that has a successor, beside that.
  private func period(after last: Transaction) -> Transaction {
    var period = last
    period.transactionId = String(random.next() >> 1)
    if chance(6) == 0 { period.productId = Self.plans[Int(chance(2))].id }
    period.purchaseDate = (last.expiresDate ?? trueTime).advanced(
      byMilliseconds: Int64(chance(3) / 2) * 86_400_000)
    period.expiresDate = period.purchaseDate.adding(months: 1, days: 0)
    period.signedDate = trueTime
    return period
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

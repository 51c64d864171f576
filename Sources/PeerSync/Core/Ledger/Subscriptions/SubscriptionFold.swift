/// What the transactions of one subscription come to, whatever the time is.
struct SubscriptionFold: Sendable {
  /// The period that decides: of those that stand the one that ends last [A5]; where none stands, the last of all.
  let current: SubscriptionPeriod
  /// Of those that stand and begin before the one that decides, the one that ends last.
  private let previous: SubscriptionPeriod?
  /// How the last period to begin was taken back, when it would end later than the present one.
  let revocation: SubscriptionRevocation?
  /// The newest change into the present product, without its kind.
  let change: Change?
  let paid: PaidService

  struct Change: Sendable {
    let from: Name
    let date: Instant
    /// Whether the store says that an upgrade replaced the product before.
    let isUpgrade: Bool
  }

  /// Nil without any period.
  ///
  /// One walk without copies: a subscription may have thousands of periods, and each new one folds them again.
  ///
  /// - Parameter periods: by their starts
  init?(_ periods: [SubscriptionPeriod]) {
    var (standing, previous, any, latest): (Int?, Int?, Int?, Int?)
    for index in periods.indices {
      if periods[index].stands, SubscriptionFold.later(standing, index, periods) == index {
        (previous, standing) = (standing, index)
      }
      if !periods[index].isUpgraded { latest = index }
      any = SubscriptionFold.later(any, index, periods)
    }
    guard let place = standing ?? any else { return nil }
    current = periods[place]
    self.previous = standing == nil ? nil : previous.map { periods[$0] }
    revocation = SubscriptionFold.revocation(latest.map { periods[$0] }, current)
    change = SubscriptionFold.change(periods, into: place)
    paid = PaidService(periods)
  }

  /// The period whose service the customer has: a renewal that the store settled ahead waits for its start [C34].
  func inForce(_ horizon: inout Horizon) -> SubscriptionPeriod {
    guard let previous, let end = previous.end, horizon.now < min(current.start, end) else { return current }
    horizon.flips(at: previous.start)
    horizon.flips(at: min(current.start, end))
    return previous.start <= horizon.now ? previous : current
  }

  /// The one of two that ends later.
  private static func later(_ held: Int?, _ index: Int, _ periods: [SubscriptionPeriod]) -> Int {
    guard let held, !periods[held].endsBefore(periods[index]) else { return index }
    return held
  }

  private static func revocation(
    _ last: SubscriptionPeriod?, _ current: SubscriptionPeriod
  ) -> SubscriptionRevocation? {
    guard let last, let revocation = last.revocation else { return nil }
    guard current.stands else { return revocation }
    return (last.end ?? last.start) > (current.end ?? current.start) ? revocation : nil
  }

  /// Looks back to the first period of the present product, and what came before it.
  private static func change(_ periods: [SubscriptionPeriod], into current: Int) -> Change? {
    guard periods[current].revocation == nil else { return nil }
    var first = current
    for index in (0..<current).reversed() where periods[index].revocation == nil {
      guard periods[index].product == periods[current].product else {
        return Change(
          from: periods[index].product, date: periods[first].start, isUpgrade: periods[index].isUpgraded)
      }
      first = index
    }
    return nil
  }
}

/// What the transactions of one subscription come to, whatever the time is.
struct SubscriptionFold: Sendable {
  /// The period that decides: of those that stand the one that ends last [A5]; where none stands, the last of all.
  let current: SubscriptionPeriod
  /// How the last period was taken back, when it would end later than the present one.
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
  /// - Parameter periods: by their starts
  init?(_ periods: [SubscriptionPeriod]) {
    let standing = periods.filter(\.stands).max { $0.endsBefore($1) }
    guard let current = standing ?? periods.max(by: { $0.endsBefore($1) }) else { return nil }
    self.current = current
    revocation = SubscriptionFold.revocation(periods, current)
    change = SubscriptionFold.change(periods, into: current)
    paid = PaidService(periods)
  }

  private static func revocation(
    _ periods: [SubscriptionPeriod], _ current: SubscriptionPeriod
  ) -> SubscriptionRevocation? {
    let last = periods.filter { if case .upgraded = $0.standing { false } else { true } }
      .max { $0.endsBefore($1) }
    guard let last, let revocation = last.revocation else { return nil }
    guard current.stands else { return revocation }
    return (last.end ?? last.start) > (current.end ?? current.start) ? revocation : nil
  }

  private static func change(_ periods: [SubscriptionPeriod], into current: SubscriptionPeriod) -> Change? {
    var change: Change?
    var before: SubscriptionPeriod?
    for period in periods where period.revocation == nil && !current.precedes(period) {
      if let before, before.product != period.product {
        let isUpgrade = if case .upgraded = before.standing { true } else { false }
        change = Change(from: before.product, date: period.start, isUpgrade: isUpgrade)
      }
      before = period
    }
    return before?.product == current.product ? change : nil
  }
}

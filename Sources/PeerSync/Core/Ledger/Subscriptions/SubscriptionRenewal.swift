/// What comes at the next renewal of a subscription, as far as it is known.
public struct SubscriptionRenewal: Hashable, Sendable {
  /// Whether it renews at its end; nil while no renewal state is known.
  public let willRenew: Bool?
  /// The product that it renews as; nil unless it renews.
  public let nextProductId: String?
  /// When the store bills next; nil unless it runs and renews.
  public let nextBilling: Instant?
  /// The price of the next period in thousandths of the currency's unit, as far as the store said.
  public let renewalPrice: Int64?
  /// The currency of that price.
  public let currency: String?
  /// Whether a higher price was agreed to; nil when there is none.
  public let priceConsent: PriceConsent?
  /// The change that takes effect at the next renewal.
  public let nextChange: ProductChange?
  /// The offer of the next period.
  public let nextOffer: StoreOffer?
  /// When the store signed what it said last of the renewal; nil while it has said nothing.
  public let renewalSigned: Instant?

  /// - Parameters:
  ///   - newest: what the store said last
  ///   - outlook: what that means for the period that ends last
  ///   - inForce: the period that runs; one that ends later is the next
  ///   - runs: whether the subscription runs
  init(
    _ newest: RenewalInfo?, _ outlook: RenewalOutlook, from inForce: SubscriptionPeriod,
    to last: SubscriptionPeriod, runs: Bool, _ levels: ProductLevels
  ) {
    let isAhead = inForce.id != last.id
    willRenew = outlook.willRenew
    nextProductId = isAhead ? last.product.text : outlook.nextProduct
    nextBilling = runs ? outlook.renewal : nil
    renewalPrice = outlook.info?.renewalPrice
    currency = outlook.info?.currency
    priceConsent = outlook.info?.priceIncreaseStatus.map { $0 == 0 ? .pending : .accepted }
    nextChange = ProductChange(
      from: inForce.product, to: nextProductId, at: isAhead ? last.start : outlook.renewal, levels)
    nextOffer = isAhead ? last.offer : outlook.willRenew == true ? outlook.info?.offer : nil
    renewalSigned = newest?.signedDate
  }
}

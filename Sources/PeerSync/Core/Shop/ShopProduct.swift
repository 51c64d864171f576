/// What the sandbox store sells.
package struct ShopProduct: Codable, Hashable, Sendable {
  /// A reduced price for a first subscriber.
  package struct Offer: Codable, Hashable, Sendable {
    /// Apple's `offerDiscountType`.
    package enum Mode: String, Codable, Hashable, Sendable {
      case freeTrial = "FREE_TRIAL"
      case payAsYouGo = "PAY_AS_YOU_GO"
      case payUpFront = "PAY_UP_FRONT"
    }

    package var mode: Mode
    package var period: Period
    /// Periods at the reduced price, 1 to ``Limits/shopOfferPeriods``.
    package var periods: Int
    /// In thousandths of the currency's unit.
    package var price: Int64

    package init(mode: Mode, period: Period, periods: Int, price: Int64) {
      self.mode = mode
      self.period = period
      self.periods = min(max(periods, 1), Limits.shopOfferPeriods)
      self.price = price
    }
  }

  package let id: String
  package var type: ProductType
  /// How long one period of an auto-renewable subscription lasts.
  package var period: Period?
  /// In thousandths of the currency's unit.
  package var price: Int64
  package var currency: String
  /// The group within which subscriptions replace each other; its own id where no file names one.
  package var group: String
  /// The place in its group: 1 is the best, which others upgrade to.
  package var rank: Int
  package var isFamilyShareable: Bool
  package var introductory: Offer?
  /// Whether nobody can buy it any more, nor have it renewed.
  package var isWithdrawn = false

  package init(
    id: String, type: ProductType, period: Period? = nil, price: Int64 = 0, currency: String = "USD",
    group: String? = nil, rank: Int = 1, isFamilyShareable: Bool = false, introductory: Offer? = nil
  ) {
    self.id = id
    self.type = type
    self.period = period
    self.price = min(max(price, 0), Limits.shopPrice)
    self.currency = currency
    self.group = group ?? id
    self.rank = rank
    self.isFamilyShareable = isFamilyShareable
    self.introductory = introductory
  }
}

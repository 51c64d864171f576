/// What the store says of the renewal of an auto-renewable subscription: Apple's `JWSRenewalInfoDecodedPayload`, under the
/// same names.
public struct RenewalInfo: Hashable, Sendable {
  /// The transaction that began the subscription.
  public var originalTransactionId: String
  /// The product that it is now.
  public var productId: String?
  /// The product that it renews as.
  public var autoRenewProductId: String?
  /// Whether it renews.
  public var autoRenewStatus: Bool?
  /// Apple's code of why it ended: 1 turned off, 2 billing error, 3 price not accepted, 4 product unavailable, 5 other; 0
  /// to 255.
  public var expirationIntent: Int?
  /// Whether the store goes on trying to bill.
  public var isInBillingRetryPeriod: Bool
  /// Until when the app gives access although billing has failed.
  public var gracePeriodExpiresDate: Instant?
  /// 0: a higher price was not answered yet; 1: agreed to, or no answer needed; 0 to 255.
  public var priceIncreaseStatus: Int?
  /// When the newest period ends, and the next one is billed.
  public var renewalDate: Instant?
  /// The price of the next period in thousandths of the currency's unit.
  public var renewalPrice: Int64?
  /// The ISO 4217 code of the price's currency.
  public var currency: String?
  /// The offer of the next period.
  public var offer: StoreOffer?
  /// The store it is of.
  public var environment: Environment
  /// When the store signed it: the newest counts.
  public var signedDate: Instant
  /// Who says that it is real.
  public var verification: Verification

  /// Makes what the store says of a subscription that renews as what it is.
  public init(
    originalTransactionId: String, productId: String?, autoRenewStatus: Bool, renewalDate: Instant?,
    environment: Environment, signedDate: Instant, verification: Verification
  ) {
    self.originalTransactionId = originalTransactionId
    self.productId = productId
    autoRenewProductId = productId
    self.autoRenewStatus = autoRenewStatus
    isInBillingRetryPeriod = false
    self.renewalDate = renewalDate
    self.environment = environment
    self.signedDate = signedDate
    self.verification = verification
  }

  /// Whether it counts in its environment at all.
  public var isAccepted: Bool { verification.isAccepted(in: environment) }

  /// What orders several of one subscription, and stamps their registers: the store's date.
  public var stamp: Stamp { Stamp(signedDate) }
}

extension RenewalInfo {
  /// Reads the fields. Who signed it is not looked at.
  init(_ fields: PayloadFields) throws(JWSRejection) {
    originalTransactionId = try fields.required(text: "originalTransactionId")
    productId = try fields.text("productId")
    autoRenewProductId = try fields.text("autoRenewProductId")
    autoRenewStatus = try fields.integer("autoRenewStatus", in: 0...1).map { $0 == 1 }
    expirationIntent = try fields.integer("expirationIntent", in: 0...255).map { Int($0) }
    isInBillingRetryPeriod = try fields.flag("isInBillingRetryPeriod") ?? false
    gracePeriodExpiresDate = try fields.instant("gracePeriodExpiresDate")
    priceIncreaseStatus = try fields.integer("priceIncreaseStatus", in: 0...255).map { Int($0) }
    renewalDate = try fields.instant("renewalDate")
    renewalPrice = try fields.integer("renewalPrice", in: 0...Int64.max)
    currency = try fields.text("currency")
    offer = try StoreOffer(fields)
    environment = try fields.environment("environment")
    signedDate = try fields.required(instant: "signedDate")
    verification = .unverified
  }

  /// The JSON that a store signs: the fields of `JWSRenewalInfoDecodedPayload` in the order in which Apple writes them.
  package var payload: [UInt8] {
    var object = JSONObjectWriter()
    object.write("expirationIntent", expirationIntent.map(Int64.init))
    object.write("originalTransactionId", originalTransactionId)
    object.write("autoRenewProductId", autoRenewProductId)
    object.write("productId", productId)
    object.write("autoRenewStatus", autoRenewStatus.map { $0 ? 1 : 0 })
    if isInBillingRetryPeriod { object.write("isInBillingRetryPeriod", true) }
    object.write("priceIncreaseStatus", priceIncreaseStatus.map(Int64.init))
    object.write("gracePeriodExpiresDate", gracePeriodExpiresDate)
    offer?.write(to: &object)
    object.write("signedDate", signedDate)
    object.write("environment", environment.appleName)
    object.write("renewalDate", renewalDate)
    object.write("renewalPrice", renewalPrice)
    object.write("currency", currency)
    return object.finish()
  }
}

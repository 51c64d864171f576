/// What the store said of the renewal of a subscription, in an exported ledger.
struct RenewalInfoAnswer: Codable, Hashable {
  /// The first transaction of the subscription; in the xcode environment with `@` and the device that recorded it.
  let originalTransactionId: String
  /// The product that it renews as.
  @Nullable var autoRenewProductId: String?
  /// Whether it renews.
  @Nullable var autoRenewStatus: Bool?
  /// Apple's code of why it ended.
  @Nullable var expirationIntent: Int?
  /// Whether the store goes on trying to bill.
  let isInBillingRetryPeriod: Bool
  /// The end of the grace period.
  @Nullable var gracePeriodExpiresDate: Instant?
  /// When the next period is billed.
  @Nullable var renewalDate: Instant?
  /// When the store signed it.
  let signedDate: Instant
  /// Who says that it is real, as for a transaction.
  let verification: String
  /// Why nobody does.
  @Nullable var reason: String?

  init(_ info: RenewalInfo, device: DeviceID?, _ rejection: JWSRejection?) {
    originalTransactionId = OriginalKey(id: Name(info.originalTransactionId), device: device).reference
    autoRenewProductId = info.autoRenewProductId
    autoRenewStatus = info.autoRenewStatus
    expirationIntent = info.expirationIntent
    isInBillingRetryPeriod = info.isInBillingRetryPeriod
    gracePeriodExpiresDate = info.gracePeriodExpiresDate
    renewalDate = info.renewalDate
    signedDate = info.signedDate
    verification = info.verification.rawValue
    reason = rejection?.description
  }
}

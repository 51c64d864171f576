import PeerSyncCore

extension SandboxTransaction {
  /// What the store signs: the fields of Apple's `JWSTransactionDecodedPayload`.
  package func payload(storefront: String) -> [UInt8] {
    var object = JSONObjectWriter()
    object.write("transactionId", String(id))
    object.write("originalTransactionId", String(original))
    if type == .autoRenewableSubscription { object.write("webOrderLineItemId", String(id)) }
    object.write("bundleId", bundleId)
    object.write("productId", productId)
    object.write("subscriptionGroupIdentifier", group)
    object.write("purchaseDate", purchaseDate)
    object.write("originalPurchaseDate", originalPurchaseDate)
    object.write("expiresDate", expires)
    object.write("quantity", Int64(quantity))
    object.write("type", type.appleName)
    object.write("appAccountToken", token)
    object.write("inAppOwnershipType", ownership.rawValue)
    object.write("signedDate", signed)
    object.write("revocationReason", revocation.map { Int64($0.reason) })
    object.write("revocationDate", revocation?.date)
    object.write("revocationType", revocation?.type.rawValue)
    object.write("revocationPercentage", revocation?.percentage.map(Int64.init))
    if isUpgraded { object.write("isUpgraded", true) }
    storeOffer?.write(to: &object)
    object.write("offerPeriod", offerPeriod?.description)
    object.write("environment", Environment.sandbox.appleName)
    object.write("transactionReason", isRenewal ? "RENEWAL" : "PURCHASE")
    object.write("storefront", storefront)
    object.write("storefrontId", SandboxTransaction.storefrontIds[storefront])
    object.write("price", price)
    object.write("currency", currency)
    return object.finish()
  }
}

extension SandboxTransaction {
  /// The offer as Apple tells of it.
  private var storeOffer: StoreOffer? {
    offer.map { StoreOffer(code: (offerKind ?? .introductory).code, id: offerId, payment: $0) }
  }

  /// Apple's numbers of the storefronts that simulations use most.
  private static let storefrontIds = [
    "USA": "143441", "GBR": "143444", "DEU": "143443", "FRA": "143442", "JPN": "143462", "KOR": "143466",
  ]
}

extension SandboxSubscription {
  /// What the store signs: the fields of Apple's `JWSRenewalInfoDecodedPayload`.
  package var payload: [UInt8] {
    let coming = willRenew ? comingOffer : nil
    var object = JSONObjectWriter()
    object.write("originalTransactionId", String(original))
    object.write("autoRenewProductId", nextProductId)
    object.write("productId", productId)
    object.write("autoRenewStatus", willRenew ? 1 : 0)
    object.write("renewalPrice", willRenew ? coming?.price ?? increase?.price ?? price : nil)
    object.write("currency", currency)
    coming.map { StoreOffer(code: $0.kind.code, id: $0.id, payment: $0.mode) }?.write(to: &object)
    object.write("offerPeriod", coming?.period.description)
    object.write("signedDate", signed)
    object.write("environment", Environment.sandbox.appleName)
    object.write("recentSubscriptionStartDate", start)
    object.write("renewalDate", willRenew ? expires : nil)
    let hasReason = state == .expired || state == .inBillingRetry || state == .inGracePeriod
    object.write("expirationIntent", hasReason ? (reason?.rawValue).map(Int64.init) : nil)
    object.write("isInBillingRetryPeriod", state == .inBillingRetry || state == .inGracePeriod)
    object.write("gracePeriodExpiresDate", graceEnds)
    object.write("priceIncreaseStatus", increase.map { Int64($0.status) })
    object.write("appAccountToken", token)
    object.write("eligibleWinBackOfferIds", winBackOffers, atMost: Limits.sandboxWinBackBytes)
    return object.finish()
  }
}

extension SandboxNotification {
  /// What the store signs: the fields of Apple's `responseBodyV2DecodedPayload`.
  ///
  /// - Parameters:
  ///   - transaction: the transaction that it is about, signed
  ///   - renewal: the state of the subscription, signed
  package func payload(transaction: [UInt8]?, renewal: [UInt8]?) -> [UInt8] {
    var data = JSONObjectWriter()
    data.write("bundleId", bundleId)
    data.write("bundleVersion", "1")
    data.write("environment", Environment.sandbox.appleName)
    data.write("signedTransactionInfo", transaction.map { String(decoding: $0, as: UTF8.self) })
    data.write("signedRenewalInfo", renewal.map { String(decoding: $0, as: UTF8.self) })
    data.write("status", status.map(Int64.init))
    var object = JSONObjectWriter()
    object.write("notificationType", type)
    object.write("subtype", subtype)
    object.write("notificationUUID", uuid)
    object.write("data", raw: data.finish())
    object.write("version", "2.0")
    object.write("signedDate", signed)
    return object.finish()
  }
}

import PeerSyncCore

extension SandboxTransaction {
  /// What the store signs: the fields of Apple's `JWSTransactionDecodedPayload`.
  package func payload(storefront: String) -> [UInt8] {
    var object = JSONObjectWriter()
    object.write("transactionId", String(sale.id))
    object.write("originalTransactionId", String(sale.original))
    if sale.type == .autoRenewableSubscription { object.write("webOrderLineItemId", String(sale.id)) }
    object.write("bundleId", sale.bundleId)
    object.write("productId", sale.productId)
    object.write("subscriptionGroupIdentifier", sale.group)
    object.write("purchaseDate", sale.purchaseDate)
    object.write("originalPurchaseDate", sale.originalPurchaseDate)
    object.write("expiresDate", sale.expires)
    object.write("quantity", Int64(sale.quantity))
    object.write("type", sale.type.appleName)
    object.write("appAccountToken", sale.token)
    object.write("inAppOwnershipType", sale.ownership.rawValue)
    object.write("signedDate", version.signed)
    standing.revocation?.signed.write(to: &object)
    if standing.isUpgraded { object.write("isUpgraded", true) }
    reduction.write(to: &object)
    object.write("environment", Environment.sandbox.appleName)
    object.write("transactionReason", sale.reason)
    object.write("storefront", storefront)
    object.write("storefrontId", SandboxTransaction.storefrontIds[storefront])
    object.write("price", sale.price)
    object.write("currency", sale.currency)
    return object.finish()
  }
}

extension SandboxTransaction {
  /// Apple's numbers of the storefronts that simulations use most.
  private static let storefrontIds = [
    "USA": "143441", "GBR": "143444", "DEU": "143443", "FRA": "143442", "JPN": "143462", "KOR": "143466",
  ]
}

extension SandboxSubscription {
  /// What the store signs: the fields of Apple's `JWSRenewalInfoDecodedPayload`.
  package var payload: [UInt8] {
    let coming = renewal.willRenew ? comingOffer : nil
    var object = JSONObjectWriter()
    object.write("originalTransactionId", String(contract.original))
    object.write("autoRenewProductId", renewal.nextProductId)
    object.write("productId", course.productId)
    object.write("autoRenewStatus", renewal.willRenew ? 1 : 0)
    let price = coming?.price ?? renewal.increase?.price ?? course.price
    object.write("renewalPrice", renewal.willRenew ? price : nil)
    object.write("currency", contract.currency)
    coming.map { StoreOffer(code: $0.kind.code, id: $0.id, payment: $0.mode) }?.write(to: &object)
    object.write("offerPeriod", coming?.period.description)
    object.write("signedDate", version.signed)
    object.write("environment", Environment.sandbox.appleName)
    object.write("recentSubscriptionStartDate", course.start)
    object.write("renewalDate", renewal.willRenew ? course.expires : nil)
    renewal.writeTroubles(to: &object)
    object.write("appAccountToken", contract.token)
    object.write("eligibleWinBackOfferIds", offers.winBackOffers, atMost: Limits.sandboxWinBackBytes)
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

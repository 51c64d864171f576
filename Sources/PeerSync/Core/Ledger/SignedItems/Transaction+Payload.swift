extension Transaction {
  /// The JSON that a store signs: the fields of `JWSTransactionDecodedPayload` in the order in which Apple writes them.
  package var payload: [UInt8] { payload(verification: nil) }

  /// The same with Apple's `deviceVerification`, which only the device that it was made for can check.
  package func payload(verification: String?) -> [UInt8] {
    var object = JSONObjectWriter()
    object.write("transactionId", transactionId)
    object.write("originalTransactionId", originalTransactionId)
    object.write("bundleId", bundleId)
    object.write("productId", productId)
    object.write("purchaseDate", purchaseDate)
    object.write("originalPurchaseDate", transactionId == originalTransactionId ? purchaseDate : nil)
    object.write("expiresDate", expiresDate)
    object.write("quantity", Int64(quantity))
    object.write("type", type?.appleName)
    object.write("appAccountToken", accountToken)
    object.write("inAppOwnershipType", ownership.rawValue)
    object.write("signedDate", signedDate)
    revocation.write(to: &object)
    if isUpgraded { object.write("isUpgraded", true) }
    offer?.write(to: &object)
    object.write("environment", environment.appleName)
    object.write(
      "transactionReason", (isRenewal ? TransactionReason.renewal : .purchase).rawValue)
    object.write("storefront", storefront)
    object.write("price", price)
    object.write("currency", currency)
    object.write("deviceVerification", verification)
    object.write("deviceVerificationNonce", verification)
    return object.finish()
  }
}

extension Transaction.Revocation {
  /// Writes the fields of Apple's payload.
  package func write(to object: inout JSONObjectWriter) {
    object.write("revocationReason", reason.map(Int64.init))
    object.write("revocationDate", date)
    object.write("revocationType", type?.rawValue)
    object.write("revocationPercentage", percentage.map(Int64.init))
  }
}

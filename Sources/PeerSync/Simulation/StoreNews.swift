import PeerSyncCore

extension RenewalInfo {
  /// What a scenario's store says of the renewal of a subscription.
  package init(_ news: ScenarioNews, _ renewal: ScenarioRenewal, _ transaction: Transaction) {
    self.init(
      originalTransactionId: transaction.originalTransactionId, productId: transaction.productId,
      autoRenewStatus: renewal.renews, renewalDate: renewal.due, environment: transaction.environment,
      signedDate: news.date, verification: news.isUnverified ? .unverified : transaction.verification)
    autoRenewProductId = renewal.product ?? transaction.productId
    isInBillingRetryPeriod = renewal.isRetrying
    gracePeriodExpiresDate = renewal.grace
    priceIncreaseStatus = renewal.consent.map { $0 == .pending ? 0 : 1 }
    expirationIntent = renewal.ended.flatMap { ended in
      (1...5).first { ExpiryReason(expirationIntent: $0) == ended }
    }
  }
}

/// What stores tell in stories.
package enum StoreNews {
  /// The payload of a notification about a transaction, both signed at that time.
  ///
  /// - Parameters:
  ///   - type: Apple's type, with a subtype behind a slash
  ///   - sign: signs a payload, or has somebody else sign it
  package static func notification(
    _ type: String, _ transaction: Transaction, _ info: RenewalInfo?, signed: Instant,
    sign: (_ payload: [UInt8], _ isForged: Bool) throws -> JWS
  ) rethrows -> [UInt8] {
    var transaction = transaction
    transaction.signedDate = max(signed, transaction.signedDate)
    let words = type.split(separator: "/").map(String.init)
    var data = JSONObjectWriter()
    data.write("bundleId", transaction.bundleId)
    data.write("environment", transaction.environment.appleName)
    let item = try sign(transaction.payload, transaction.verification == .unverified)
    data.write("signedTransactionInfo", String(decoding: item.text, as: UTF8.self))
    let renewal = try info.map { try sign($0.payload, $0.verification == .unverified) }
    data.write("signedRenewalInfo", renewal.map { String(decoding: $0.text, as: UTF8.self) })
    var object = JSONObjectWriter()
    object.write("notificationType", words.first)
    object.write("subtype", words.count > 1 ? words[1] : nil)
    object.write("notificationUUID", "\(type) \(transaction.transactionId) \(signed)")
    object.write("signedDate", signed)
    object.write("data", raw: data.finish())
    return object.finish()
  }
}

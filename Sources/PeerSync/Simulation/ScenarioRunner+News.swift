import PeerSyncCore

// What the store tells devices of subscriptions, by itself or in a notification.
extension ScenarioRunner {
  func tell(_ news: ScenarioNews, to name: String) throws(ScenarioError) {
    let index = try running(name)
    guard let transaction = try snapshots(of: news.purchase, on: index).last else { return }
    let info = news.renewal.map { RenewalInfo(news, $0, transaction) }
    guard let type = news.type else {
      if let info { try hand(SimulatedStore.sign(info), to: name) }
      return
    }
    try ingest(SimulatedStore.notification(type, transaction, info, signed: news.date), on: name)
  }

  /// Has a device take in what must count there.
  func ingest(_ jws: JWS, on name: String) throws(ScenarioError) {
    if let reason = try hand(jws, to: name) {
      throw failure("expected what the store signs to count, saw: \(reason)")
    }
  }

  /// Hands a device what the store has signed.
  ///
  /// - Returns: why it does not count there; whether it should is for the story to expect
  @discardableResult func hand(_ jws: JWS, to name: String) throws(ScenarioError) -> JWSRejection? {
    let identity = world.devices[try running(name)].identity
    let item = SimulatedStore.item(jws, for: identity)
    try ask(.ingest([item]), of: name)
    return item.reason
  }
}

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

extension SimulatedStore {
  /// A signed notification about a transaction, signed at that time as well.
  ///
  /// - Parameter type: Apple's type, with a subtype behind a slash
  package static func notification(
    _ type: String, _ transaction: Transaction, _ info: RenewalInfo?, signed: Instant
  ) -> JWS {
    sign(
      StoreNews.notification(type, transaction, info, signed: signed) { payload, isForged in
        sign(payload, isForged: isForged)
      })
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

// What the store tells devices of subscriptions, by itself or in a notification.
extension ScenarioRunner {
  func tell(_ news: ScenarioNews, to name: String) throws(ScenarioError) {
    let index = try running(name)
    guard let transaction = try snapshots(of: news.purchase, on: index).last else { return }
    let info = news.renewal.map { RenewalInfo(news, $0, transaction) }
    guard let type = news.type else {
      guard let info else { return }
      let writes = SimulatedStore.writes(
        of: info, bundleId: Scenario.bundleId, on: world.device(index))
      return try ask(.write(writes), of: name)
    }
    try ingest(SimulatedStore.notification(type, transaction, info, signed: news.date), on: name)
  }

  /// Takes a notification in as a daemon does.
  func ingest(_ jws: JWS, on name: String) throws(ScenarioError) {
    let index = try running(name)
    guard let identity = world.read(index, { $0.identity }) else { return }
    let item = IngestedItem(
      String(decoding: jws.text, as: UTF8.self), identity, .simulated,
      trusting: SimulatedStore.trustedRoots)
    if let reason = item.reason { throw failure("expected what the store signs to count, saw: \(reason)") }
    try ask(.write(item.writes(identity, .simulated)), of: name)
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

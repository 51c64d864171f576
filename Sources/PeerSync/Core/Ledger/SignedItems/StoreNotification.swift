/// What the store tells a server: Apple's `responseBodyV2DecodedPayload`, under the same names.
package struct StoreNotification: Hashable, Sendable {
  /// Apple's word for what has happened; see ``NotificationType``.
  package let notificationType: String
  /// Apple's word for how; see ``NotificationSubtype``.
  package let subtype: String?
  package let notificationUUID: String
  package let bundleId: String
  package let environment: Environment
  package let signedDate: Instant
  /// A signed transaction, still to be verified.
  package let signedTransactionInfo: String?
  /// A signed renewal state, still to be verified.
  package let signedRenewalInfo: String?

  /// What has happened; nil for a type that this version does not know.
  package var type: NotificationType? { NotificationType(rawValue: notificationType) }

  /// Whether this version knows its type, and its subtype if it has one.
  package var isKnown: Bool {
    type != nil && subtype.map { NotificationSubtype(rawValue: $0) != nil } ?? true
  }
}

/// What has happened: Apple's `notificationType` of App Store Server Notifications V2.
package enum NotificationType: String, Hashable, Sendable, CaseIterable {
  case subscribed = "SUBSCRIBED"
  case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
  case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
  case offerRedeemed = "OFFER_REDEEMED"
  case didRenew = "DID_RENEW"
  case expired = "EXPIRED"
  case didFailToRenew = "DID_FAIL_TO_RENEW"
  case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
  case priceIncrease = "PRICE_INCREASE"
  case refund = "REFUND"
  case refundDeclined = "REFUND_DECLINED"
  case refundReversed = "REFUND_REVERSED"
  case consumptionRequest = "CONSUMPTION_REQUEST"
  case renewalExtended = "RENEWAL_EXTENDED"
  case renewalExtension = "RENEWAL_EXTENSION"
  case revoke = "REVOKE"
  case oneTimeCharge = "ONE_TIME_CHARGE"
  case test = "TEST"
  case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
  case rescindConsent = "RESCIND_CONSENT"
  case metadataUpdate = "METADATA_UPDATE"
  case migration = "MIGRATION"
  case priceChange = "PRICE_CHANGE"

  /// What a notification is there for.
  package enum Effect: String, Hashable, Sendable, CaseIterable {
    /// It may change who has access, by the transaction and the renewal info that it carries.
    case access = "access"
    /// It may change how a subscription renews, by the renewal info that it carries; access stays.
    case renewal = "renewal"
    /// Nothing: it is recorded.
    case none = "none"
  }

  /// What it is there for. Signed facts inside count whatever the type, so that none is ever lost.
  package var effect: Effect {
    switch self {
    case .subscribed, .offerRedeemed, .didRenew, .expired, .didFailToRenew, .gracePeriodExpired,
      .didChangeRenewalPref, .refund, .refundReversed, .renewalExtended, .revoke, .oneTimeCharge:
      .access
    case .didChangeRenewalStatus, .priceIncrease, .priceChange, .migration, .metadataUpdate: .renewal
    case .refundDeclined, .consumptionRequest, .renewalExtension, .test, .externalPurchaseToken,
      .rescindConsent:
      .none
    }
  }
}

/// How it has happened: Apple's `subtype`.
package enum NotificationSubtype: String, Hashable, Sendable, CaseIterable {
  case initialBuy = "INITIAL_BUY"
  case resubscribe = "RESUBSCRIBE"
  case downgrade = "DOWNGRADE"
  case upgrade = "UPGRADE"
  case autoRenewEnabled = "AUTO_RENEW_ENABLED"
  case autoRenewDisabled = "AUTO_RENEW_DISABLED"
  case voluntary = "VOLUNTARY"
  case billingRetry = "BILLING_RETRY"
  case priceIncrease = "PRICE_INCREASE"
  case gracePeriod = "GRACE_PERIOD"
  case pending = "PENDING"
  case accepted = "ACCEPTED"
  case billingRecovery = "BILLING_RECOVERY"
  case productNotForSale = "PRODUCT_NOT_FOR_SALE"
  case summary = "SUMMARY"
  case failure = "FAILURE"
  case unreported = "UNREPORTED"
}

extension StoreNotification {
  /// The JSON that a store signs.
  ///
  /// - Parameters:
  ///   - transaction: what it is about, signed
  ///   - renewal: how its subscription renews, signed
  package static func payload(
    _ type: NotificationType, _ subtype: NotificationSubtype? = nil, id: String, transaction: JWS?,
    renewal: JWS?, bundleId: String, environment: Environment, signed: Instant
  ) -> [UInt8] {
    var data = JSONObjectWriter()
    data.write("bundleId", bundleId)
    data.write("environment", environment.appleName)
    data.write("signedTransactionInfo", transaction.map { String(decoding: $0.text, as: UTF8.self) })
    data.write("signedRenewalInfo", renewal.map { String(decoding: $0.text, as: UTF8.self) })
    var object = JSONObjectWriter()
    object.write("notificationType", type.rawValue)
    object.write("subtype", subtype?.rawValue)
    object.write("notificationUUID", id)
    object.write("data", raw: data.finish())
    object.write("version", "2.0")
    object.write("signedDate", signed)
    return object.finish()
  }

  /// Where a notification names its app: exactly one of these is there.
  private static let places = ["data", "summary", "appData", "externalPurchaseToken"]

  init(_ fields: PayloadFields) throws(JWSRejection) {
    notificationType = try fields.required(text: "notificationType")
    subtype = try fields.text("subtype")
    notificationUUID = try fields.required(text: "notificationUUID")
    signedDate = try fields.required(instant: "signedDate")
    let places = Self.places.filter(fields.has)
    guard places.count == 1, let place = try fields.object(places[0]) else { throw .missing("data") }
    bundleId = try place.required(text: "bundleId")
    environment =
      try places[0] == "externalPurchaseToken"
      ? Self.environment(ofToken: place) : place.environment("environment")
    signedTransactionInfo = try place.text("signedTransactionInfo", atMost: Limits.jwsBytes)
    signedRenewalInfo = try place.text("signedRenewalInfo", atMost: Limits.jwsBytes)
  }

  /// A token says only by its id which environment it is of.
  private static func environment(ofToken token: PayloadFields) throws(JWSRejection) -> Environment {
    try token.required(text: "externalPurchaseId").hasPrefix("SANDBOX") ? .sandbox : .production
  }
}

/// What a signed payload of the store says. The three kinds are told apart by fields that only one of them has, so that
/// none passes for another.
package enum StorePayload: Hashable, Sendable {
  /// `JWSTransactionDecodedPayload`.
  case transaction(Transaction)
  /// `JWSRenewalInfoDecodedPayload`.
  case renewalInfo(RenewalInfo)
  /// `responseBodyV2DecodedPayload`.
  case notification(StoreNotification)

  /// The kinds by themselves.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case transaction = "transaction"
    case renewalInfo = "renewalInfo"
    case notification = "notification"

    /// Fields that this kind has, and no other.
    fileprivate var marks: [String] {
      switch self {
      case .transaction: ["transactionId", "purchaseDate"]
      case .renewalInfo: ["autoRenewStatus", "autoRenewProductId"]
      case .notification: ["notificationType", "notificationUUID"]
      }
    }
  }

  /// Reads a payload of any kind. Who signed it is not looked at: a transaction comes out unverified.
  package init(_ json: [UInt8]) throws(JWSRejection) {
    let fields = try PayloadFields(json, .payload)
    switch try StorePayload.kind(of: fields) {
    case .transaction: self = .transaction(try Transaction(fields))
    case .renewalInfo: self = .renewalInfo(try RenewalInfo(fields))
    case .notification: self = .notification(try StoreNotification(fields))
    }
  }

  private static func kind(of fields: PayloadFields) throws(JWSRejection) -> Kind {
    let kinds = Kind.allCases.filter { $0.marks.contains(where: fields.has) }
    guard kinds.count == 1 else { throw .unknownKind }
    return kinds[0]
  }

  /// What kind it is.
  package var kind: Kind {
    switch self {
    case .transaction: .transaction
    case .renewalInfo: .renewalInfo
    case .notification: .notification
    }
  }

  /// When the store signed it.
  package var signedDate: Instant {
    switch self {
    case .transaction(let transaction): transaction.signedDate
    case .renewalInfo(let info): info.signedDate
    case .notification(let notification): notification.signedDate
    }
  }

  /// The store it is of.
  package var environment: Environment {
    switch self {
    case .transaction(let transaction): transaction.environment
    case .renewalInfo(let info): info.environment
    case .notification(let notification): notification.environment
    }
  }
}

extension Transaction {
  /// Reads the fields of `JWSTransactionDecodedPayload`. `deviceVerification` belongs to one device and is not looked
  /// at [C41].
  fileprivate init(_ fields: PayloadFields) throws(JWSRejection) {
    self.init(
      transactionId: try fields.required(text: "transactionId"),
      originalTransactionId: try fields.required(text: "originalTransactionId"),
      productId: try fields.required(text: "productId"), bundleId: try fields.required(text: "bundleId"),
      environment: try fields.environment("environment"),
      purchaseDate: try fields.required(instant: "purchaseDate"),
      quantity: Int(try fields.integer("quantity", in: 1...Int64(Limits.quantity)) ?? 1),
      signedDate: try fields.required(instant: "signedDate"), verification: .unverified)
    type = try fields.text("type").flatMap(ProductType.init(appleName:))
    revocation = try Revocation(fields)
    expiresDate = try fields.instant("expiresDate")
    isUpgraded = try fields.flag("isUpgraded") ?? false
    if let text = try fields.text("inAppOwnershipType") {
      guard let ownership = Ownership(rawValue: text) else { throw .wrong("inAppOwnershipType") }
      self.ownership = ownership
    }
    price = try fields.integer("price", in: 0...Int64.max)
    currency = try fields.text("currency")
    storefront = try fields.text("storefront")
    offer = try StoreOffer(fields)
    accountToken = try fields.text("appAccountToken")
    let reason = try fields.text("transactionReason").flatMap(TransactionReason.init(rawValue:))
    // What follows from the ids anyhow is not kept.
    if reason != (isRenewal ? TransactionReason.renewal : .purchase) { self.reason = reason }
    try Transaction.requireTypes(fields)
  }

  /// Fields that are not used here are of their type all the same.
  private static func requireTypes(_ fields: PayloadFields) throws(JWSRejection) {
    for name in unusedTexts { _ = try fields.text(name) }
    _ = try fields.instant("originalPurchaseDate")
  }

  private static let unusedTexts = [
    "webOrderLineItemId", "subscriptionGroupIdentifier", "storefrontId",
    "appTransactionId", "offerPeriod",
  ]
}

extension Transaction.Revocation {
  fileprivate init(_ fields: PayloadFields) throws(JWSRejection) {
    date = try fields.instant("revocationDate")
    reason = try fields.integer("revocationReason", in: 0...255).map { Int($0) }
    type = try fields.text("revocationType").flatMap(RevocationType.init(rawValue:))
    let whole = Int64(Transaction.wholeMilliunits)
    percentage = try fields.integer("revocationPercentage", in: 0...whole).map { Int($0) }
  }
}

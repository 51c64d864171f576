/// A notification of the store that a device has taken in.
public struct NotificationAnswer: Codable, Hashable, Sendable {
  /// Apple's name of it: the same one, told again, changes nothing.
  public let notificationUUID: String
  /// Apple's word for what has happened, such as `DID_RENEW`.
  public let notificationType: String
  /// Apple's word for how, such as `BILLING_RECOVERY`.
  @Nullable public var subtype: String?
  /// Whether this version knows both words. One that it does not know is recorded, and what it carries counts.
  public let known: Bool
  /// What a notification of the type may change: `access`, `renewal` or `none`; null for a type that is not known.
  @Nullable public var effect: String?
  /// When the store signed it.
  public let signedDate: Instant
  /// When this device took it in, by its own clock.
  public let received: Instant
  /// The transaction that it carries.
  @Nullable public var transactionId: String?
  /// The transaction that began the subscription it is about.
  @Nullable public var originalTransactionId: String?
  /// The product of that transaction.
  @Nullable public var productId: String?

  package init(
    notificationUUID: String, notificationType: String, subtype: String?, known: Bool, effect: String?,
    signedDate: Instant, received: Instant, transactionId: String?, originalTransactionId: String?,
    productId: String?
  ) {
    self.notificationUUID = notificationUUID
    self.notificationType = notificationType
    self.known = known
    self.signedDate = signedDate
    self.received = received
    self.subtype = subtype
    self.effect = effect
    self.transactionId = transactionId
    self.originalTransactionId = originalTransactionId
    self.productId = productId
  }
}

/// The notifications that this device has taken in, oldest first.
public struct NotificationsAnswer: Codable, Hashable, Sendable {
  /// The newest 1,024.
  public let notifications: [NotificationAnswer]
}

extension NotificationAnswer {
  /// What is written down of an item; nil for one that is not a notification.
  init?(_ item: IngestedItem, received: Instant) {
    guard let notification = item.notification else { return nil }
    let transaction = item.items.lazy.compactMap { item -> Transaction? in
      if case .transaction(let transaction) = item.payload { transaction } else { nil }
    }.first
    let renewal = item.items.lazy.compactMap { item -> RenewalInfo? in
      if case .renewalInfo(let info) = item.payload { info } else { nil }
    }.first
    self.init(
      notificationUUID: notification.notificationUUID, notificationType: notification.notificationType,
      subtype: notification.subtype, known: notification.isKnown,
      effect: (notification.type?.effect).map(\.rawValue), signedDate: notification.signedDate,
      received: received, transactionId: transaction?.transactionId,
      originalTransactionId: transaction?.originalTransactionId ?? renewal?.originalTransactionId,
      productId: transaction?.productId ?? renewal?.productId)
  }
}

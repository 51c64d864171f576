// What devices and the sandbox store say to each other, as JSON.

/// `GET /device/v1/store`: whom the devices deal with.
package struct StoreFacts: Codable, Hashable, Sendable {
  /// The root certificate of everything it signs, DER in base64.
  package let root: String
  package let now: Instant
  /// Whether its clock was set on, or stands still: then devices follow it.
  package let isSetOn: Bool
  package let storefront: String

  package init(root: String, now: Instant, isSetOn: Bool, storefront: String) {
    self.root = root
    self.now = now
    self.isSetOn = isSetOn
    self.storefront = storefront
  }
}

/// `POST /device/v1/purchases`: what is to be bought.
package struct StoreOrder: Codable, Hashable, Sendable {
  /// Nil: the customer that all devices share, here and below.
  package let account: String?
  /// The app in which it is bought.
  package let bundleId: String
  package let productId: String
  package let quantity: Int
  /// The device that buys; nil: none in particular.
  package let device: String?
  /// Apple's `appAccountToken`.
  package let token: String?
  /// When it was bought, for what does not renew; nil: now.
  package let date: Instant?
  /// The id of an offer; nil: none is asked for.
  package let offer: String?
}

/// The answer to a ``StoreOrder``.
package struct StorePurchase: Codable, Hashable, Sendable {
  package enum Outcome: String, Codable, Hashable, Sendable {
    case purchased = "purchased"
    case pending = "pending"
    case cancelled = "cancelled"
    case failed = "failed"
  }

  package let outcome: Outcome
  /// The number under which it waits for approval.
  @Nullable package var request: UInt64?
  /// The transaction, signed.
  @Nullable package var transaction: String?
  /// The state of its subscription, signed.
  @Nullable package var renewalInfo: String?
  /// Whether something was sold: the transaction may be one that stood before. Older stores do not say.
  package var isNew: Bool?

  package init(
    outcome: Outcome, request: UInt64?, transaction: String?, renewalInfo: String?, isNew: Bool? = nil
  ) {
    self.isNew = isNew
    self.outcome = outcome
    self.request = request
    self.transaction = transaction
    self.renewalInfo = renewalInfo
  }
}

/// `POST /device/v1/finished`: what the app has delivered.
package struct StoreFinished: Codable, Hashable, Sendable {
  package let account: String?
  package let transactions: [UInt64]
}

/// `POST /device/v1/refunds`: the customer asks for his money, and gets it.
package struct StoreRefund: Codable, Hashable, Sendable {
  package let account: String?
  package let transaction: UInt64
}

/// `GET /device/v1/updates`, `entitlements`, `history`, `unfinished` and `restored`: signed items.
package struct StoreItems: Codable, Hashable, Sendable {
  package let now: Instant
  /// See ``StoreFacts/isSetOn``.
  package let isSetOn: Bool
  /// How far the clock was set on, in milliseconds: the next question says that it is known.
  package let lead: Int64
  /// Where the next question for updates goes on.
  package let revision: UInt64
  package let transactions: [String]
  package let renewalInfos: [String]
  /// Those of the transactions that are not finished.
  package let unfinished: [UInt64]
  /// The run of the store that the revision is of: the next question names it. Older stores do not say.
  package var run: String?
  /// Changes with `GET /device/v1/catalogue`. Older stores do not say.
  package var catalogue: String?
  /// What the store has told servers of what the device sees, signed, oldest first. Older stores do not say.
  package var notifications: [String]?
  /// The UUID of the last of them, or of the last before: the next question names it.
  package var told: String?

  package init(
    now: Instant, isSetOn: Bool, lead: Int64, revision: UInt64, transactions: [String],
    renewalInfos: [String], unfinished: [UInt64], catalogue: String? = nil, run: String? = nil
  ) {
    self.catalogue = catalogue
    self.run = run
    self.now = now
    self.isSetOn = isSetOn
    self.lead = lead
    self.revision = revision
    self.transactions = transactions
    self.renewalInfos = renewalInfos
    self.unfinished = unfinished
  }
}

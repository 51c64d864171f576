// What devices and the sandbox store say to each other, as JSON.

/// `GET /device/v1/store`: whom the devices deal with.
package struct StoreFacts: Codable, Hashable, Sendable {
  /// The root certificate of everything it signs, DER in base64.
  package let root: String
  package let now: Instant
  /// Whether its clock was set on, or stands still: then devices follow it.
  package let isSetOn: Bool
  package let storefront: String
}

/// `POST /device/v1/purchases`: ``SandboxOrder`` is the question, this the answer.
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
}

/// `POST /device/v1/finished`: what the app has delivered.
package struct StoreFinished: Codable, Hashable, Sendable {
  package let account: String
  package let transactions: [UInt64]
}

/// `POST /device/v1/refunds`: the customer asks for his money, and gets it.
package struct StoreRefund: Codable, Hashable, Sendable {
  package let account: String
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
}

import PeerSync
import PeerSyncControl
import PeerSyncSandbox

// The documents of the App Store Server API, with Apple's names.

struct TransactionInfo: Encodable, Sendable { let signedTransactionInfo: String }

struct TransactionHistory: Encodable, Sendable {
  let appAppleId: Int64?
  let bundleId: String
  let environment: String
  let hasMore: Bool
  let revision: String
  let signedTransactions: [String]
}

struct Refunds: Encodable, Sendable {
  let hasMore: Bool
  let revision: String
  let signedTransactions: [String]
}

struct OrderLookup: Encodable, Sendable {
  let status: Int
  let signedTransactions: [String]
}

struct Statuses: Encodable, Sendable {
  struct Item: Encodable, Sendable {
    let originalTransactionId: String
    let signedRenewalInfo: String
    let signedTransactionInfo: String
    let status: Int
  }

  struct Group: Encodable, Sendable {
    let lastTransactions: [Item]
    let subscriptionGroupIdentifier: String
  }

  let appAppleId: Int64?
  let bundleId: String
  let data: [Group]
  let environment: String
}

struct TestToken: Encodable, Sendable { let testNotificationToken: String }

struct NotificationItem: Encodable, Sendable {
  struct Attempt: Encodable, Sendable {
    let attemptDate: Int64
    let sendAttemptResult: String
  }

  let sendAttempts: [Attempt]
  let signedPayload: String
}

struct NotificationHistory: Encodable, Sendable {
  let hasMore: Bool
  let notificationHistory: [NotificationItem]
  let paginationToken: String?
}

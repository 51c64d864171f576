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

/// Apple's errors, with their numbers.
package enum ServerError: Int, Error, Sendable {
  case badRequest = 4_000_000
  case invalidRequestRevision = 4_000_005
  case invalidTransactionId = 4_000_006
  case startDateAfterEndDate = 4_000_013
  case invalidPaginationToken = 4_000_014
  case invalidStartDate = 4_000_015
  case invalidEndDate = 4_000_016
  case multipleFiltersSupplied = 4_000_019
  case invalidTestNotificationToken = 4_000_020
  case invalidSort = 4_000_021
  case invalidProductType = 4_000_022
  case invalidInAppOwnershipType = 4_000_026
  case invalidRevoked = 4_000_030
  case invalidStatus = 4_000_031
  case notFound = 4_040_000
  case serverNotificationUrlNotFound = 4_040_007
  case testNotificationNotFound = 4_040_008
  case transactionIdNotFound = 4_040_010
  case internalError = 5_000_000

  private struct Document: Encodable {
    let errorCode: Int
    let errorMessage: String
  }

  var response: HTTPResponse {
    let document = Document(errorCode: rawValue, errorMessage: message)
    return HTTPResponse(
      status: UInt32(rawValue / 10_000), contentType: "application/json", body: .bytes(JSON.encode(document)))
  }

  private var message: String {
    switch self {
    case .badRequest: "Bad request."
    case .invalidRequestRevision: "Invalid request revision."
    case .invalidTransactionId: "Invalid transaction id."
    case .startDateAfterEndDate: "The end date precedes the start date, or they are the same."
    case .invalidPaginationToken: "Invalid pagination token."
    case .invalidStartDate: "Invalid start date."
    case .invalidEndDate: "Invalid end date."
    case .multipleFiltersSupplied: "Give a transaction id or a notification type, not both."
    case .invalidTestNotificationToken: "Invalid test notification token."
    case .invalidSort: "Invalid sort."
    case .invalidProductType: "Invalid product type."
    case .invalidInAppOwnershipType: "Invalid in-app ownership type."
    case .invalidRevoked: "Invalid revoked parameter."
    case .invalidStatus: "Invalid status."
    case .notFound: "Not found."
    case .serverNotificationUrlNotFound:
      "No server notification URL is configured: start the store with one."
    case .testNotificationNotFound: "The test notification token is unknown, or the notification is gone."
    case .transactionIdNotFound: "Transaction id not found."
    case .internalError: "An unknown error occurred."
    }
  }
}

/// One page of ``Limits/sandboxPageItems``. The revision is where the next one begins; as with Apple's, the last page's
/// finds later what is new.
package struct Page<Item> {
  package let items: [Item]
  package let hasMore: Bool
  package let revision: String

  package init(of all: [Item], after revision: String?, wrong: ServerError = .invalidRequestRevision)
    throws(ServerError)
  {
    var start = 0
    if let revision {
      guard revision.hasPrefix("r"), let number = Int(revision.dropFirst()), number >= 0 else { throw wrong }
      start = min(number, all.count)
    }
    let end = min(start + Limits.sandboxPageItems, all.count)
    items = Array(all[start..<end])
    hasMore = end < all.count
    self.revision = "r\(end)"
  }
}

/// What `GET /inApps/v2/history/{transactionId}` is asked for.
struct HistoryFilter: Sendable {
  private let start: Instant?
  private let end: Instant?
  private let products: [String]
  private let types: [ProductType]
  private let groups: [String]
  private let ownership: Ownership?
  private let isRevoked: Bool?
  let isDescending: Bool

  init(_ head: HTTPHead) throws(ServerError) {
    start = try HistoryFilter.date(head.parameter("startDate"), .invalidStartDate)
    end = try HistoryFilter.date(head.parameter("endDate"), .invalidEndDate)
    if let start, let end, start >= end { throw .startDateAfterEndDate }
    products = head.parameters("productId")
    groups = head.parameters("subscriptionGroupIdentifier")
    var types: [ProductType] = []
    for name in head.parameters("productType") {
      let known = ["CONSUMABLE", "NON_CONSUMABLE", "NON_RENEWABLE", "AUTO_RENEWABLE"]
      let all: [ProductType] = [
        .consumable, .nonConsumable, .nonRenewingSubscription, .autoRenewableSubscription,
      ]
      guard let index = known.firstIndex(of: name) else { throw .invalidProductType }
      types.append(all[index])
    }
    self.types = types
    let owner = head.parameter("inAppOwnershipType")
    ownership = owner.flatMap(Ownership.init(rawValue:))
    guard (owner == nil) == (ownership == nil) else { throw .invalidInAppOwnershipType }
    let revoked = head.parameter("revoked")?.lowercased()
    guard [nil, "true", "false"].contains(revoked) else { throw .invalidRevoked }
    isRevoked = revoked.map { $0 == "true" }
    let sort = head.parameter("sort")
    guard [nil, "ASCENDING", "DESCENDING"].contains(sort) else { throw .invalidSort }
    isDescending = sort == "DESCENDING"
  }

  private static func date(_ text: String?, _ wrong: ServerError) throws(ServerError) -> Instant? {
    guard let text else { return nil }
    guard let number = Int64(text), let date = Instant(milliseconds: number) else { throw wrong }
    return date
  }

  func takes(_ transaction: SandboxTransaction) -> Bool {
    (start.map { transaction.purchaseDate >= $0 } ?? true)
      && (end.map { transaction.purchaseDate < $0 } ?? true)
      && (products.isEmpty || products.contains(transaction.productId))
      && (types.isEmpty || types.contains(transaction.type))
      && (groups.isEmpty || transaction.group.map(groups.contains) ?? false)
      && (ownership.map { $0 == transaction.ownership } ?? true)
      && (isRevoked.map { $0 == (transaction.revocation != nil) } ?? true)
  }
}

/// What `POST /inApps/v1/notifications/history` is asked for.
struct NotificationFilter: Decodable, Sendable {
  let startDate: Int64?
  let endDate: Int64?
  let notificationType: String?
  let notificationSubtype: String?
  let transactionId: String?
  let onlyFailures: Bool?

  func check() throws(ServerError) {
    guard let startDate, Instant(milliseconds: startDate) != nil else { throw .invalidStartDate }
    guard let endDate, Instant(milliseconds: endDate) != nil else { throw .invalidEndDate }
    guard startDate < endDate else { throw .startDateAfterEndDate }
    guard notificationType == nil || transactionId == nil else { throw .multipleFiltersSupplied }
  }

  func takes(_ told: SandboxNotification) -> Bool {
    let date = told.signed.milliseconds
    let subjects = [told.transaction, told.subscription].compactMap { $0.map { String($0) } }
    return (startDate.map { date >= $0 } ?? true) && (endDate.map { date < $0 } ?? true)
      && (notificationType.map { $0 == told.type } ?? true)
      && (notificationSubtype.map { $0 == told.subtype } ?? true)
      && (transactionId.map(subjects.contains) ?? true)
      && (onlyFailures != true || told.hasFailed)
  }
}

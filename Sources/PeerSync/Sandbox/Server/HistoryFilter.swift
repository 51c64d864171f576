import PeerSync
import PeerSyncControl
import PeerSyncSandbox

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

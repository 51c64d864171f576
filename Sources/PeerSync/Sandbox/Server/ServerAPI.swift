import PeerSync
import PeerSyncControl
import PeerSyncSandbox

/// The part of Apple's App Store Server API that a sandbox store answers, with Apple's paths, fields and errors
/// (<https://developer.apple.com/documentation/appstoreserverapi>).
package struct ServerAPI: Sendable {
  private let store: SandboxStoreServer
  /// The app whose server asks.
  private let bundleId: String

  private static let clock = SystemClock()

  /// Whether a request is one for a server API: whatever it asks for there, it is answered as Apple answers.
  static func isMeant(_ head: HTTPHead) -> Bool { head.path.hasPrefix("/inApps/") }

  /// What becomes of a request. Servers need no token of the store's: they sign a token of their own.
  static func receive(_ head: HTTPHead, for store: SandboxStoreServer) -> HTTPReception {
    if let stranger = AccessPolicy.strangeness(of: head) { return .refused(stranger.response) }
    let seconds = clock.now().wall.milliseconds / 1000
    guard let bundleId = store.serverKey.bundleId(of: head.headers["authorization"], at: seconds) else {
      return .refused(
        HTTPResponse(status: 401, contentType: "text/plain", body: .bytes(Array("Unauthenticated\n".utf8))))
    }
    guard let found = table.find(method: head.method, path: head.path) else {
      return .refused(ServerError.notFound.response)
    }
    let api = ServerAPI(store: store, bundleId: bundleId)
    return .taken(bodyLimit: found.bodyLimit) { body in
      do { return try await found.response(to: head, body, from: api) } catch let error as ServerError {
        return error.response
      } catch is Problem {
        return ServerError.badRequest.response
      } catch {
        return ServerError.internalError.response
      }
    }
  }

  package static let table = EndpointTable<ServerAPI>(
    [
      .get("/inApps/v1/transactions/{transactionId}", "One transaction") { api, call in
        try await api.transaction(call.name)
      },
      .get("/inApps/v1/subscriptions/{transactionId}", "The state of the customer's subscriptions") {
        api, call in try await api.statuses(call.name, call.head)
      },
      .get("/inApps/v1/history/{transactionId}", "The customer's transactions") { api, call in
        try await api.history(call.name, call.head)
      },
      .get("/inApps/v2/history/{transactionId}", "The customer's transactions") { api, call in
        try await api.history(call.name, call.head)
      },
      .get("/inApps/v1/lookup/{orderId}", "An order") { api, call in try await api.lookUp(call.name) },
      .get("/inApps/v2/refund/lookup/{transactionId}", "What was refunded") { api, call in
        try await api.refunds(call.name, call.head)
      },
      Endpoint("POST", "/inApps/v1/notifications/test", "Send a test notification", takes: .bytes) { api, _ in
        try await api.requestTest()
      },
      .get("/inApps/v1/notifications/test/{token}", "What became of a test notification") { api, call in
        try await api.test(call.name)
      },
      Endpoint(
        "POST", "/inApps/v1/notifications/history", "The notifications of an app",
        takes: .json(NotificationFilter.self)
      ) { api, call in try await api.notifications(call.body, call.head) },
    ], bodyBytes: SandboxAPI.bodyBytes)

  // MARK: Transactions

  /// The transaction of an id, in this app alone.
  private static func find(_ text: String, _ bundleId: String, _ sandboxStore: SandboxStore)
    throws(ServerError)
    -> SandboxTransaction
  {
    guard let id = UInt64(text), text.utf8.count <= 20 else { throw .invalidTransactionId }
    guard let found = sandboxStore.transaction(id), Name(found.bundleId) == Name(bundleId) else {
      throw .transactionIdNotFound
    }
    return found
  }

  private func transaction(_ id: String) async throws -> TransactionInfo {
    try await store.read { sandboxStore, lookup in
      TransactionInfo(
        signedTransactionInfo: lookup.transaction(try ServerAPI.find(id, bundleId, sandboxStore)) ?? "")
    }
  }

  private func history(_ id: String, _ head: HTTPHead) async throws -> TransactionHistory {
    let filter = try HistoryFilter(head)
    return try await store.read { sandboxStore, lookup in
      let all = sandboxStore.purchases(withCustomerOf: try ServerAPI.find(id, bundleId, sandboxStore)).filter(
        filter.takes)
      let page = try ResultPage(
        of: filter.isDescending ? all.reversed() : all, after: head.parameter("revision"))
      return TransactionHistory(
        appAppleId: nil, bundleId: bundleId, environment: "Sandbox", hasMore: page.hasMore,
        revision: page.revision,
        signedTransactions: page.items.compactMap(lookup.transaction))
    }
  }

  private func refunds(_ id: String, _ head: HTTPHead) async throws -> Refunds {
    try await store.read { sandboxStore, lookup in
      let all = sandboxStore.purchases(withCustomerOf: try ServerAPI.find(id, bundleId, sandboxStore)).filter
      {
        $0.revocation.map { $0.type != .familyRevoke } ?? false
      }
      let page = try ResultPage(of: all, after: head.parameter("revision"))
      return Refunds(
        hasMore: page.hasMore, revision: page.revision,
        signedTransactions: page.items.compactMap(lookup.transaction))
    }
  }

  private func lookUp(_ order: String) async throws -> OrderLookup {
    try await store.read { sandboxStore, lookup in
      let found = SandboxTransaction.id(ofOrder: order).flatMap(sandboxStore.transaction).flatMap {
        Name($0.bundleId) == Name(bundleId) ? $0 : nil
      }
      // Apple's codes: 0 for an order that is one, 1 for one that is none.
      return OrderLookup(
        status: found == nil ? 1 : 0,
        signedTransactions: found.flatMap(lookup.transaction).map { [$0] } ?? [])
    }
  }

  private func statuses(_ id: String, _ head: HTTPHead) async throws -> Statuses {
    var wanted: [Int] = []
    for text in head.parameters("status") {
      guard let status = Int(text), (1...5).contains(status) else { throw ServerError.invalidStatus }
      wanted.append(status)
    }
    return try await store.read { [wanted] sandboxStore, lookup in
      let found = try ServerAPI.find(id, bundleId, sandboxStore)
      let items = ServerAPI.lastTransactions(of: found, sandboxStore, lookup).filter {
        wanted.isEmpty || wanted.contains($0.1.status)
      }
      let groups = items.map(\.0).sortedUniqueNames()
      return Statuses(
        appAppleId: nil, bundleId: bundleId,
        data: groups.map { group in
          Statuses.Group(
            lastTransactions: items.filter { Name($0.0) == Name(group) }.map(\.1),
            subscriptionGroupIdentifier: group)
        }, environment: "Sandbox")
    }
  }

  /// The newest transaction of each subscription of a customer, own or shared, with its group.
  private static func lastTransactions(
    of customer: SandboxTransaction, _ sandboxStore: SandboxStore, _ lookup: SandboxLookup
  ) -> [(String, Statuses.Item)] {
    let periods = sandboxStore.purchases(withCustomerOf: customer).filter {
      $0.type == .autoRenewableSubscription
    }
    let newest = Dictionary(periods.map { ($0.original, $0) }) { $1 }
    return newest.values.sorted { $0.original < $1.original }.map { last in
      (
        last.group ?? last.productId,
        Statuses.Item(
          originalTransactionId: String(last.original),
          signedRenewalInfo: sandboxStore.subscription(for: last).flatMap(lookup.renewalInfo) ?? "",
          signedTransactionInfo: lookup.transaction(last) ?? "",
          status: sandboxStore.status(of: last).rawValue)
      )
    }
  }

  // MARK: Notifications

  private func requestTest() async throws -> TestToken {
    guard !store.configuration.notified.isEmpty else { throw ServerError.serverNotificationUrlNotFound }
    guard case .notification(let number) = try await store.perform(.testNotification(bundleId: bundleId))
    else {
      throw ServerError.internalError
    }
    return try await store.read { sandboxStore, _ in
      TestToken(testNotificationToken: sandboxStore.notifications.last { $0.number == number }?.uuid ?? "")
    }
  }

  private func test(_ token: String) async throws -> NotificationItem {
    guard token.utf8.count == 36 else { throw ServerError.invalidTestNotificationToken }
    return try await store.read { sandboxStore, lookup in
      let found = sandboxStore.notifications.last {
        $0.uuid == token && $0.type == "TEST" && Name($0.bundleId) == Name(bundleId)
      }
      guard let found else { throw ServerError.testNotificationNotFound }
      return NotificationItem(found, lookup)
    }
  }

  private func notifications(_ filter: NotificationFilter, _ head: HTTPHead) async throws
    -> NotificationHistory
  {
    try filter.check()
    return try await store.read { sandboxStore, lookup in
      // Newest first, as Apple has it.
      let all = sandboxStore.notifications.reversed().filter {
        Name($0.bundleId) == Name(bundleId) && filter.takes($0)
      }
      let page = try ResultPage(
        of: all, after: head.parameter("paginationToken"), wrong: .invalidPaginationToken)
      return NotificationHistory(
        hasMore: page.hasMore, notificationHistory: page.items.map { NotificationItem($0, lookup) },
        paginationToken: page.hasMore ? page.revision : nil)
    }
  }
}

extension NotificationItem {
  fileprivate init(_ told: SandboxNotification, _ lookup: SandboxLookup) {
    self.init(
      sendAttempts: told.attempts.map {
        NotificationItem.Attempt(attemptDate: $0.date.milliseconds, sendAttemptResult: $0.result)
      }, signedPayload: lookup.notification(told) ?? "")
  }
}

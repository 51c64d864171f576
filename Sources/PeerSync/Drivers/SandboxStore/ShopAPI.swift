import Foundation

/// What a sandbox store answers over HTTP: to devices what StoreKit would, to servers what the App Store Server API does,
/// and to whoever simulates what happens next.
package struct ShopAPI: Sendable {
  private let keeper: ShopKeeper
  private let policy: AccessPolicy
  private let server: ServerAPI

  package init(keeper: ShopKeeper, token: String) {
    self.keeper = keeper
    policy = AccessPolicy(token: token, openPaths: ["/healthz"])
    server = ServerAPI(keeper: keeper)
  }

  /// Largest request body, in bytes.
  private static let bodyBytes = 256 * 1024

  /// What an ``HTTPServer`` serves.
  package var application: HTTPApplication {
    HTTPApplication(
      refuse: { refusal(of: $0)?.response }, bodyLimit: { _ in ShopAPI.bodyBytes }, respond: respond)
  }

  /// Devices and servers need no token of the store's: they play the App Store's customers, and this is a simulation on
  /// one machine. A page in a browser may not use it all the same.
  private func refusal(of head: HTTPHead) -> Problem? {
    if head.path.hasPrefix("/device/v1/") || head.path.hasPrefix("/inApps/") {
      return AccessPolicy.strangeness(of: head)
    }
    return policy.refusal(of: head)
  }

  private func respond(_ request: HTTPRequest) async -> HTTPResponse {
    if request.head.path.hasPrefix("/inApps/") { return await server.respond(request) }
    do {
      if request.head.path == "/healthz" {
        return .json(HealthAnswer(status: "ok", version: Version.current))
      }
      return try await answer(request)
    } catch let refusal as ShopRefusal {
      return Problem(refusal).response
    } catch {
      return Problem(of: error).response
    }
  }

  private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let head = request.head
    switch (head.method, head.path) {
    case ("GET", "/device/v1/store"): return .json(try await keeper.facts())
    case ("GET", "/device/v1/products"): return .json(try await keeper.productList())
    case ("POST", "/device/v1/purchases"):
      return .json(try await keeper.buy(try request.decode(ShopOrder.self)))
    case ("POST", "/device/v1/finished"):
      let body = try request.decode(StoreFinished.self)
      _ = try await keeper.perform(.finish(account: body.account, transactions: body.transactions))
      return .json(try await keeper.facts())
    case ("POST", "/device/v1/refunds"):
      return .json(try await keeper.refund(try request.decode(StoreRefund.self)))
    case ("GET", "/device/v1/updates"):
      let since = UInt64(head.parameter("since") ?? "0") ?? 0
      let wait = Int(head.parameter("wait") ?? "0") ?? 0
      let lead = head.parameter("lead").flatMap { Int64($0) }
      return .json(
        try await keeper.changes(since: since, lead: lead, for: try customer(head), seconds: wait))
    case ("GET", "/device/v1/entitlements"):
      return .json(try await keeper.list(.entitlements, try customer(head)))
    case ("GET", "/device/v1/history"): return .json(try await keeper.list(.history, try customer(head)))
    case ("GET", "/device/v1/unfinished"):
      return .json(try await keeper.list(.unfinished, try customer(head)))
    case ("GET", "/device/v1/restored"): return .json(try await keeper.list(.restorable, try customer(head)))
    case ("POST", "/v1/demands"): return .json(try await keeper.obey(try request.decode(StoreDemand.self)))
    case ("GET", "/v1/state"): return .json(try await keeper.state(try view(head)))
    case ("GET", "/v1/products"):
      return .json(try await keeper.productList(openTo: head.parameter("account")))
    default:
      throw Problem(.notFound, "there is nothing at \(head.path) for \(head.method); see docs/store.md")
    }
  }

  private func view(_ head: HTTPHead) throws(Problem) -> StoreView {
    guard let text = head.parameter("last") else { return StoreView(account: head.parameter("account")) }
    guard let last = Int(text), (1...Limits.shopTransactions).contains(last) else {
      throw Problem(.invalidValue, "last is a whole number from 1 to \(Limits.shopTransactions)")
    }
    return StoreView(last: last, account: head.parameter("account"))
  }

  private func customer(_ head: HTTPHead) throws(Problem) -> ShopCustomer {
    func required(_ name: String) throws(Problem) -> String {
      guard let value = head.parameter(name), (1...Limits.textBytes).contains(value.utf8.count) else {
        throw Problem(.invalidValue, "say \(name)=… in the query")
      }
      return value
    }
    return ShopCustomer(
      account: try required("account"), bundleId: try required("bundleId"), device: head.parameter("device"))
  }
}

extension Problem {
  init(_ refusal: ShopRefusal) {
    switch refusal {
    case .unknownProduct: self.init(.unknownProduct, refusal.description)
    case .unknownTransaction, .nothingBought: self.init(.unknownTransaction, refusal.description)
    case .wrongQuantity, .wrongPart, .wrongDate, .wrongWord, .wrongPrice, .tooHighPrice, .tooLong:
      self.init(.invalidValue, refusal.description)
    case .unknownRequest, .unknownAccount, .notForSale, .unknownOffer, .unknownCode, .notForThem, .tooEarly,
      .redeemed, .notSubscription, .decided, .alreadyRefunded, .notRefunded, .noIncrease, .noLowerPrice,
      .ended, .noFamily, .notTheirs, .nothingWaits, .tooFar, .full:
      self.init(.storeRefused, refusal.description)
    }
  }
}

// What devices ask for.
extension ShopKeeper {
  package func facts() throws -> StoreFacts {
    let root = String(decoding: Base64.encode(signer.root, .standard), as: UTF8.self)
    return try read { shop, _ in
      StoreFacts(root: root, now: shop.time, isSetOn: shop.terms.isSetOn, storefront: shop.terms.storefront)
    }
  }

  package func buy(_ order: ShopOrder) throws -> StorePurchase {
    switch try perform(.buy(order)) {
    case .purchased(let id): return try purchase(id)
    case .pending(let request):
      return StorePurchase(outcome: .pending, request: request, transaction: nil, renewalInfo: nil)
    case .cancelled:
      return StorePurchase(outcome: .cancelled, request: nil, transaction: nil, renewalInfo: nil)
    case .failed, .done, .notification:
      return StorePurchase(outcome: .failed, request: nil, transaction: nil, renewalInfo: nil)
    }
  }

  private func purchase(_ id: UInt64) throws -> StorePurchase {
    try read { shop, lookup in
      let bought = shop.transaction(id)
      return StorePurchase(
        outcome: .purchased, request: nil, transaction: bought.flatMap(lookup.transaction),
        renewalInfo: bought.flatMap { shop.subscription(for: $0) }.flatMap(lookup.renewalInfo))
    }
  }

  func refund(_ question: StoreRefund) throws -> StorePurchase {
    let isOwn = try read { shop, _ in
      shop.transaction(question.transaction).map { Name($0.account) == Name(question.account) } ?? false
    }
    guard isOwn else { throw ShopRefusal.unknownTransaction(question.transaction) }
    do { _ = try perform(.refund(transaction: question.transaction, percentage: nil)) } catch let refusal
      as ShopRefusal
    {
      // Asking again changes nothing.
      guard refusal == .alreadyRefunded(question.transaction) else { throw refusal }
    }
    return try purchase(question.transaction)
  }

  /// A list that devices ask for.
  package enum List: Sendable { case entitlements, history, unfinished, restorable }

  package func list(_ list: List, _ customer: ShopCustomer) throws -> StoreItems {
    let (transactions, subscriptions, revision) = try read { shop, _ in
      let transactions =
        switch list {
        case .entitlements: shop.entitlements(of: customer)
        case .history: shop.history(of: customer)
        case .unfinished: shop.unfinished(of: customer)
        case .restorable: shop.restorable(of: customer)
        }
      return (transactions, shop.subscriptions(of: customer), shop.revision)
    }
    return items(transactions, subscriptions, revision: revision)
  }
}

import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox

/// What a sandbox store answers over HTTP: to devices what StoreKit would, to servers what the App Store Server API does,
/// and to whoever simulates what happens next.
package struct SandboxAPI: Sendable {
  private let store: SandboxStoreServer
  private let policy: AccessPolicy

  package init(store: SandboxStoreServer, token: String) {
    self.store = store
    policy = AccessPolicy(token: token)
  }

  /// Largest request body, in bytes.
  static let bodyBytes = 256 * 1024

  /// What an ``HTTPServer`` serves.
  package var application: HTTPApplication { HTTPApplication(receive: receive) }

  private func receive(_ head: HTTPHead) -> HTTPReception {
    if ServerAPI.isMeant(head) { return ServerAPI.receive(head, for: store) }
    return SandboxAPI.table.receive(head, for: store, policy, see: "docs/store.md") { error in
      (error as? SandboxRefusal).map(Problem.init) ?? Problem(of: error)
    }
  }
}

// The table: what devices ask for, and what whoever simulates does. Devices need no token of the store's: they play the App Store's
// customers, and this is a simulation on one machine. A page in a browser may not use it all the same.
extension SandboxAPI {
  package static let table = EndpointTable(devices + simulation, bodyBytes: bodyBytes)

  private static let devices: [Endpoint<SandboxStoreServer>] = [
    .get("/device/v1/store", "Whom the devices deal with", isOpen: true) { store, _ in try await store.facts()
    },
    .get("/device/v1/products", "What is sold", isOpen: true) { store, _ in try await store.productList() },
    .get("/device/v1/catalogue", "What a purchase gives", isOpen: true) { store, _ in store.deviceCatalogue },
    Endpoint("POST", "/device/v1/purchases", "Buy a product", takes: .json(StoreOrder.self), isOpen: true) {
      store, call in
      try await store.buy(SandboxOrder(call.body))
    },
    Endpoint(
      "POST", "/device/v1/finished", "Say what the app has delivered", takes: .json(StoreFinished.self),
      isOpen: true
    ) { store, call in
      _ = try await store.perform(
        .finish(account: SandboxAccount.named(call.body.account), transactions: call.body.transactions))
      return try await store.facts()
    },
    Endpoint(
      "POST", "/device/v1/refunds", "Ask for the money back", takes: .json(StoreRefund.self), isOpen: true
    ) {
      store, call in try await store.refund(call.body)
    },
    .get("/device/v1/updates", "What has changed after a revision, once it has", isOpen: true) {
      store, call in
      try await store.changes(
        since: call.head.parameter("since").flatMap { UInt64($0) } ?? 0,
        of: call.head.parameter("run"), lead: call.head.parameter("lead").flatMap { Int64($0) },
        told: call.head.parameter("told"),
        for: try call.head.customer,
        seconds: call.head.parameter("wait").flatMap { Int($0) } ?? 0)
    },
    .get("/device/v1/entitlements", "What the customer is entitled to", isOpen: true) { store, call in
      try await store.list(.entitlements, try call.head.customer)
    },
    .get("/device/v1/history", "What the customer has bought", isOpen: true) { store, call in
      try await store.list(.history, try call.head.customer)
    },
    .get("/device/v1/unfinished", "What was not delivered yet", isOpen: true) { store, call in
      try await store.list(.unfinished, try call.head.customer)
    },
    .get("/device/v1/restored", "What is restored to the customer", isOpen: true) { store, call in
      try await store.list(.restorable, try call.head.customer)
    },
  ]

  private static let simulation: [Endpoint<SandboxStoreServer>] = [
    Endpoint("POST", "/v1/demands", "Make something happen", takes: .json(SandboxDemand.self)) {
      store, call in try await store.obey(call.body)
    },
    .get("/v1/state", "How the store stands") { store, call in try await store.state(try call.head.view) },
    .get("/v1/products", "What is sold") { store, call in
      try await store.productList(openTo: call.head.parameter("account"))
    },
    .get("/healthz", "Whether the store works", isOpen: true) { _, _ in
      HealthAnswer(status: "ok", version: Version.current)
    },
  ]
}

extension HTTPHead {
  /// What part of the store is to be shown.
  fileprivate var view: SandboxView {
    get throws(Problem) {
      guard let text = parameter("last") else { return SandboxView(account: parameter("account")) }
      guard let last = Int(text), (1...Limits.sandboxTransactions).contains(last) else {
        throw Problem(
          .invalidValue,
          Phrase(
            "last is a whole number from 1 to \(Limits.sandboxTransactions)",
            "last 값은 1에서 \(Limits.sandboxTransactions)까지의 정수입니다"))
      }
      return SandboxView(last: last, account: parameter("account"))
    }
  }

  /// Whose device asks.
  fileprivate var customer: SandboxCustomer {
    get throws(Problem) {
      SandboxCustomer(
        account: SandboxAccount.named(parameter("account")), bundleId: try required("bundleId"),
        device: parameter("device"))
    }
  }

  private func required(_ name: String) throws(Problem) -> String {
    guard let value = parameter(name), (1...Limits.textBytes).contains(value.utf8.count) else {
      throw Problem(
        .invalidValue, Phrase("say \(name)=… in the query", "쿼리에 \(name)=… 값을 지정하세요"))
    }
    return value
  }
}

extension Problem {
  init(_ refusal: SandboxRefusal) {
    switch refusal {
    case .unknownProduct: self.init(.unknownProduct, refusal.told)
    case .unknownTransaction, .nothingBought: self.init(.unknownTransaction, refusal.told)
    case .wrongQuantity, .wrongPart, .wrongDate, .renews, .wrongWord, .wrongPrice, .tooHighPrice, .tooLong:
      self.init(.invalidValue, refusal.told)
    case .unknownRequest, .unknownAccount, .notForSale, .unknownOffer, .unknownCode, .notForThem, .tooEarly,
      .redeemed, .notSubscription, .decided, .alreadyRefunded, .notRefunded, .noIncrease, .noLowerPrice,
      .ended, .noFamily, .notTheirs, .nothingWaits, .tooFar, .full:
      self.init(.storeRefused, refusal.told)
    }
  }
}

// What devices ask for.
extension SandboxStoreServer {
  package func facts() throws -> StoreFacts {
    let root = String(decoding: Base64.encode(signer.root, .standard), as: UTF8.self)
    return try read { sandboxStore, _ in
      StoreFacts(
        root: root, now: sandboxStore.time, isSetOn: sandboxStore.terms.isSetOn,
        storefront: sandboxStore.terms.storefront)
    }
  }

  package func buy(_ order: SandboxOrder) throws -> StorePurchase {
    let last = try read { sandboxStore, _ in sandboxStore.transactions.last?.id } ?? 0
    switch try perform(.buy(order)) {
    case .purchased(let id): return try purchase(id, isNew: id > last)
    case .pending(let request):
      return StorePurchase(outcome: .pending, request: request, transaction: nil, renewalInfo: nil)
    case .cancelled:
      return StorePurchase(outcome: .cancelled, request: nil, transaction: nil, renewalInfo: nil)
    case .failed, .done, .notification:
      return StorePurchase(outcome: .failed, request: nil, transaction: nil, renewalInfo: nil)
    }
  }

  private func purchase(_ id: UInt64, isNew: Bool = false) throws -> StorePurchase {
    try read { sandboxStore, lookup in
      let bought = sandboxStore.transaction(id)
      return StorePurchase(
        outcome: .purchased, request: nil, transaction: bought.flatMap(lookup.transaction),
        renewalInfo: bought.flatMap { sandboxStore.subscription(for: $0) }.flatMap(lookup.renewalInfo),
        isNew: isNew)
    }
  }

  func refund(_ question: StoreRefund) throws -> StorePurchase {
    let isOwn = try read { sandboxStore, _ in
      sandboxStore.transaction(question.transaction).map {
        Name($0.account) == Name(SandboxAccount.named(question.account))
      }
        ?? false
    }
    guard isOwn else { throw SandboxRefusal.unknownTransaction(question.transaction) }
    do { _ = try perform(.refund(transaction: question.transaction, percentage: nil)) } catch let refusal
      as SandboxRefusal
    {
      // Asking again changes nothing.
      guard refusal == .alreadyRefunded(question.transaction) else { throw refusal }
    }
    return try purchase(question.transaction)
  }

  /// A list that devices ask for.
  package enum List: Sendable { case entitlements, history, unfinished, restorable }

  package func list(_ list: List, _ customer: SandboxCustomer) throws -> StoreItems {
    let (transactions, subscriptions, revision) = try read { sandboxStore, _ in
      let transactions =
        switch list {
        case .entitlements: sandboxStore.entitlements(of: customer)
        case .history: sandboxStore.history(of: customer)
        case .unfinished: sandboxStore.unfinished(of: customer)
        case .restorable: sandboxStore.restorable(of: customer)
        }
      return (transactions, sandboxStore.subscriptions(of: customer), sandboxStore.revision)
    }
    return items(transactions, subscriptions, revision: revision)
  }
}

extension SandboxOrder {
  fileprivate init(_ order: StoreOrder) {
    self.init(
      account: SandboxAccount.named(order.account), bundleId: order.bundleId, productId: order.productId,
      quantity: order.quantity, device: order.device, token: order.token, date: order.date,
      offer: order.offer)
  }
}

extension SandboxAccount {
  /// The id of an account that a device names or leaves open.
  fileprivate static func named(_ id: String?) -> String { id ?? SandboxDemand.somebody }
}

import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSandboxServer

/// `peerd store`: runs a sandbox store until it is told to stop.
struct StoreCommand {
  let directory: String
  let options: StoreOptions

  /// The one line that says the store is ready.
  private struct Ready: Encodable {
    let ready = true
    let http: String
    /// The root certificate of what it signs.
    let root: String
    /// The key of servers for its App Store Server API.
    let key: String
    let keyId: String
    let issuerId: String
    let products: Int
    let warnings: [String]
  }

  func run(_ console: Console) async throws {
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    let signals = Signals { _ in asking.yield() }
    guard !FileManager.default.fileExists(atPath: DataDirectory(directory).database) else {
      throw Failure("\(directory) holds a device: choose another directory for the store with --data")
    }
    let catalogue = try catalogue()
    let store = try SandboxStoreServer(
      SandboxStoreServer.Configuration(
        directory: directory, catalogue: catalogue, pace: options.pace, begin: options.begin,
        notified: options.notified,
        log: options.log.log))
    try await store.start()
    do {
      let server = try await serve(store)
      let ready = try await ready(store, server, catalogue)
      try console.print(ready) { text(ready, console) }
      async let _ = ask(asking, when: store)
      for await _ in asked { break }
      await store.stop()
      await onThread { server.stop() }
    } catch {
      await store.stop()
      throw error
    }
    withExtendedLifetime(signals) {}
    guard await store.end() == nil else { throw ExitStatus.failed }
  }

  private func catalogue() throws -> SandboxCatalogue? {
    guard !options.catalogues.isEmpty else { return nil }
    var files: [(name: String, content: [UInt8])] = []
    for path in options.catalogues { files.append((path, Array(try InitCommand.content(of: path)))) }
    return try SandboxCatalogue(files)
  }

  /// Asks to stop when the store has failed.
  private func ask(_ asking: AsyncStream<Void>.Continuation, when store: SandboxStoreServer) async {
    _ = await store.end()
    asking.yield()
  }

  private func serve(_ store: SandboxStoreServer) async throws -> HTTPServer {
    let token = Draws.token()
    let server = try HTTPServer(
      address: options.http, application: SandboxAPI(store: store, token: token).application)
    try await store.publish(url: "http://\(server.address)", token: token)
    return server
  }

  private func ready(
    _ store: SandboxStoreServer, _ server: HTTPServer, _ catalogue: SandboxCatalogue?
  ) async throws -> Ready {
    Ready(
      http: "http://\(server.address)", root: store.directory.store + "/root.pem",
      key: store.serverKey.path,
      keyId: store.serverKey.id, issuerId: ServerKey.issuer,
      products: try await store.read { sandboxStore, _ in sandboxStore.products.count },
      warnings: catalogue?.warnings ?? [])
  }

  private func text(_ ready: Ready, _ console: Console) -> String {
    """
    \(console.style.good("ready")): the store is at \(ready.http), and sells \(ready.products) products
    devices     peerd run --data DIR --store \(ready.http)
    servers     key \(ready.key), key id \(ready.keyId), issuer id \(ready.issuerId)
    signatures  root certificate \(ready.root)
    \(ready.warnings.map { "warning: \($0)\n" }.joined())
    """
  }
}

/// `peerd store VERB`: lets something happen in a store.
enum StoreDemandCommand {
  static func run(_ demand: StoreDemand, _ client: ControlClient, _ console: Console) async throws {
    let answer: StoreAnswer = try await client.send("POST", "/v1/demands", body: demand)
    let hasBoughtNothing = answer.outcome == .cancelled || answer.outcome == .failed
    guard console.json || !hasBoughtNothing else {
      throw Failure(answer.done)
    }
    try console.print(answer) {
      let about = answer.transactionId.map { "transaction \($0)\n" } ?? ""
      let request = answer.request.map { "number      \($0)\n" } ?? ""
      return "\(console.style.good(answer.done)); in the store it is \(console.date(answer.now))\n" + about
        + request + told(answer)
    }
    if hasBoughtNothing { throw ExitStatus.failed }
  }
}

extension StoreDemandCommand {
  /// The notifications that it led to, one a line.
  private static func told(_ answer: StoreAnswer) -> String {
    let lines = answer.notifications.map { told in
      let words = [told.type, told.subtype, told.transactionId.map { "of transaction \($0)" }]
      return "told        " + words.compactMap(\.self).joined(separator: " ") + "\n"
    }
    let isShort = answer.notificationsLeftOut > 0
    let rest =
      isShort ? "told        \(answer.notificationsLeftOut) more before: see `peerd store show`\n" : ""
    return rest + lines.joined()
  }
}

/// `peerd store products`: what a store sells.
enum StoreProductsCommand {
  static func run(openTo account: String?, _ client: ControlClient, _ console: Console) async throws {
    let query = account.map { "?account=\($0.asPathPart)" } ?? ""
    let answer: StoreProducts = try await client.send("GET", "/v1/products" + query)
    try console.print(answer) {
      var table = console.table(
        "PRODUCT", .text("NAME", .useful), .text("TYPE", .useful), .whole("PRICE"), .whole("PERIOD", .useful),
        .text("GROUP", .extra), .whole("RANK", .extra))
      for product in answer.products {
        table.add([
          product.id, product.name ?? "", product.type,
          product.forSale ? "\(product.price) \(product.currency)" : "withdrawn", product.period ?? "",
          product.group ?? "", product.group == nil ? "" : "\(product.rank)",
        ])
      }
      return console.section("Storefront \(answer.storefront)", table, isEmpty: false)
        + offers(answer.products, console)
    }
  }

  private static func offers(_ products: [StoreProduct], _ console: Console) -> String {
    var table = console.table(
      "OFFER", "PRODUCT", .whole("KIND", .useful), .whole("PRICE"), .whole("PERIODS", .useful),
      .text("FOR", .extra))
    for product in products {
      for offer in product.offers {
        let price = offer.payment == StoreOffer.Payment.freeTrial.rawValue ? "free" : offer.price
        table.add([
          offer.id ?? "–", product.id, offer.kind, price, "\(offer.periods) × \(offer.period)",
          offer.customers.joined(separator: ", "),
        ])
      }
    }
    return console.section("Offers", table, isEmpty: products.allSatisfy(\.offers.isEmpty))
  }
}

/// `peerd store show`: how a store stands.
enum StoreShowCommand {
  static func run(_ view: StoreView, _ client: ControlClient, _ console: Console) async throws {
    let account = view.account.map { "&account=\($0.asPathPart)" } ?? ""
    let state: StoreState = try await client.send("GET", "/v1/state?last=\(view.last)\(account)")
    try console.print(state) { text(state, console) }
  }

  private static func text(_ state: StoreState, _ console: Console) -> String {
    let next = state.next.map { "; next something happens \(console.date($0))" } ?? ""
    return "It is \(console.date(state.now))\(state.manual ? ", and the clock stands still" : "")\(next)\n"
      + accounts(state, console) + subscriptions(state, console) + purchases(state, console)
      + waiting(state, console) + notifications(state, console)
  }

  private static func accounts(_ state: StoreState, _ console: Console) -> String {
    var table = console.table(
      "ACCOUNT", .text("FAMILY", .useful), .text("PURCHASES", .useful), .whole("PAYMENTS", .useful))
    for account in state.accounts {
      let card = account.cardExpires.map { "until \(console.date($0))" } ?? "go through"
      let once = account.nextPurchase.map { "\($0) once" }
      table.add([
        account.id, account.family ?? "",
        [once, account.purchases].compactMap(\.self).joined(separator: ", "),
        account.billingFails ? "fail" : card,
      ])
    }
    return console.section("Accounts", table, isEmpty: state.accounts.isEmpty)
  }

  private static func subscriptions(_ state: StoreState, _ console: Console) -> String {
    var table = console.table(
      .whole("ORIGINAL"), .text("ACCOUNT", .extra), "PRODUCT", .whole("STATE"), .whole("EXPIRES", .useful),
      .text("RENEWS AS", .extra), .text("NOTES", .extra))
    for subscription in state.subscriptions {
      let notes = ([subscription.reason].compactMap(\.self) + subscription.warnings).joined(separator: "; ")
      table.add([
        subscription.originalTransactionId, subscription.account, subscription.productId, subscription.state,
        console.date(subscription.expires), subscription.willRenew ? subscription.renewsAs : "–", notes,
      ])
    }
    return console.section("Subscriptions", table, isEmpty: state.subscriptions.isEmpty)
  }

  private static func purchases(_ state: StoreState, _ console: Console) -> String {
    var table = console.table(
      .whole("TRANSACTION"), .text("ACCOUNT", .extra), "PRODUCT", .whole("PURCHASED", .useful), .whole(""))
    for purchase in state.purchases {
      let mark = purchase.revocationDate != nil ? "taken back" : purchase.finished ? "finished" : "unfinished"
      table.add([
        purchase.transactionId, purchase.account, purchase.productId, console.date(purchase.purchaseDate),
        mark,
      ])
    }
    return console.section("Purchases, the newest last", table, isEmpty: state.purchases.isEmpty)
      + leftOut(state.purchasesLeftOut, "purchases", of: state.purchases.count)
  }

  private static func waiting(_ state: StoreState, _ console: Console) -> String {
    var table = console.table(.whole("NUMBER"), "ACCOUNT", "PRODUCT", .whole("SINCE", .useful))
    for request in state.waiting {
      table.add(["\(request.number)", request.account, request.productId, console.date(request.made)])
    }
    return console.section("Waiting for approval", table, isEmpty: state.waiting.isEmpty)
  }

  private static func notifications(_ state: StoreState, _ console: Console) -> String {
    var table = console.table(
      .whole("NUMBER"), "TYPE", .text("SUBTYPE", .useful), .whole("TRANSACTION", .useful), .whole(""))
    for told in state.notifications {
      let tries = told.attempts == 1 ? "1 attempt" : "\(told.attempts) attempts"
      let mark =
        told.delivered ? "delivered" : told.failed ? "failed: \(tries)" : told.attempts > 0 ? tries : ""
      table.add(["\(told.number)", told.type, told.subtype ?? "", told.transactionId ?? "", mark])
    }
    return console.section("Notifications, the newest last", table, isEmpty: state.notifications.isEmpty)
      + leftOut(state.notificationsLeftOut, "notifications", of: state.notifications.count)
  }

  /// Says that older ones are not shown, and how to see them.
  private static func leftOut(_ count: Int, _ what: String, of shown: Int) -> String {
    guard count > 0 else { return "" }
    return "older \(what) left out: \(count); `peerd store show --last \(count + shown)` shows them\n"
  }
}

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
      throw Failure(.storeNeedsOwnDirectory(directory))
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
      try console.print(ready) { text(ready, catalogue?.notes ?? [], console) }
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

  private func text(_ ready: Ready, _ warnings: [Phrase], _ console: Console) -> String {
    """
    \(console.style.good(console.words(.ready)))\(console.words(.storeIsAt(ready.http, products: ready.products)))
    \(console.words(.storeServes(ready.http, key: ready.key, ready.keyId, issuer: ready.issuerId, root: ready.root)))
    \(console.warnings(warnings))
    """
  }
}

/// `peerd store VERB`: lets something happen in a store.
enum StoreDemandCommand {
  static func run(_ demand: SandboxDemand, _ client: ControlClient, _ console: Console) async throws {
    let answer: SandboxAnswer = try await client.send("POST", "/v1/demands", body: demand)
    let hasBoughtNothing = answer.outcome == .cancelled || answer.outcome == .failed
    guard console.json || !hasBoughtNothing else {
      throw Failure(.nothingBought(answer.told, wasCancelled: answer.outcome == .cancelled))
    }
    try console.print(answer) {
      let about = answer.transactionId.map { console.words(.transaction($0)) + "\n" } ?? ""
      let request = answer.request.map { console.words(.requestNumber($0)) + "\n" } ?? ""
      return console.style.good(console.words(answer.told))
        + console.words(.inTheStore(console.date(answer.now))) + "\n"
        + about + request + told(answer, console)
    }
    if hasBoughtNothing { throw ExitStatus.failed }
  }
}

extension StoreDemandCommand {
  /// The notifications that it led to, one a line.
  private static func told(_ answer: SandboxAnswer, _ console: Console) -> String {
    let lines = answer.notifications.map { told in
      let about = [told.type, told.subtype].compactMap(\.self).joined(separator: " ")
      return console.words(.told(about, of: told.transactionId)) + "\n"
    }
    let isShort = answer.notificationsLeftOut > 0
    return (isShort ? console.words(.toldMore(answer.notificationsLeftOut)) + "\n" : "") + lines.joined()
  }
}

/// `peerd store products`: what a store sells.
enum StoreProductsCommand {
  static func run(openTo account: String?, _ client: ControlClient, _ console: Console) async throws {
    let query = account.map { "?account=\($0.asPathPart)" } ?? ""
    let answer: SandboxProductsAnswer = try await client.send("GET", "/v1/products" + query)
    try console.print(answer) {
      var table = console.table(
        .whole(.product), .text(.name, .useful), .text(.type, .extra), .whole(.price),
        .whole(.period, .useful),
        .text(.group, .extra), .whole(.rank, .extra))
      for product in answer.products {
        table.add([
          product.id, product.name ?? "", console.words(.type(product.type)),
          product.forSale ? "\(product.price) \(product.currency)" : console.words(.withdrawn),
          product.period.map { console.words(.period($0)) } ?? "",
          product.group ?? "", product.group == nil ? "" : "\(product.rank)",
        ])
      }
      return console.style.bold(console.words(.storefront(answer.storefront))) + "\n" + table.text
        + offers(answer.products, console)
    }
  }

  private static func offers(_ products: [SandboxProductAnswer], _ console: Console) -> String {
    var table = console.table(
      .whole(.offer), .whole(.product, .useful), .whole(.kind, .useful), .whole(.price),
      .whole(.periods, .useful), .text(.customers, .extra))
    for product in products {
      for offer in product.offers {
        let price =
          offer.payment == StoreOffer.Payment.freeTrial.rawValue ? console.words(.free) : offer.price
        table.add([
          offer.id ?? "–", product.id, console.words(.kind(ofOffer: offer.kind)), price,
          "\(offer.periods) × " + console.words(.period(offer.period)),
          offer.customers.map { console.words(.customer($0)) }.joined(separator: ", "),
        ])
      }
    }
    return console.section(.offersTitle, table, isEmpty: products.allSatisfy(\.offers.isEmpty))
  }
}

/// `peerd store show`: how a store stands.
enum StoreShowCommand {
  static func run(_ view: SandboxView, _ client: ControlClient, _ console: Console) async throws {
    let account = view.account.map { "&account=\($0.asPathPart)" } ?? ""
    let state: SandboxState = try await client.send("GET", "/v1/state?last=\(view.last)\(account)")
    guard !console.json else { return try console.print(state) { "" } }
    let sold: SandboxProductsAnswer = try await client.send("GET", "/v1/products")
    let names = ProductNames(sold.products)
    try console.print(text: text(state, names, console))
  }

  private static func text(_ state: SandboxState, _ names: ProductNames, _ console: Console) -> String {
    let next = state.next.map { console.date($0) }
    return console.words(.storeTime(console.date(state.now), isStill: state.manual, next: next)) + "\n"
      + outcome(state, console)
      + accounts(state, console) + subscriptions(state, names, console) + purchases(state, names, console)
      + waiting(state, names, console) + notifications(state, console)
  }

  /// What was set for everybody, where it is not that purchases go through.
  private static func outcome(_ state: SandboxState, _ console: Console) -> String {
    let usual = state.outcome.flatMap { $0 == SandboxMood.succeed.rawValue ? nil : $0 }
    let moods = [state.nextOutcome.map { Phrase.once(.mood($0)) }, usual.map { Phrase.mood($0) }]
      .compactMap(\.self)
    return moods.isEmpty ? "" : console.words(.purchasesOfEverybody(.joined(moods, by: ", "))) + "\n"
  }

  private static func accounts(_ state: SandboxState, _ console: Console) -> String {
    var table = console.table(
      .whole(.account), .text(.family, .useful), .text(.purchases, .useful), .whole(.payments, .useful))
    for account in state.accounts {
      let card = account.cardExpires.map { Phrase.goThrough(until: console.date($0)) } ?? .goThrough
      let once = account.nextPurchase.map { console.words(.once(.mood($0))) }
      table.add([
        account.id, account.family ?? "",
        [once, account.purchases.map { console.words(.mood($0)) }].compactMap(\.self).joined(separator: ", "),
        console.words(account.billingFails ? .fail : card),
      ])
    }
    return console.section(.accountsTitle, table, isEmpty: state.accounts.isEmpty)
  }

  private static func subscriptions(_ state: SandboxState, _ names: ProductNames, _ console: Console)
    -> String
  {
    var table = console.table(
      .whole(.original), .text(.account, .extra), .text(.product), .whole(.state), .whole(.expires, .useful),
      .text(.renewsAs, .extra), .text(.notes, .extra))
    for subscription in state.subscriptions {
      let warnings = subscription.warnings.map { console.words(.renewalWarning($0)) }
      let reason = subscription.reason.map { console.words(.reason(ofEnd: $0)) }
      let notes = ([reason].compactMap(\.self) + warnings).joined(separator: "; ")
      table.add([
        subscription.originalTransactionId, subscription.account, names[subscription.productId],
        SubscriptionState(rawValue: subscription.state).map { console.words(.state(of: $0)) }
          ?? subscription.state,
        console.date(subscription.expires), subscription.willRenew ? names[subscription.renewsAs] : "–",
        notes,
      ])
    }
    return console.section(.subscriptionsTitle, table, isEmpty: state.subscriptions.isEmpty)
  }

  private static func purchases(_ state: SandboxState, _ names: ProductNames, _ console: Console) -> String {
    var table = console.table(
      .whole(.transaction), .text(.account, .extra), .text(.product), .whole(.purchased, .useful),
      .whole(.state))
    for purchase in state.purchases {
      let mark: Phrase =
        purchase.revocationDate != nil ? .purchaseTakenBack : purchase.finished ? .finished : .unfinished
      table.add([
        purchase.transactionId, purchase.account, names[purchase.productId],
        console.date(purchase.purchaseDate),
        console.words(mark),
      ])
    }
    return console.section(.purchasesNewestLast, table, isEmpty: state.purchases.isEmpty)
      + leftOut(.olderPurchases, state.purchasesLeftOut, of: state.purchases.count, console)
  }

  private static func waiting(_ state: SandboxState, _ names: ProductNames, _ console: Console) -> String {
    var table = console.table(.whole(.number), .text(.account), .text(.product), .whole(.since, .useful))
    for request in state.waiting {
      table.add(["\(request.number)", request.account, names[request.productId], console.date(request.made)])
    }
    return console.section(.waitingTitle, table, isEmpty: state.waiting.isEmpty)
  }

  private static func notifications(_ state: SandboxState, _ console: Console) -> String {
    var table = console.table(
      .whole(.number), .text(.type), .text(.subtype, .useful), .whole(.transaction, .useful), .whole(.state))
    for told in state.notifications {
      table.add([
        "\(told.number)", told.type, told.subtype ?? "", told.transactionId ?? "",
        console.words(mark(of: told)),
      ])
    }
    return console.section(.notificationsNewestLast, table, isEmpty: state.notifications.isEmpty)
      + leftOut(.olderNotifications, state.notificationsLeftOut, of: state.notifications.count, console)
  }

  private static func mark(of told: SandboxState.Notification) -> Phrase {
    if told.delivered { return .delivered }
    guard told.attempts > 0 else { return .same(told.failed ? "–" : "") }
    return told.failed ? .failed(after: told.attempts) : .tried(told.attempts)
  }

  /// Says that older ones are not shown, and how to see them.
  private static func leftOut(_ what: Phrase, _ count: Int, of shown: Int, _ console: Console) -> String {
    count > 0 ? console.words(.olderLeftOut(what, count, all: count + shown)) + "\n" : ""
  }
}

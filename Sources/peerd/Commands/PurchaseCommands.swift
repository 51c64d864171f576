import PeerSync
import PeerSyncControl

/// `peerd buy`: buys a product, and says what changed.
enum BuyCommand {
  static func run(_ options: BuyOptions, _ client: ControlClient, _ console: Console) async throws {
    let body = PurchaseBody(
      productId: options.product, quantity: options.quantity, at: options.at, offer: options.offer)
    let before: StatusAnswer? = console.json ? nil : try await client.send("GET", "/v1/status")
    let result: PurchaseResult = try await client.send("POST", "/v1/purchases", body: body)
    guard let before, let transaction = result.transaction else {
      let names = console.json ? ProductNames() : try await ProductNames(client)
      // Nothing that waits lives anywhere yet.
      return try console.print(result) {
        console.words(.waits(console.style.bold(names[options.product]), number: result.request)) + "\n"
      }
    }
    let lives = try await result.onThisDeviceOnly ? whereItLives(client, console) : ""
    let outcome = try await Outcome(since: before, client, console)
    let note = outcome.warning(of: transaction.productId) + lives
    let verb = console.style.good(console.words(verb(options.product, result, transaction, outcome.names)))
    try console.print(text: outcome.text(verb, transaction, note: note))
  }

  /// What became of the purchase of a product.
  private static func verb(
    _ product: String, _ result: PurchaseResult, _ transaction: TransactionAnswer, _ names: ProductNames
  ) -> Phrase {
    if result.bought { return .bought1 }
    guard transaction.productId == product else { return .beginsLater(names[product]) }
    return transaction.expiresDate == nil ? .alreadyOwned : .alreadySubscribed
  }

  /// What keeps a purchase on this device, and what to do about it.
  private static func whereItLives(_ client: ControlClient, _ console: Console) async throws -> String {
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    // Neither invites nor joins any more.
    guard group.devices.contains(where: \.isSelf) else { return console.words(.livesHereRemoved) + "\n" }
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    let isCopied = status.warnings.contains(StatusAnswer.anotherCopy)
    return console.words(isCopied ? .livesHereCopied : .livesHereAlone) + "\n"
  }
}

/// `peerd refund`: refunds a transaction, and says what changed.
enum RefundCommand {
  static func run(_ transaction: String, _ client: ControlClient, _ console: Console) async throws {
    let body = RefundBody(transactionId: transaction)
    let before: StatusAnswer? = console.json ? nil : try await client.send("GET", "/v1/status")
    let result: TransactionResult = try await client.send("POST", "/v1/refunds", body: body)
    // Programs get the result alone; they ask for the status when they want it.
    guard let before else { return try console.print(result) { "" } }
    let outcome = try await Outcome(since: before, client, console)
    let verb = console.words(result.changed == false ? .alreadyRefunded : .refunded)
    let note = result.dated.map { console.words(.refundChangesNothing($0)) + "\n" } ?? ""
    try console.print(text: outcome.text(console.style.good(verb), result.transaction, note: note))
  }
}

/// `peerd restore`: asks the store and the peers, and says what came back.
enum RestoreCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let before: StatusAnswer? = console.json ? nil : try await client.send("GET", "/v1/status")
    let result: RestoreAnswer = try await client.send("POST", "/v1/restore")
    guard let before else { return try console.print(result) { "" } }
    let outcome = try await Outcome(since: before, client, console)
    try console.print(result) {
      let change = outcome.change
      return console.style.good(console.words(.restored))
        + console.words(.restored(fromStore: result.fromStore, fromPeers: result.fromPeers)) + "\n"
        + (change.isEmpty ? console.words(nothingChanged(result)) + "\n" : change)
        + list(result.transactions, outcome)
    }
  }

  private static func nothingChanged(_ result: RestoreAnswer) -> Phrase {
    result.fromStore + result.fromPeers == 0 ? .nothingToRestore : .nothingChanged
  }

  private static func list(_ transactions: [RestoreAnswer.Restored], _ outcome: Outcome) -> String {
    guard !transactions.isEmpty else { return "" }
    let console = outcome.console
    var table = console.table(.whole(.from), .text(.product), .whole(.transaction))
    for transaction in transactions {
      table.add([
        console.words(transaction.from == "store" ? .fromStore : .fromPeers),
        outcome.names[transaction.productId], transaction.transactionId,
      ])
    }
    return "\n" + table.text
  }
}

/// What a command has changed, by what the daemon says after it.
private struct Outcome {
  let products: [ProductAnswer]
  let names: ProductNames
  let console: Console
  /// One sentence a line.
  let change: String

  init(since before: StatusAnswer, _ client: ControlClient, _ console: Console) async throws {
    let after: StatusAnswer = try await client.send("GET", "/v1/status")
    let catalogue: ProductsAnswer = try await client.send("GET", "/v1/products")
    (products, names) = (catalogue.products, ProductNames(catalogue.products))
    change = StatusChange(before: before, after: after, names: names, console: console).text
    self.console = console
  }

  /// Why the purchase of a product grants nothing, where the catalogue says too little of it.
  func warning(of id: String) -> String {
    products.first { $0.id == id }?.lack(called: names[id]).map { console.warnings([$0]) } ?? ""
  }

  func text(_ verb: String, _ transaction: TransactionAnswer, note: String = "") -> String {
    let count = transaction.quantity > 1 ? "\(transaction.quantity) × " : ""
    let end = transaction.expiresDate.map { console.words(.until(console.date($0))) + "\n" }
    let revoked = transaction.revocationDate.map { console.words(.refunded(console.date($0))) + "\n" }
    return """
      \(verb) \(count)\(console.style.bold(names[transaction.productId]))
      \(console.words(.transaction(transaction.transactionId)))
      \(console.words(.purchased(console.date(transaction.purchaseDate))))
      \(end ?? "")\(revoked ?? "")\(change)\(note)
      """
  }
}

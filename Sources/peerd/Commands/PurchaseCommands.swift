import PeerSync
import PeerSyncControl

/// `peerd buy`: buys a product, and shows how things stand.
enum BuyCommand {
  static func run(_ options: BuyOptions, _ client: ControlClient, _ console: Console) async throws {
    let body = PurchaseBody(
      productId: options.product, quantity: options.quantity, at: options.at, offer: options.offer)
    let before: StatusAnswer? = console.json ? nil : try await client.send("GET", "/v1/status")
    let result: PurchaseResult = try await client.send("POST", "/v1/purchases", body: body)
    let note = try await result.onThisDeviceOnly && !console.json ? whereItLives(client) : ""
    guard !console.json, let transaction = result.transaction else {
      return try console.print(result) {
        let number = result.request.map { " under the number \($0)" } ?? ""
        return
          "\(console.style.bold(options.product)) waits for approval\(number); nothing is granted until then\n"
          + note
      }
    }
    let isOwned = before?.purchased.contains(options.product) ?? false
    try await TransactionText.show(
      isOwned ? "already owned:" : "bought", transaction, note: note, since: before, client, console)
  }

  /// What keeps a purchase on this device, and what to do about it.
  private static func whereItLives(_ client: ControlClient) async throws -> String {
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    // Neither invites nor joins any more.
    guard group.devices.contains(where: \.isSelf) else {
      return
        "It lives on this device only, for the device was removed from its group; a new device (`peerd init`) can "
        + "join.\n"
    }
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    guard !status.warnings.contains(StatusAnswer.anotherCopy) else {
      return "It lives on this device only, for another copy of the device is at work; see `peerd status`.\n"
    }
    return
      "It lives on this device only until the device is paired (`peerd invite` here, `peerd join` on the other); "
      + "pairing carries it over.\n"
  }
}

enum RefundCommand {
  static func run(_ transaction: String, _ client: ControlClient, _ console: Console) async throws {
    let body = RefundBody(transactionId: transaction)
    let before: StatusAnswer? = console.json ? nil : try await client.send("GET", "/v1/status")
    let result: TransactionResult = try await client.send("POST", "/v1/refunds", body: body)
    // Programs get the result alone; they ask for the status when they want it.
    guard !console.json else { return try console.print(result) { "" } }
    try await TransactionText.show("refunded", result.transaction, since: before, client, console)
  }
}

enum RestoreCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let before: StatusAnswer? = console.json ? nil : try await client.send("GET", "/v1/status")
    let result: RestoreAnswer = try await client.send("POST", "/v1/restore")
    guard let before else { return try console.print(result) { "" } }
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    let names = try await ProductNames(client)
    try console.print(result) {
      let change = StatusChange(before: before, after: status, console: console).text
      return
        "\(console.style.good("restored")): \(result.fromStore) purchases from the store, \(result.fromPeers) from peers\n"
        + (change.isEmpty ? "nothing changed: all of it was here already\n" : change) + "\n"
        + list(result.transactions, console) + StatusText(status: status, names: names, console: console).text
    }
  }

  private static func list(_ transactions: [RestoreAnswer.Restored], _ console: Console) -> String {
    guard !transactions.isEmpty else { return "" }
    var table = console.table(.whole("FROM"), "PRODUCT", .whole("TRANSACTION"))
    for transaction in transactions {
      table.add([transaction.from, transaction.productId, transaction.transactionId])
    }
    return table.text + "\n"
  }
}

/// What a purchase or a refund did, and how things stand after it.
private enum TransactionText {
  static func show(
    _ verb: String, _ transaction: TransactionAnswer, note: String = "", since before: StatusAnswer?,
    _ client: ControlClient, _ console: Console
  ) async throws {
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    let names = console.json ? ProductNames() : try await ProductNames(client)
    try console.print(transaction) {
      let change = before.map { StatusChange(before: $0, after: status, console: console).text } ?? ""
      return text(verb, transaction, console) + change + note + "\n"
        + StatusText(status: status, names: names, console: console).text
    }
  }

  private static func text(_ verb: String, _ transaction: TransactionAnswer, _ console: Console) -> String {
    let count = transaction.quantity > 1 ? "\(transaction.quantity) × " : ""
    return """
      \(console.style.good(verb)) \(count)\(console.style.bold(transaction.productId))
      transaction \(transaction.transactionId)
      purchased   \(console.date(transaction.purchaseDate))

      """
        + (transaction.revocationDate == nil
          ? "" : "refunded    \(console.date(transaction.revocationDate))\n")
  }
}

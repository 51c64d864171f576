import PeerSync

/// `peerd buy`: buys a product, and shows how things stand.
enum BuyCommand {
  static func run(_ options: BuyOptions, _ client: ControlClient, _ console: Console) async throws {
    let body = PurchaseBody(productId: options.product, quantity: options.quantity, at: options.at)
    let result: TransactionResult = try await client.send("POST", "/v1/purchases", body: body)
    try await TransactionText.show("bought", result, client, console)
  }
}

enum RefundCommand {
  static func run(_ transaction: String, _ client: ControlClient, _ console: Console) async throws {
    let body = RefundBody(transactionId: transaction)
    let result: TransactionResult = try await client.send("POST", "/v1/refunds", body: body)
    try await TransactionText.show("refunded", result, client, console)
  }
}

/// What a purchase or a refund did, and how things stand after it.
private enum TransactionText {
  static func show(
    _ verb: String, _ result: TransactionResult, _ client: ControlClient, _ console: Console
  ) async throws {
    // Programs get the result alone; they ask for the status when they want it.
    guard !console.json else { return console.print(result) { "" } }
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    console.print(result) {
      text(verb, result.transaction, console) + "\n" + StatusCommand.text(status, console)
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

import PeerSync
import PeerSyncControl

/// `peerd history`: lists what has happened, and who did it.
enum HistoryCommand {
  static func run(
    since: Instant?, limit: Int, _ client: ControlClient, _ console: Console
  ) async throws {
    let since = since.map { "&since=\($0.description.asPathPart)" } ?? ""
    let answer: HistoryAnswer = try await client.send("GET", "/v1/history?limit=\(limit)\(since)")
    try console.print(answer) {
      answer.events.isEmpty ? "nothing has happened\n" : answer.events.map(console.line).joined()
    }
  }
}

/// `peerd transactions`: lists the transactions, with the devices that made them.
enum TransactionsCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    var transactions: [TransactionAnswer] = []
    var next: String?
    repeat {
      let after = next.map { "&after=\($0.asPathPart)" } ?? ""
      let page: TransactionsAnswer = try await client.send(
        "GET", "/v1/transactions?limit=\(Daemon.mostListed)\(after)")
      transactions += page.transactions
      next = page.next
    } while next != nil
    let answer = TransactionsAnswer(transactions: transactions, next: nil)
    try console.print(answer) { text(transactions, console) }
  }

  private static func text(_ transactions: [TransactionAnswer], _ console: Console) -> String {
    guard !transactions.isEmpty else { return "nothing was bought\n" }
    var table = console.table(.whole("BOUGHT"), "PRODUCT", "BY", .whole("STATE"), .whole("TRANSACTION"))
    for transaction in transactions {
      table.add([
        console.date(transaction.purchaseDate), transaction.productId, transaction.device?.name ?? "–",
        state(of: transaction), transaction.transactionId,
      ])
    }
    return table.text
  }

  private static func state(of transaction: TransactionAnswer) -> String {
    if transaction.revocationDate != nil { return "refunded" }
    return transaction.verification == Verification.unverified.rawValue ? "unverified" : "stands"
  }
}

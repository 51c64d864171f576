import PeerSync
import PeerSyncControl

/// `peerd history`: lists what has happened, and who did it.
enum HistoryCommand {
  static func run(
    since: Instant?, limit: Int, _ client: ControlClient, _ console: Console
  ) async throws {
    let nothing = since == nil ? Phrase.nothingHappened : .nothingHappenedSince
    let since = since.map { "&since=\($0.description.asPathPart)" } ?? ""
    let answer: HistoryAnswer = try await client.send("GET", "/v1/history?limit=\(limit)\(since)")
    try console.print(answer) {
      answer.events.isEmpty
        ? console.words(nothing) + "\n"
        : answer.condensed.map { console.line($0, isListed: true) }.joined()
    }
  }
}

/// `peerd transactions`: lists the transactions, with the devices that made them.
enum TransactionsCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let transactions = try await client.transactions()
    let answer = TransactionsAnswer(transactions: transactions, next: nil)
    let names = console.json ? ProductNames() : try await ProductNames(client)
    try console.print(answer) { text(transactions, names, console) }
  }

  private static func text(
    _ transactions: [TransactionAnswer], _ names: ProductNames, _ console: Console
  ) -> String {
    guard !transactions.isEmpty else { return console.words(.nothingBought) + "\n" }
    var table = console.table(
      .whole(.bought), .name(.product), .name(.by), .whole(.state), .whole(.transaction))
    for transaction in transactions {
      table.add([
        console.date(transaction.purchaseDate), names[transaction.productId],
        transaction.device?.name ?? "–", console.words(state(of: transaction)), transaction.transactionId,
      ])
    }
    return table.text
  }

  private static func state(of transaction: TransactionAnswer) -> Phrase {
    if transaction.revocationDate != nil { return .transactionRefunded }
    return transaction.verification == Verification.unverified.rawValue
      ? .transactionUnverified : .transactionStands
  }
}

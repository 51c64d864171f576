import PeerSync
import PeerSyncControl

/// `peerd spend`: spends credits, and says what is left.
enum SpendCommand {
  static func run(_ options: SpendOptions, _ client: ControlClient, _ console: Console) async throws {
    let body = SpendBody(amount: Int64(options.amount), id: options.id)
    let path = "/v1/credits/\(options.credit.asPathPart)/spends"
    let answer: SpendAnswer = try await client.send("POST", path, body: body)
    try console.print(answer) {
      let credit = console.style.bold(options.credit)
      guard answer.changed != false else {
        return console.words(.spentBefore(answer.spent, of: credit, left: answer.balance))
          + "\nid \(answer.id)\n"
      }
      return console.style.good(console.words(.spent))
        + console.words(.spent(answer.spent, of: credit, left: answer.balance)) + "\nid \(answer.id)\n"
    }
  }
}

/// `peerd reclaim`: takes over what earlier incarnations of the device hold.
enum ReclaimCommand {
  static func run(
    _ credit: String, fromLost: Bool, _ client: ControlClient, _ console: Console
  ) async throws {
    let answer: CreditAnswer = try await client.send(
      "POST", "/v1/credits/\(credit.asPathPart)/reclaim", body: ReclaimBody(from: fromLost ? "lost" : nil))
    try console.print(answer) {
      console.words(.canSpend(console.style.bold(credit), answer.available, of: answer.balance)) + "\n"
    }
  }
}

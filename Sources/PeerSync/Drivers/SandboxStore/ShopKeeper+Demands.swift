/// What came of a demand.
package struct StoreAnswer: Codable, Hashable, Sendable {
  /// In one sentence.
  package let done: String
  package let now: Instant
  /// The transaction that it was about.
  @Nullable package var transactionId: String?
  /// The number under which it waits for approval.
  @Nullable package var request: UInt64?
}

extension ShopKeeper {
  /// Does what whoever simulates wants.
  func obey(_ demand: StoreDemand) throws -> StoreAnswer {
    let bundleId = try read { shop, _ in shop.transactions.last?.bundleId ?? "com.example.app" }
    guard let command = try read({ shop, _ in try demand.command(shop, bundleId: bundleId) }) else {
      guard let step = demand.step else { throw Problem(.invalidValue, "say by how much, such as P1M") }
      try advance(by: step)
      return answer("the time is set on", about: nil)
    }
    let result = try perform(command)
    return answer(result, command)
  }

  private func answer(_ result: ShopResult, _ command: ShopCommand) -> StoreAnswer {
    switch result {
    case .done, .notification: return answer("done", about: command.transaction)
    case .purchased(let id): return answer("purchased", about: id)
    case .pending(let request):
      return StoreAnswer(done: "waits for approval", now: shop.time, transactionId: nil, request: request)
    case .cancelled: return answer("not bought: it was cancelled or declined", about: nil)
    case .failed: return answer("not bought: the payment was refused", about: nil)
    }
  }

  private func answer(_ text: String, about id: UInt64?) -> StoreAnswer {
    StoreAnswer(done: text, now: shop.time, transactionId: id.map { String($0) }, request: nil)
  }
}

extension ShopCommand {
  fileprivate var transaction: UInt64? {
    switch self {
    case .refund(let id, _), .reverseRefund(let id), .declineRefund(let id), .requestConsumption(let id),
      .setRenewal(let id, _), .answerIncrease(let id, _):
      id
    default: nil
    }
  }
}

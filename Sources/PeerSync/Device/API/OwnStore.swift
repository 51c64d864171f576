/// A device that signs for itself what is bought on it: the engine decides, and nobody has to approve anything.
struct OwnStore: PurchaseSource {
  func purchase(_ order: PurchaseOrder, for daemon: Daemon) async throws -> PurchaseOutcome {
    let isOwned = try await daemon.owns(order.product)
    let bought = try await ask(.purchase(order, id: daemon.drawTransactionId()), daemon)
    return .purchased(bought, isNew: !isOwned)
  }

  func refund(_ transactionId: String, for daemon: Daemon) async throws -> TransactionAnswer {
    try await ask(.refund(transaction: transactionId), daemon)
  }

  private func ask(_ request: Request, _ daemon: Daemon) async throws -> TransactionAnswer {
    guard case .transaction(let record) = try await daemon.require(request) else { throw Problem(.failed) }
    return TransactionAnswer(record)
  }
}

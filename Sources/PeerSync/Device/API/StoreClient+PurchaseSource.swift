// Buying from a sandbox store of its own process.
extension StoreClient: PurchaseSource {
  func buy(_ order: PurchaseOrder, for daemon: Daemon) async throws -> Bought {
    let (identity, token) = try await daemon.read { engine, _ in
      (engine.identity, engine.holder.accountToken)
    }
    // What is bought carries where the rights to credits are issued [D43].
    let answer = try await buy(
      StoreOrder(
        account: account, bundleId: identity.bundleId, productId: order.product, quantity: order.quantity,
        device: identity.device.description, token: token, date: order.date, offer: order.offer))
    switch answer.outcome {
    case .purchased: return .bought(try await daemon.take(answer, self), isNew: answer.isNew ?? true)
    case .pending: return .pending(request: answer.request)
    case .cancelled:
      throw Problem(
        .purchaseCancelled, "the purchase of '\(order.product)' was cancelled; nothing was paid")
    case .failed:
      throw Problem(
        .purchaseFailed,
        "the payment for '\(order.product)' was refused; nothing was bought, and it can be tried again")
    }
  }

  func refund(_ transactionId: String, for daemon: Daemon) async throws -> TransactionAnswer {
    guard let id = UInt64(transactionId) else {
      throw Problem(
        .unknownTransaction,
        "the store knows no transaction '\(transactionId)'")
    }
    return try await daemon.take(try await refund(id), self)
  }
}

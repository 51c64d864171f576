// Buying from a sandbox store of its own process.
extension StoreClient: PurchaseSource {
  func purchase(_ order: PurchaseOrder, for daemon: Daemon) async throws -> PurchaseOutcome {
    let (identity, token) = try await daemon.read { engine, _ in
      (engine.identity, engine.holder.accountToken)
    }
    // What is bought carries where the rights to credits are issued [D43].
    let answer = try await buy(
      StoreOrder(
        account: account, bundleId: identity.bundleId, productId: order.product, quantity: order.quantity,
        device: identity.device.description, token: token, date: order.date, offer: order.offer))
    switch answer.outcome {
    case .purchased: return .purchased(try await daemon.take(answer, self), isNew: answer.isNew ?? true)
    case .pending: return .pending(request: answer.request)
    case .cancelled:
      throw Problem(
        .purchaseCancelled,
        Phrase(
          "the purchase of '\(order.product)' was cancelled; nothing was paid",
          "‘\(order.product)’ 상품의 구입이 취소되었습니다. 결제된 것은 없습니다"))
    case .failed:
      throw Problem(
        .purchaseFailed,
        Phrase(
          "the payment for '\(order.product)' was refused; nothing was bought, and it can be tried again",
          "‘\(order.product)’ 상품의 결제가 거절되었습니다. 구입한 것이 없으며 다시 시도할 수 있습니다"))
    }
  }

  func refund(_ transactionId: String, for daemon: Daemon) async throws -> TransactionAnswer {
    guard let id = UInt64(transactionId) else {
      throw Problem(
        .unknownTransaction,
        Phrase("the store knows no transaction '\(transactionId)'", "스토어에 ‘\(transactionId)’ 거래가 없습니다"))
    }
    return try await daemon.take(try await refund(id), self)
  }
}

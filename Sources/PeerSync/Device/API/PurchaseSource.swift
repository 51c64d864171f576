/// Where a device buys: it has a store sign what was bought or refunded, and the device take that in.
protocol PurchaseSource: Sendable {
  func purchase(_ order: PurchaseOrder, for daemon: Daemon) async throws -> PurchaseOutcome
  /// - Returns: the transaction as it is after the refund, durable on the device
  func refund(_ transactionId: String, for daemon: Daemon) async throws -> TransactionAnswer
}

/// What became of an order.
enum PurchaseOutcome: Sendable {
  /// It is durable on the device. It is not new where it stood before: what is owned or subscribed already, or renews as another
  /// product from now on.
  case purchased(TransactionAnswer, isNew: Bool)
  /// Somebody has to approve it; the number is the one under which the store keeps it.
  case pending(request: UInt64?)
}

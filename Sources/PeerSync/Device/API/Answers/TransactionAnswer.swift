/// One transaction: the newest snapshot known.
public struct TransactionAnswer: Codable, Hashable, Sendable {
  /// The store's id; in the xcode environment with `@` and the device that bought it.
  public let transactionId: String
  /// The transaction that this one restores or renews; its own id when it does neither.
  public let originalTransactionId: String
  /// What was bought.
  public let productId: String
  /// When it was bought.
  public let purchaseDate: Instant
  /// Units bought.
  public let quantity: Int
  /// When the store signed this snapshot.
  public let signedDate: Instant
  /// Which store it was bought from.
  public let environment: String
  /// When the store took it back.
  @Nullable public var revocationDate: Instant?
  /// When an auto-renewable subscription ends.
  @Nullable public var expiresDate: Instant?
  /// Who says that it is real: `verified` is Apple, `simulated` a sandbox store that is trusted here, `unverified` nobody.
  public let verification: String
  /// Why nobody does.
  @Nullable public var reason: String?
  /// ``reason`` in Korean; left out where there is none, and by daemons of an earlier version.
  public var reasonInKorean: String?
  /// Decimal number in the currency's unit.
  @Nullable public var price: String?
  /// ISO 4217.
  @Nullable public var currency: String?
  /// The device that bought it, as the purchase itself says; left out where it does not say, for what the store renewed, and but in
  /// a list of transactions.
  public var device: EventAnswer.Named?

  /// ``reason``, in every language.
  package var told: Phrase? { reason.map { Phrase($0, reasonInKorean ?? $0) } }
}

/// What a purchase or a refund made of a transaction.
public struct TransactionResult: Codable, Hashable, Sendable {
  /// The transaction.
  public let transaction: TransactionAnswer
  /// Of a refund: false when all of it had been refunded before.
  public var changed: Bool?
  /// Of a refund: the line whose explicit date stands in for the purchase, so that it changes nothing there; left out where none does.
  public var dated: String?
}

/// Transactions, oldest first.
public struct TransactionsAnswer: Codable, Hashable, Sendable {
  /// By purchase date.
  public let transactions: [TransactionAnswer]
  /// After which one the next page begins; null: this is the last.
  @Nullable public var next: String?

  package init(transactions: [TransactionAnswer], next: String?) {
    self.transactions = transactions
    _next = Nullable(wrappedValue: next)
  }
}

/// What came back.
public struct RestoreAnswer: Codable, Hashable, Sendable {
  /// Transactions that the store has restored.
  public let fromStore: Int
  /// Transactions known from peers alone.
  public let fromPeers: Int
  /// Each of them, by purchase date.
  public let transactions: [Restored]

  /// A transaction that came back.
  public struct Restored: Codable, Hashable, Sendable {
    /// The store's id.
    public let transactionId: String
    /// What was bought.
    public let productId: String
    /// `store` or `peers`.
    public let from: String
  }
}

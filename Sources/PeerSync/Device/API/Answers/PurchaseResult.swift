/// What became of a purchase.
public struct PurchaseResult: Codable, Hashable, Sendable {
  /// `purchased`, or `pending`: somebody has to approve it.
  public let outcome: String
  /// What was bought; null while it is pending.
  @Nullable public var transaction: TransactionAnswer?
  /// The number under which the store keeps a purchase that is pending.
  @Nullable public var request: UInt64?
  /// Whether something was sold. If not, it is pending; or the transaction stood before: of what is owned or subscribed already, or
  /// of the subscription that becomes this product at its next renewal.
  public let bought: Bool
  /// Whether no other device hears of it, from this one or from the store: this one is not paired yet, and pairing carries
  /// it over; or it was removed from its group, or is one of two copies at work, and it stays here.
  public let onThisDeviceOnly: Bool
}

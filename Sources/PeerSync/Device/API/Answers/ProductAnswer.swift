/// One product of the catalogue, and what buying it would do.
public struct ProductAnswer: Codable, Hashable, Sendable {
  /// The store's id.
  public let id: String
  /// consumable, nonConsumable, nonRenewingSubscription or autoRenewableSubscription; null while no catalogue says.
  @Nullable public var type: String?
  /// What a customer reads.
  @Nullable public var displayName: String?
  /// The line that it extends.
  @Nullable public var line: String?
  /// How long one unit lasts, ISO 8601.
  @Nullable public var period: String?
  /// The credit it buys.
  @Nullable public var credit: String?
  /// Credits of one unit.
  @Nullable public var amount: Int?
  /// The entitlements it gives.
  public let entitlements: [String]
  /// Decimal number in the currency's unit.
  @Nullable public var price: String?
  /// ISO 4217.
  @Nullable public var currency: String?
  /// buy, renew, or owned.
  public let action: String
  /// What the line's expiry would become if it were bought now.
  @Nullable public var expiresIfBought: Instant?
  /// Since when purchases count by what is said here; null: all do.
  @Nullable public var from: Instant?
  /// All entries of it, by when they begin to count; empty where one counts for all purchases.
  public var entries: [Entry] = []

  /// What a catalogue says of purchases from a date on.
  public struct Entry: Codable, Hashable, Sendable {
    /// Since when purchases count by it; null: since ever.
    @Nullable public var from: Instant?
    /// The kind of product; null while no catalogue says.
    @Nullable public var type: String?
    /// The line that it extends.
    @Nullable public var line: String?
    /// How long one unit lasts, ISO 8601.
    @Nullable public var period: String?
    /// The credit it buys.
    @Nullable public var credit: String?
    /// Credits of one unit.
    @Nullable public var amount: Int?
    /// The entitlements it gives.
    public let entitlements: [String]

    /// Makes an entry.
    package init(
      from: Instant?, type: String?, line: String?, period: String?, credit: String?, amount: Int?,
      entitlements: [String]
    ) {
      self.entitlements = entitlements
      (self.from, self.type, self.line, self.period) = (from, type, line, period)
      (self.credit, self.amount) = (credit, amount)
    }
  }
}

/// The catalogue.
public struct ProductsAnswer: Codable, Hashable, Sendable {
  /// By id.
  public let products: [ProductAnswer]
}

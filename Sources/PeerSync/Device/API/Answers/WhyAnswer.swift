/// The proof of an entitlement: everything that was looked at, and how it counted.
public struct WhyAnswer: Codable, Hashable, Sendable {
  /// The answer.
  public let entitlement: EntitlementAnswer
  /// The time it is given for, and who vouches for it.
  public let time: TimeAnswer
  /// The lines that give it.
  public let lines: [LineProofAnswer]
  /// The subscriptions to products that give it.
  public let subscriptions: [SubscriptionAnswer]
  /// Purchases that give it otherwise: for good, by credits, or as subscriptions.
  public let purchases: [TransactionProofAnswer]
  /// The credits that give it while any are left.
  public let credits: [CreditAnswer]
  /// Every grant of it ever made.
  public let grants: [GrantAnswer]
  /// Purchases of products that no catalogue knows, or of which none says the type: they might give it.
  public let unknown: [TransactionProofAnswer]

  /// How a line came to its expiry.
  public struct LineProofAnswer: Codable, Hashable, Sendable {
    /// The line.
    public let id: String
    /// When cover ends; null when there never was any.
    @Nullable public var expires: Instant?
    /// The explicit date, if one was written.
    @Nullable public var register: ExpirationAnswer?
    /// The device that wrote it; null: there is none, or it is not known here.
    @Nullable public var writtenBy: EventAnswer.Named?
    /// The purchases in the order in which they are counted.
    public let steps: [TransactionProofAnswer]
    /// The cover they make.
    public let runs: [LineAnswer.Run]
  }

  /// How one transaction counted.
  public struct TransactionProofAnswer: Codable, Hashable, Sendable {
    /// The transaction.
    public let transaction: TransactionAnswer
    /// How it counted, in a few words.
    public let counted: String
    /// What it contributes, such as `+3 months`; empty when nothing.
    public let contribution: String
    /// Where the run ends after it; null when it belongs to none.
    @Nullable public var end: Instant?
    /// How it counted, for programs.
    public let how: HowCountedAnswer
    /// Since when the entry of the catalogue counts by which it did; null where that counts for all purchases.
    @Nullable public var entryFrom: Instant?
  }

  /// How one transaction counted, for programs.
  public struct HowCountedAnswer: Codable, Hashable, Sendable {
    /// See ``Counted/Kind``.
    public let kind: String
    /// Days that are left, or credits bought; null for everything else.
    @Nullable public var amount: Int64?
    /// Until when a subscription is paid; null for everything else.
    @Nullable public var until: Instant?
  }
}

/// An explicit date for a line.
public struct ExpirationAnswer: Codable, Hashable, Sendable {
  /// The line.
  public let line: String
  /// When cover ends; null: no cover.
  @Nullable public var expires: Instant?
  /// The transactions it stands in for. All others are counted on top.
  public let covers: [String]
  /// When it was written, by its writer's clock.
  @Nullable public var written: Instant?
}

/// One grant.
public struct GrantAnswer: Codable, Hashable, Sendable {
  /// What it grants.
  public let entitlement: String
  /// Names it among the grants of one entitlement.
  public let id: String
  /// When it ends; null: never.
  @Nullable public var until: Instant?
  /// False when it was taken back.
  public let stands: Bool
}

/// Everything a device knows, at one instant.
public struct StatusAnswer: Codable, Hashable, Sendable {
  /// This device.
  public let device: DeviceSummary
  /// Its group.
  public let group: GroupSummary
  /// Whether the device wants to be on the network.
  public let online: Bool
  /// Where the device listens for peers; null when it does not.
  @Nullable public var listen: String?
  /// What time it is here, and who says so.
  public let time: TimeAnswer
  /// The other devices of the group.
  public let peers: [PeerAnswer]
  /// The lines that products or explicit dates name.
  public let lines: [LineAnswer]
  /// The auto-renewable subscriptions.
  public internal(set) var subscriptions: [SubscriptionAnswer]
  /// The entitlements that products or grants name.
  public let entitlements: [EntitlementAnswer]
  /// The non-consumable products bought and not taken back.
  public let purchased: [String]
  /// The credits that products name.
  public let credits: [CreditAnswer]
  /// Fingerprint of the replicated facts: equal on devices that hold the same, and on no others.
  public let digest: String
  /// What the person who runs the device should know.
  public let warnings: [String]
  /// The same in Korean, in the same order. Older daemons do not say.
  public var warningsInKorean: [String]?

  /// Who a device is.
  public struct DeviceSummary: Codable, Hashable, Sendable {
    /// 28 characters in four groups of seven, the last two of which check the others.
    public let id: String
    /// What people call it.
    public let name: String
    /// The incarnation of its store.
    public let replica: String
    /// What an app passes to the store as `appAccountToken` when it buys, so that this device may spend what was bought.
    public let accountToken: String
    /// Which store's purchases count.
    public let environment: String
    /// The app whose purchases these are.
    public let bundleId: String
  }

  /// Which devices belong together.
  public struct GroupSummary: Codable, Hashable, Sendable {
    /// 32 hexadecimal digits.
    public let id: String
    /// How many devices it has, with this one.
    public let members: Int
  }
}

/// Another device of the group, as seen from this one.
public struct PeerAnswer: Codable, Hashable, Sendable {
  /// Its id.
  public let device: String
  /// What people call it.
  public let name: String
  /// Where it was last known to listen.
  @Nullable public var address: String?
  /// Whether data flows now.
  public let connected: Bool
  /// Who of the two dialled: `this` device or the `peer`, which shows that it can reach this one. Null while they are not connected.
  @Nullable public var dialledBy: String?
  /// Whether both are known to hold all that either holds.
  public let inSync: Bool
  /// When something last came from it, by the clock of the device that answers; null before the first time.
  @Nullable public var lastSeen: Instant?
  /// By how many milliseconds its clock is ahead of this device's (negative: behind), as measured when the two last
  /// compared clocks; null while they are not connected.
  @Nullable public var clockSkew: Int64?
  /// The version of its program; null while they are not connected.
  @Nullable public var program: String?
}

/// The cover of one line: what renewals extend.
public struct LineAnswer: Codable, Hashable, Sendable {
  /// The name that its products share.
  public let id: String
  /// Whether it is covered now.
  public let active: Bool
  /// When the last run ends, or an explicit date ended.
  @Nullable public var expires: Instant?
  /// Begun days until the present run ends: 1 in the last 24 hours, 0 when inactive.
  public let daysRemaining: Int
  /// The coverage history.
  public let runs: [Run]

  /// An unbroken stretch of cover, from its start up to but without its end.
  public struct Run: Codable, Hashable, Sendable {
    /// When it begins.
    public let start: Instant
    /// When it ends.
    public let end: Instant
    /// The transactions that make it.
    public let transactions: [String]
  }
}

/// One entitlement.
public struct EntitlementAnswer: Codable, Hashable, Sendable {
  /// The name that products and grants give it.
  public let id: String
  /// Whether it holds.
  public let active: Bool
  /// When it ends or ended; null when it has no end or never held.
  @Nullable public var expires: Instant?
  /// When what has a date ends to hold it without a break: of a line the end of its present run, and beside credits, which have no
  /// date, that of the rest. Null when nothing dated holds it, and when something holds it for good.
  @Nullable public var presentEnd: Instant?
  /// What decides it, in a few words.
  public let because: String
  /// The same for programs.
  public let reasons: [ReasonAnswer]
}

/// One of the reasons for which an entitlement holds or does not.
public struct ReasonAnswer: Codable, Hashable, Sendable {
  /// See ``Reason/Kind``.
  public let kind: String
  /// Of the product, credit, grant or line; null where it is nothing.
  @Nullable public var id: String?
  /// How much of a credit is left; null for everything else.
  @Nullable public var left: Int64?
}

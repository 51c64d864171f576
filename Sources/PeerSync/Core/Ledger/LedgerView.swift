/// What follows from a ledger's facts at one instant. Every list is in byte order of its ids.
public struct LedgerView: Equatable, Sendable {
  /// The lines that a product or an explicit date names.
  public let lines: [LineView]
  /// The auto-renewable subscriptions, by original transaction.
  public let subscriptions: [SubscriptionView]
  /// The entitlements that a product or a standing grant names.
  public let entitlements: [EntitlementView]
  /// The non-consumable products bought and not taken back.
  public let purchased: [String]
  /// The credits that a product names.
  public let credits: [CreditView]
  /// When a line, a subscription or an entitlement next begins or ends by itself; nil when none will.
  public let nextChange: Instant?
}

/// The cover of one line.
public struct LineView: Equatable, Sendable {
  /// The name that its products share.
  public let id: String
  /// Whether a run covers the present.
  public let active: Bool
  /// When the last run ends or an explicit date ended; nil when there never was any.
  public let expires: Instant?
  /// Days until the present run ends, begun ones counted in full: 1 in the last 24 hours, 0 when inactive [B18].
  public let daysRemaining: Int
  /// The coverage history.
  public let runs: [Run]
}

/// One entitlement.
public struct EntitlementView: Equatable, Sendable {
  /// The name that products and grants give it.
  public let id: String
  /// Whether it holds.
  public let active: Bool
  /// When it ends or ended; nil when it has no end, or never held.
  public let expires: Instant?
  /// When what has a date ends to hold it without a break: of a line the end of its present run, and beside credits, which have no
  /// date, that of the rest. Nil when nothing dated holds it, and when something holds it for good.
  public let presentEnd: Instant?
  /// What decides it; beside credits, what holds it the longest of the rest as well.
  public let reasons: [Reason]
  /// The same in a few words; when it ends stands beside it.
  public var because: String { reasons.map(\.description).joined(separator: "; ") }
}

/// One credit.
public struct CreditView: Equatable, Sendable {
  /// The name that products give it.
  public let id: String
  /// Credits left in the whole group, at least 0.
  public let balance: Int64
  /// Credits spent that were refunded afterwards: the next purchase pays them first.
  public let debt: Int64
  /// Who holds rights to it, in the order of the holders. Nobody with none.
  public let shares: [CreditShare]
}

/// What one holder holds of a credit.
public struct CreditShare: Hashable, Sendable {
  /// An incarnation of a device's store, or nobody yet.
  public let holder: CreditHolder
  /// What it may spend or give away; less than nothing when it spent what was refunded since, or when what it was given
  /// is not known here yet.
  public let rights: Int64
}

/// The proof of an entitlement: everything that was looked at, and how it counted.
public struct Why: Equatable, Sendable {
  /// The answer.
  public let entitlement: EntitlementView
  /// The lines that give it.
  public let lines: [LineProof]
  /// The subscriptions to products that give it.
  public let subscriptions: [SubscriptionView]
  /// Transactions of products that give it otherwise: for good, by credits or as subscriptions.
  public let purchases: [TransactionProof]
  /// The credits that give it while any are left.
  public let credits: [CreditView]
  /// Every grant of it ever made, by id.
  public let grants: [GrantProof]
  /// Transactions of this app and environment whose product no catalogue knows, or gives a type: they might give it [B22].
  public let unknown: [TransactionProof]
}

/// How a line came to its expiry.
public struct LineProof: Equatable, Sendable {
  /// The line's name.
  public let line: String
  /// The explicit date, if one was written.
  public let register: ExpirationRegister?
  /// When the explicit date was written, by its writer's clock.
  public let written: Instant?
  /// The purchases in the order of the fold.
  public let steps: [TransactionProof]
  /// The runs they make.
  public let runs: [Run]
  /// When cover ends; nil when there never was any.
  public let expires: Instant?
}

/// How one transaction counted.
public struct TransactionProof: Equatable, Sendable {
  /// The transaction.
  public let record: TransactionRecord
  /// How it counted.
  public let counted: Counted
  /// What it contributes, such as `+3 months`; empty when nothing.
  public let contribution: String
  /// Where its run ended after it; nil when it belongs to none.
  public let end: Instant?
  /// Since when the entry of the catalogue counts that says so; nil: for all purchases, or none says so.
  public let entryFrom: Instant?
}

/// One grant, and whether it counts.
public struct GrantProof: Equatable, Sendable {
  /// Its id.
  public let id: String
  /// What was decided last.
  public let grant: Grant
  /// False when it was taken back or the store revoked the transaction it stands for. Its end is another matter.
  public let stands: Bool

  package init(id: String, grant: Grant, stands: Bool) {
    self.id = id
    self.grant = grant
    self.stands = stands
  }
}

extension Counted {
  /// How it counted, for programs.
  public enum Kind: String, CaseIterable, Sendable {
    /// It gave time: it began a run of cover, or prolonged one.
    case startedRun, joinedRun
    /// A refund left a part of it, or nothing.
    case prorated, revoked
    /// Its time lies within that of others.
    case covered
    /// It counts for nothing here: no catalogue says what was bought, nobody that is trusted has signed it, or it is of another
    /// environment.
    case unknownProduct, unverified, environmentMismatch
    /// It is bought for good.
    case owned
    /// It buys credits, is a period of a subscription, or gave way to an upgrade.
    case credits, subscription, upgraded
  }

  /// See ``Kind``.
  public var kind: Kind {
    switch self {
    case .startedRun: .startedRun
    case .joinedRun: .joinedRun
    case .prorated: .prorated
    case .revoked: .revoked
    case .covered: .covered
    case .unknownProduct: .unknownProduct
    case .unverified: .unverified
    case .environmentMismatch: .environmentMismatch
    case .owned: .owned
    case .credits: .credits
    case .subscription: .subscription
    case .upgraded: .upgraded
    }
  }

  /// Days that are left, or credits bought; nil for everything else.
  public var amount: Int64? {
    switch self {
    case .prorated(let days): Int64(days)
    case .credits(let count): count
    default: nil
    }
  }

  /// Until when a subscription is paid; nil for everything else.
  public var until: Instant? {
    guard case .subscription(let until) = self else { return nil }
    return until
  }
}

extension Counted: CustomStringConvertible {
  /// How it counted, in a few words.
  public var description: String {
    switch self {
    case .startedRun: "started a run"
    case .joinedRun: "joined the run"
    case .prorated(let days): "refunded in part, \(days) days left"
    case .revoked: "refunded or revoked"
    case .covered: "covered by the explicit date"
    case .unknownProduct: "unknown product or period"
    case .unverified: "unverified"
    case .environmentMismatch: "of another environment or app"
    case .owned: "bought for good"
    case .credits(let count): "bought \(count) credits"
    case .subscription(let until): "subscribed until \(until)"
    case .upgraded: "replaced by an upgrade"
    }
  }
}

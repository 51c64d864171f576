extension Transaction {
  /// What the store says of having taken a purchase back. The fields are Apple's; each may be stated without the others, and
  /// without a date nothing was taken back.
  package struct Revocation: Hashable, Sendable {
    /// When the store took it back; nil while it has not.
    package var date: Instant?
    /// Apple's code: 0 for another reason, 1 for an issue within the app; 0 to 255.
    package var reason: Int?
    /// How it was taken back; nil counts as in full.
    package var type: RevocationType?
    /// The part taken back in milliunits, 0 to 100,000; nil counts as all.
    package var percentage: Int?

    /// Nothing.
    package init() {}

    /// A refund of the customer's money.
    ///
    /// - Parameter milliunits: the part that stays; nil: nothing stays
    package init(refundedAt date: Instant, keeping milliunits: Int? = nil) {
      self.date = date
      reason = 0
      type = milliunits == nil ? .refundFull : .refundProrated
      percentage = milliunits.map { wholeMilliunits - $0 }
    }

    /// Whether the purchase is taken back, in whole or in part.
    var isInForce: Bool { date != nil }

    /// What it leaves of the purchase. A prorated refund that states no percentage counts as full.
    var refund: Refund {
      guard isInForce else { return .none }
      guard type == .refundProrated, let percentage else { return .full }
      let kept = wholeMilliunits - min(max(percentage, 0), wholeMilliunits)
      return kept > 0 ? .prorated(keeping: kept) : .full
    }
  }

  /// When the store took it back; nil while it has not.
  public var revocationDate: Instant? {
    get { revocation.date }
    set { revocation.date = newValue }
  }
  /// Apple's code: 0 for another reason, 1 for an issue within the app; 0 to 255.
  public var revocationReason: Int? {
    get { revocation.reason }
    set { revocation.reason = newValue }
  }
  /// How it was taken back; nil counts as in full.
  public var revocationType: RevocationType? {
    get { revocation.type }
    set { revocation.type = newValue }
  }
  /// The part taken back in milliunits, 0 to 100,000; nil counts as all.
  public var revocationPercentage: Int? {
    get { revocation.percentage }
    set { revocation.percentage = newValue }
  }

  /// What a refund leaves of it. A prorated refund that states no percentage counts as full.
  public var refund: Refund { revocation.refund }

  /// Makes it the snapshot by which the store takes the purchase back.
  ///
  /// - Parameters:
  ///   - signed: when the store signs it; nil: at the same time
  ///   - milliunits: the part that stays; nil: nothing stays
  package mutating func refund(at date: Instant, signed: Instant? = nil, keeping milliunits: Int? = nil) {
    signedDate = signed ?? date
    revocation = Revocation(refundedAt: date, keeping: milliunits)
  }
}

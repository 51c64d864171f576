/// One transaction of a subscription: the period that it paid for, as much of it as the fold needs.
struct SubscriptionPeriod: Sendable {
  /// What became of a transaction.
  enum Standing: Sendable {
    /// It gives access until its end.
    case stands
    /// An upgrade replaced it [C33].
    case upgraded
    /// The store took it back, all or a part of it.
    case revoked(SubscriptionRevocation)
  }

  /// The store's transaction id.
  let id: Name
  let product: Name
  let start: Instant
  /// Nil where the store states none: it gives no access.
  let end: Instant?
  let signed: Instant
  let standing: Standing
  let offer: StoreOffer?
  let isFamilyShared: Bool
  /// Whether the customer paid for it: no free trial, and not shared by the family.
  let isPaid: Bool

  init(_ transaction: Transaction) {
    id = Name(transaction.transactionId)
    product = Name(transaction.productId)
    start = transaction.purchaseDate
    end = transaction.expiresDate
    signed = transaction.signedDate
    offer = transaction.offer
    isFamilyShared = transaction.ownership == .familyShared
    isPaid = !isFamilyShared && transaction.offer?.payment != .freeTrial && transaction.price != 0
    if let date = transaction.revocationDate {
      standing = .revoked(SubscriptionRevocation(date: date, type: transaction.revocationType ?? .refundFull))
    } else {
      standing = transaction.isUpgraded ? .upgraded : .stands
    }
  }

  /// Whether it can give access at all.
  var stands: Bool {
    if case .stands = standing { end != nil } else { false }
  }

  /// Whether an upgrade replaced it.
  var isUpgraded: Bool {
    if case .upgraded = standing { true } else { false }
  }

  /// Set when the store took it back.
  var revocation: SubscriptionRevocation? {
    if case .revoked(let revocation) = standing { revocation } else { nil }
  }

  /// The order of starts.
  func precedes(_ other: SubscriptionPeriod) -> Bool {
    start != other.start ? start < other.start : id < other.id
  }

  /// The order of ends: the last to end decides [A5].
  func endsBefore(_ other: SubscriptionPeriod) -> Bool {
    let (mine, theirs) = (end ?? start, other.end ?? other.start)
    return mine != theirs ? mine < theirs : precedes(other)
  }
}

/// What decides whether an entitlement holds.
public enum Reason: Hashable, Sendable {
  /// Nothing that was bought or granted gives it, if there is any.
  case nothing
  /// This product is bought for good.
  case bought(String)
  /// So much of this credit is left.
  case credit(String, left: Int64)
  /// A grant under this id stands.
  case granted(String)
  /// The last grant to end had this id.
  case grantEnded(String)
  /// This line is covered.
  case covered(String)
  /// This line is covered again later.
  case uncovered(String)
  /// This line ended.
  case lineEnded(String)
  /// All cover of this line was taken away by hand, and nothing has come since.
  case setToNone(String)
  /// A subscription to this product runs.
  case subscribed(String)
  /// A subscription to this product could not be billed, and its grace period runs.
  case gracePeriod(String)
  /// The last subscription, to this product, ended.
  case subscriptionEnded(String)

  /// What kind it is, for programs.
  public enum Kind: String, CaseIterable, Sendable {
    case nothing, bought, credit, granted, grantEnded, covered, uncovered, lineEnded, subscribed, gracePeriod
    case subscriptionEnded, setToNone
  }

  /// See ``Kind``.
  public var kind: Kind {
    switch self {
    case .nothing: .nothing
    case .bought: .bought
    case .credit: .credit
    case .granted: .granted
    case .grantEnded: .grantEnded
    case .covered: .covered
    case .uncovered: .uncovered
    case .lineEnded: .lineEnded
    case .setToNone: .setToNone
    case .subscribed: .subscribed
    case .gracePeriod: .gracePeriod
    case .subscriptionEnded: .subscriptionEnded
    }
  }

  /// Of the product, credit, grant or line; nil where it is nothing.
  public var id: String? {
    switch self {
    case .nothing: nil
    case .bought(let id), .credit(let id, _), .granted(let id), .grantEnded(let id), .covered(let id),
      .uncovered(let id), .lineEnded(let id), .subscribed(let id), .gracePeriod(let id),
      .subscriptionEnded(let id), .setToNone(let id):
      id
    }
  }

  /// How much of a credit is left; nil for everything else.
  public var left: Int64? {
    guard case .credit(_, let left) = self else { return nil }
    return left
  }
}

extension Reason: CustomStringConvertible {
  /// In a few words.
  public var description: String {
    switch self {
    case .nothing: "nothing bought or granted gives it now"
    case .bought(let product): "\(product) is bought"
    case .credit(let credit, let left): "\(left) of credit \(credit) left"
    case .granted(let id): "granted as \(id)"
    case .grantEnded(let id): "grant \(id) ended"
    case .covered(let line): "line \(line) is covered"
    case .uncovered(let line): "line \(line) is not covered at present"
    case .lineEnded(let line): "line \(line) ended"
    case .setToNone(let line): "the date of line \(line) was set to none"
    case .subscribed(let product): "subscription \(product) runs"
    case .gracePeriod(let product): "subscription \(product) is in its grace period"
    case .subscriptionEnded(let product): "subscription \(product) ended"
    }
  }
}

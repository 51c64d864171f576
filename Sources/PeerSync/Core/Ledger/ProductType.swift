/// What kind of in-app purchase a product is.
public enum ProductType: String, Hashable, Sendable, CaseIterable {
  /// Used up, such as five credits.
  case consumable = "consumable"
  /// Bought once, kept for good.
  case nonConsumable = "nonConsumable"
  /// Lasts for a time that the store does not know; renewals add up.
  case nonRenewingSubscription = "nonRenewingSubscription"
  /// Renewed by the store, which says when it ends.
  case autoRenewableSubscription = "autoRenewableSubscription"

  /// Reads the `type` of Apple's `JWSTransactionDecodedPayload` (`Non-Renewing Subscription`) or of an Xcode
  /// `.storekit` file (`NonRenewingSubscription`, `RecurringSubscription`); nil for anything else.
  public init?(appleName: String) {
    switch appleName {
    case "Consumable": self = .consumable
    case "Non-Consumable", "NonConsumable": self = .nonConsumable
    case "Non-Renewing Subscription", "NonRenewingSubscription": self = .nonRenewingSubscription
    case "Auto-Renewable Subscription", "RecurringSubscription": self = .autoRenewableSubscription
    default: return nil
    }
  }

  /// The `type` of Apple's `JWSTransactionDecodedPayload`.
  package var appleName: String {
    switch self {
    case .consumable: "Consumable"
    case .nonConsumable: "Non-Consumable"
    case .nonRenewingSubscription: "Non-Renewing Subscription"
    case .autoRenewableSubscription: "Auto-Renewable Subscription"
    }
  }

  /// Whether the store brings a purchase of it to all devices of the account.
  package var isRestorable: Bool { self == .nonConsumable || self == .autoRenewableSubscription }

  /// The byte that stands for it in values.
  var code: UInt8 {
    switch self {
    case .consumable: 1
    case .nonConsumable: 2
    case .nonRenewingSubscription: 3
    case .autoRenewableSubscription: 4
    }
  }

  init(code: UInt8) throws(WireError) {
    guard let type = ProductType.allCases.first(where: { $0.code == code }) else { throw .malformed }
    self = type
  }
}

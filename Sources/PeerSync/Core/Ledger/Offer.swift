/// What buying a product would do.
public struct Offer: Hashable, Sendable {
  /// What to write on the button.
  public enum Action: String, Hashable, Sendable, CaseIterable {
    /// Nothing of it holds now.
    case buy = "buy"
    /// It holds now, and a purchase prolongs it.
    case renew = "renew"
    /// It is bought for good.
    case owned = "owned"
  }

  /// The product.
  public let product: Product
  /// What to write on the button.
  public let action: Action
  /// What the line's expiry would become; nil when the product extends none.
  public let expires: Instant?

  package init(product: Product, action: Action, expires: Instant?) {
    self.product = product
    self.action = action
    self.expires = expires
  }
}

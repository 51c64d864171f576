/// What a device's user wants to buy.
public struct PurchaseOrder: Hashable, Sendable {
  /// The id of the product.
  public let product: String
  /// How many units, 1 to ``Limits/quantity``.
  public let quantity: Int
  /// When; nil: now, in trusted time.
  public let date: Instant?
  /// The id of an offer at whose price it is bought. Only sandbox stores of their own process have any.
  public let offer: String?

  /// Makes an order.
  public init(_ product: String, quantity: Int = 1, at date: Instant? = nil, offer: String? = nil) {
    self.product = product
    self.quantity = quantity
    self.date = date
    self.offer = offer
  }
}

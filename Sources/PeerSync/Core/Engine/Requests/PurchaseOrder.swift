/// What a device's user wants to buy.
package struct PurchaseOrder: Hashable, Sendable {
  package let product: String
  /// How many units, 1 to ``Limits/quantity``.
  package let quantity: Int
  /// When; nil: now, in trusted time.
  package let date: Instant?
  /// The id of an offer at whose price it is bought. Only sandbox stores of their own process have any.
  package let offer: String?

  package init(_ product: String, quantity: Int = 1, at date: Instant? = nil, offer: String? = nil) {
    self.product = product
    self.quantity = quantity
    self.date = date
    self.offer = offer
  }
}

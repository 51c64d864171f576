import PeerSyncCore

extension SandboxSubscription {
  /// What reduces its price, and what could.
  package struct Offers: Codable, Hashable, Sendable {
    /// The offer that was last taken up.
    package private(set) var offer: SandboxOffer?
    /// The product that it is of.
    package private(set) var offerProductId: String?
    /// Payments that are still to come at its price.
    package private(set) var offerPeriodsLeft = 0
    /// The offer that comes after it.
    package private(set) var nextOffer: SandboxOffer?
    /// Once it is over: the win-back offers that the customer may have, the best first; nil: none.
    package var winBackOffers: [String]?

    /// The offer at whose price a product is sold next.
    func coming(for product: String) -> SandboxOffer? {
      guard let offerProductId, Name(offerProductId) == Name(product) else { return nil }
      return offerPeriodsLeft > 0 ? offer : nextOffer
    }

    /// Sets at whose price the next payments are made.
    mutating func take(
      _ offer: SandboxOffer?, of product: String, payments: Int, then next: SandboxOffer? = nil
    ) {
      (self.offer, offerProductId) = (offer, offer == nil ? nil : product)
      (offerPeriodsLeft, nextOffer) = (offer == nil ? 0 : payments, next)
    }

    /// Takes up the coming offer for one payment. Without one, what was left of another is gone.
    mutating func useComing(for product: String) {
      let coming = coming(for: product)
      if coming != nil, offerPeriodsLeft > 0 {
        offerPeriodsLeft -= 1
      } else {
        take(coming, of: product, payments: (coming?.payments ?? 1) - 1)
      }
    }
  }
}

import PeerSyncCore

/// One purchase or renewal as the sandbox store knows it.
package struct SandboxTransaction: Codable, Hashable, Sendable {
  /// How the store took it back.
  package struct Revocation: Codable, Hashable, Sendable {
    package let date: Instant
    package let type: RevocationType
    /// Apple's code: 0 for another reason, 1 for an issue within the app.
    package let reason: Int
    /// The part taken back, in milliunits; nil: all.
    package let percentage: Int?
  }

  package let id: UInt64
  /// The first one of the subscription, or itself.
  package let original: UInt64
  package let account: String
  package let bundleId: String
  package let productId: String
  package let type: ProductType
  package let group: String?
  package let purchaseDate: Instant
  package let originalPurchaseDate: Instant
  package let expires: Instant?
  package let quantity: Int
  /// For all units, in thousandths of the currency's unit.
  package let price: Int64
  package let currency: String
  package let ownership: Ownership
  /// The purchase in the family that it shares.
  package let sharedFrom: UInt64?
  package let isRenewal: Bool
  /// How the offer was paid that reduced its price.
  package let offer: StoreOffer.Payment?
  /// The kind of that offer; nil: introductory.
  package var offerKind: StoreOffer.Kind?
  package var offerId: String?
  package var offerPeriod: Period?
  /// The device that bought it; nil: whichever device of the account asks first.
  package let device: String?
  package let token: String?

  package var revocation: Revocation?
  package var isUpgraded = false
  package var isFinished = false
  /// When this snapshot was signed. Each is later than the one before.
  package var signed: Instant
  /// The revision of the store at which it last changed.
  package var revision: UInt64

  /// The id of the order, as receipts show it.
  package var orderId: String { "M" + String(id, radix: 36, uppercase: true) }

  /// The transaction of an order's id; nil for what is none.
  package static func id(ofOrder text: String) -> UInt64? {
    guard text.hasPrefix("M"), text.utf8.count <= 16 else { return nil }
    return UInt64(text.dropFirst(), radix: 36)
  }
}

import PeerSyncCore

/// What becomes of purchases.
package enum SandboxMood: String, Codable, Hashable, Sendable, CaseIterable {
  /// They go through.
  case succeed = "succeed"
  /// The payment is refused.
  case fail = "fail"
  /// The customer changes his mind.
  case cancel = "cancel"
  /// They wait until somebody approves (Ask to Buy) [C39].
  case ask = "ask"
}

/// A customer of the sandbox store: an Apple ID.
package struct SandboxAccount: Codable, Hashable, Sendable {
  package let id: String
  /// Those of one family share what is shareable.
  package var family: String?
  /// What becomes of its purchases; nil: what becomes of everybody's.
  package var mood: SandboxMood?
  /// What becomes of its next purchase; nil: the same.
  package var moodOnce: SandboxMood?
  /// Whether payments fail.
  package var isBillingFailing = false
  /// From when on payments fail.
  package var cardExpires: Instant?

  package init(id: String) { self.id = id }

  /// Whether a payment at a time goes through.
  func canPay(at time: Instant) -> Bool { !isBillingFailing && cardExpires.map { time < $0 } ?? true }
}

/// What somebody wants to buy.
package struct SandboxOrder: Codable, Hashable, Sendable {
  package var account: String
  /// The app in which it is bought.
  package var bundleId: String
  package var productId: String
  package var quantity: Int
  /// The device that buys; nil: none in particular.
  package var device: String?
  /// Apple's `appAccountToken`.
  package var token: String?
  /// When it was bought, for what does not renew; nil: now.
  package var date: Instant?
  /// The id of an offer; nil: none is asked for.
  package var offer: String?

  package init(
    account: String, bundleId: String, productId: String, quantity: Int = 1, device: String? = nil,
    token: String? = nil, date: Instant? = nil, offer: String? = nil
  ) {
    self.account = account
    self.bundleId = bundleId
    self.productId = productId
    self.quantity = quantity
    self.device = device
    self.token = token
    self.date = date
    self.offer = offer
  }

  /// Whether all of its texts are of a sensible length.
  var isWithinLimits: Bool {
    [account, bundleId, productId, device ?? "-", token ?? "-", offer ?? "-"]
      .allSatisfy { (1...Limits.textBytes).contains($0.utf8.count) }
  }
}

/// A purchase that waits for approval, or did.
package struct SandboxRequest: Codable, Hashable, Sendable {
  package enum State: String, Codable, Hashable, Sendable {
    case pending = "pending"
    case approved = "approved"
    case declined = "declined"
  }

  /// Counts from 1.
  package let id: UInt64
  package let order: SandboxOrder
  package let made: Instant
  package var state = State.pending
}

extension ProductType: Codable {}
extension Ownership: Codable {}
extension RevocationType: Codable {}

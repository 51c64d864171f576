import PeerSyncCore

/// A reduced price for some periods of an auto-renewable subscription, of any kind.
package struct SandboxOffer: Codable, Hashable, Sendable {
  /// How a customer stands to a group of subscriptions.
  package enum Customer: String, Codable, Hashable, Sendable, CaseIterable {
    /// Never had one of the group.
    case new = "new"
    /// Has one, or one whose payment is still tried.
    case existing = "existing"
    /// Had one.
    case expired = "expired"
  }

  package var kind: StoreOffer.Kind
  /// What it is asked for by; nil: introductory, which nobody has to ask for.
  package var id: String?
  package var mode: StoreOffer.Payment
  package var period: Period
  /// Periods at the reduced price, 1 to ``Limits/sandboxOfferPeriods``.
  package var periods: Int
  /// In thousandths of the currency's unit.
  package var price: Int64
  /// For whom it is, in the order of the cases.
  package var customers: [Customer]
  /// Whether a new customer has the introductory offer first, and then this one.
  package var isStackable: Bool
  /// How long the subscription must have been over; nil: not at all.
  package var wait: Period?

  /// - Parameter customers: who may redeem a code; nil or empty: everybody. Of the other kinds the kind says it.
  package init(
    _ kind: StoreOffer.Kind, id: String? = nil, mode: StoreOffer.Payment, period: Period, periods: Int = 1,
    price: Int64 = 0, customers: [Customer]? = nil, isStackable: Bool = false, wait: Period? = nil
  ) {
    self.kind = kind
    self.id = id
    self.mode = mode
    self.period = period
    self.periods = min(max(periods, 1), Limits.sandboxOfferPeriods)
    self.price = mode == .freeTrial ? 0 : min(max(price, 0), Limits.sandboxPrice)
    let allowed = kind.customers ?? customers.flatMap { $0.isEmpty ? nil : $0 } ?? Customer.allCases
    self.customers = Customer.allCases.filter(allowed.contains)
    self.isStackable = isStackable
    self.wait = wait
  }

  /// Payments at the reduced price.
  package var payments: Int { mode == .payAsYouGo ? periods : 1 }
  /// Periods that one payment covers.
  package var periodsAtOnce: Int { mode == .payAsYouGo ? 1 : periods }
}

extension StoreOffer.Kind {
  /// For whom offers of this kind are; nil: each says it for itself.
  fileprivate var customers: [SandboxOffer.Customer]? {
    switch self {
    case .introductory: [.new]
    case .promotional: [.existing, .expired]
    case .winBack: [.expired]
    case .code, .other: nil
    }
  }
}

extension StoreOffer.Kind: Codable {}
extension StoreOffer.Payment: Codable {}

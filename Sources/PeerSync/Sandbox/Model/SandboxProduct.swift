import PeerSyncCore

/// What the sandbox store sells.
package struct SandboxProduct: Codable, Hashable, Sendable {
  package let id: String
  /// What customers see it called, in the language of the file that says so; nil: no file does.
  package var name: String?
  package var type: ProductType
  /// How long one period of an auto-renewable subscription lasts.
  package var period: Period?
  /// In thousandths of the currency's unit.
  package var price: Int64
  package var currency: String
  /// The group within which subscriptions replace each other; its own id where no file names one.
  package var group: String
  /// The place in its group: 1 is the best, which others upgrade to.
  package var rank: Int
  package var isFamilyShareable: Bool
  /// At most ``Limits/sandboxOffers``; no two have one id.
  package var offers: [SandboxOffer]
  /// Whether nobody can buy it any more, nor have it renewed.
  package var isWithdrawn = false

  package init(
    id: String, name: String? = nil, type: ProductType, period: Period? = nil, price: Int64 = 0,
    currency: String = "USD",
    group: String? = nil, rank: Int = 1, isFamilyShareable: Bool = false, offers: [SandboxOffer] = []
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.period = period
    self.price = min(max(price, 0), Limits.sandboxPrice)
    self.currency = currency
    self.group = group ?? id
    self.rank = rank
    self.isFamilyShareable = isFamilyShareable
    self.offers = Array(offers.prefix(Limits.sandboxOffers))
  }

  /// What people call it, with its id where that is something else.
  package var called: String { name.flatMap { $0 == id ? nil : "\($0) (\(id))" } ?? id }

  /// What a new subscriber gets without asking.
  package var introductory: SandboxOffer? { offers.first { $0.kind == .introductory } }
}

extension SandboxProduct {
  /// The one offer that a store of before has kept.
  private struct Introductory: Decodable {
    let mode: StoreOffer.Payment
    let period: Period
    let periods: Int
    let price: Int64
  }

  private enum OldKeys: String, CodingKey { case introductory }

  package init(from decoder: any Decoder) throws {
    let kept = try decoder.container(keyedBy: CodingKeys.self)
    let old = try decoder.container(keyedBy: OldKeys.self)
    id = try kept.decode(String.self, forKey: .id)
    name = try kept.decodeIfPresent(String.self, forKey: .name)
    type = try kept.decode(ProductType.self, forKey: .type)
    period = try kept.decodeIfPresent(Period.self, forKey: .period)
    price = try kept.decode(Int64.self, forKey: .price)
    currency = try kept.decode(String.self, forKey: .currency)
    group = try kept.decode(String.self, forKey: .group)
    rank = try kept.decode(Int.self, forKey: .rank)
    isFamilyShareable = try kept.decode(Bool.self, forKey: .isFamilyShareable)
    isWithdrawn = try kept.decode(Bool.self, forKey: .isWithdrawn)
    let introductory = try old.decodeIfPresent(Introductory.self, forKey: .introductory).map {
      SandboxOffer(.introductory, mode: $0.mode, period: $0.period, periods: $0.periods, price: $0.price)
    }
    offers =
      try kept.decodeIfPresent([SandboxOffer].self, forKey: .offers) ?? [introductory].compactMap(\.self)
  }
}

import PeerSyncCore
import PeerSyncSandbox

/// A reduced price that the sandbox store of a story sells a subscription at.
package struct ScenarioOffer: Hashable, Sendable {
  package let kind: StoreOffer.Kind
  package let product: String
  /// What it is asked for by; nil: introductory.
  package let id: String?
  package let payment: StoreOffer.Payment
  package var periods = 1
  /// How long one of them is; nil: as long as one of the subscription.
  package var period: Period?
  /// In thousandths of the currency's unit.
  package var price: Int64 = 0
  /// Who may redeem a code; empty: everybody.
  package var customers: [SandboxOffer.Customer] = []
  /// How long the subscription must have been over.
  package var wait: Period?

  package init(_ kind: StoreOffer.Kind, of product: String, id: String?, _ payment: StoreOffer.Payment) {
    self.kind = kind
    self.product = product
    self.id = id
    self.payment = payment
  }

  fileprivate func offer(period: Period) -> SandboxOffer {
    SandboxOffer(
      kind, id: id, mode: payment, period: self.period ?? period, periods: periods, price: price,
      customers: customers,
      wait: wait)
  }
}

extension ScenarioVerb {
  static let offerUsage = """
    offer introductory|promotional|code|winBack of PRODUCT [as ID] PAYMENT [periods N [of PERIOD]] \
    [price PRICE] [for new,existing,expired] [after PERIOD]
    """

  static func offer(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let kind: StoreOffer.Kind = try choice("a kind", &words)
    guard kind != .other else {
      throw words.unexpected("introductory, promotional, code or winBack", "other")
    }
    try words.require("of")
    let product = try words.word("a product")
    let id = try words.option("as", "an id")
    guard (id == nil) == (kind == .introductory) else {
      throw words.failure(
        id == nil ? "expected `as`: it is asked for by an id" : "nobody asks for it: expected no `as`",
        id == nil ? "ID로 요청하는 혜택이어서 `as` 낱말이 있어야 합니다" : "아무도 요청하지 않는 혜택이어서 `as` 낱말이 없어야 합니다")
    }
    let payment = try payment(&words)
    guard payment != .oneTime else {
      throw words.failure(
        "a subscription is not paid once",
        "구독은 한 번에 결제하지 않습니다")
    }
    var offer = ScenarioOffer(kind, of: product, id: id, payment)
    if words.skip("periods") {
      offer.periods = Int(try words.number("periods", in: 1...Int64(Limits.sandboxOfferPeriods)))
      if words.skip("of") { offer.period = try words.period() }
    }
    if words.skip("price") {
      guard payment != .freeTrial else {
        throw words.failure(
          "a free trial has no price",
          "무료 체험에는 가격이 없습니다")
      }
      offer.price = try words.price()
    }
    if words.skip("for") { offer.customers = try customers(kind, &words) }
    if words.skip("after") {
      guard kind == .winBack else {
        throw words.failure(
          "only who was away can be waited for",
          "떠났던 구독자만 기다릴 수 있습니다")
      }
      offer.wait = try words.period()
    }
    return .offer(offer)
  }

  private static func customers(_ kind: StoreOffer.Kind, _ words: inout ScenarioWords) throws(ScenarioError)
    -> [SandboxOffer.Customer]
  {
    guard kind == .code else {
      throw words.failure(
        "whom it is for follows from its kind",
        "대상은 혜택의 종류로 정해집니다")
    }
    let text = try words.word("customers divided by commas")
    return try text.split(separator: ",", omittingEmptySubsequences: false).map {
      part throws(ScenarioError) in
      guard let customer = SandboxOffer.Customer(rawValue: String(part)) else {
        throw words.unexpected("new, existing or expired", String(part))
      }
      return customer
    }
  }
}

extension [ScenarioOffer] {
  /// Takes one more, as a story states it.
  ///
  /// - Parameters:
  ///   - products: those stated so far
  ///   - isOpen: whether there is a store already
  package mutating func state(_ offer: ScenarioOffer, of products: [Product], isOpen: Bool)
    throws(ScenarioProblem)
  {
    guard !isOpen else { throw ScenarioProblem("offers come before the store", "혜택은 스토어보다 먼저 나와야 합니다") }
    guard let product = products.last(where: { Name($0.id) == Name(offer.product) }) else {
      throw ScenarioProblem(
        "no product `\(offer.product)`: `product` or `catalogue` states it",
        "‘\(offer.product)’ 상품이 없습니다. `product` 또는 `catalogue` 줄로 정하세요")
    }
    guard SandboxProduct(product)?.period != nil else {
      throw ScenarioProblem(
        "`\(offer.product)` is not an auto-renewable subscription with a period",
        "‘\(offer.product)’ 상품은 기간이 있는 자동 갱신 구독이 아닙니다")
    }
    let own = filter { Name($0.product) == Name(offer.product) }
    guard !own.contains(where: { $0.id.map(Name.init) == offer.id.map(Name.init) }) else {
      throw ScenarioProblem(
        "`\(offer.product)` has \(offer.id.map { "an offer `\($0)`" } ?? "such an offer") already",
        "‘\(offer.product)’ 상품에 \(offer.id.map { "‘\($0)’" } ?? "그런") 혜택이 이미 있습니다")
    }
    guard own.count < Limits.sandboxOffers else {
      throw ScenarioProblem(
        "`\(offer.product)` has \(Limits.sandboxOffers) offers already",
        "‘\(offer.product)’ 상품에 이미 혜택이 \(Limits.sandboxOffers)개 있습니다")
    }
    append(offer)
  }
}

extension SandboxProduct {
  /// What the sandbox store of a story sells: the products that it can, with their offers.
  package static func all(of products: [Product], with offers: [ScenarioOffer]) -> [SandboxProduct] {
    products.byProduct.compactMap(\.last).compactMap { product in
      guard var sold = SandboxProduct(product), let period = sold.period else {
        return SandboxProduct(product)
      }
      sold.offers = offers.filter { Name($0.product) == Name(product.id) }.map { $0.offer(period: period) }
      return sold
    }
  }

  /// At 0.99 where the story names no price. Whatever a family can share it may. Nil for what nobody can sell: a subscription of
  /// which nobody says how long a period is.
  fileprivate init?(_ product: Product) {
    guard let type = product.type else { return nil }
    let isPlan = type == .autoRenewableSubscription
    guard !isPlan || product.period != nil else { return nil }
    self.init(
      id: product.id, type: type, period: isPlan ? product.period : nil,
      price: product.price.flatMap(Price.milliunits) ?? 990,
      group: isPlan ? product.subscriptionGroup : nil, rank: product.level ?? 1,
      isFamilyShareable: isPlan || type == .nonConsumable)
  }
}

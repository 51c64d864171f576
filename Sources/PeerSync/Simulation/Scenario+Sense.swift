import PeerSyncCore

// What can be wrong with a story as a whole.
extension Scenario {
  /// Refuses a story that expects nothing, and one that speaks of a product, a line, an entitlement or a credit that no line
  /// before has named: both can only be slips of the pen, and would hold whatever happens.
  ///
  /// - Throws: ``ScenarioError`` with the line
  package func requireSense() throws(ScenarioError) {
    var known = Known()
    for numbered in steps {
      do throws(ScenarioProblem) { try known.take(numbered.step) } catch {
        throw ScenarioError(file: file, line: numbered.line, problem: error)
      }
    }
    guard !steps.contains(where: \.step.expectsSomething) else { return }
    throw ScenarioError(
      file: file, line: max(steps.last?.line ?? 1, 1),
      problem: ScenarioProblem(
        "the story expects nothing: end it with a line such as `expect all same digest`",
        "스토리에 기대하는 것이 없습니다. `expect all same digest` 같은 줄로 끝내세요"))
  }

  /// What the lines up to here have named.
  private struct Known {
    private var products: Set<Name> = []
    /// Lines, entitlements and credits.
    private var others: Set<Name> = []

    mutating func take(_ step: ScenarioStep) throws(ScenarioProblem) {
      switch step {
      case .products(let products): state(products)
      case .buys(_, let purchase): try require(purchase.product)
      case .orders(_, let order): try require(order.product)
      case .buysItself(_, let order, _): try require(order.product)
      case .learns(_, let product): try require(product)
      case .offer(let offer): try require(offer.product)
      case .hears(_, let news): if let product = news.renewal?.product { try require(product) }
      case .sets(_, let line, _): others.insert(Name(line))
      case .grants(_, let entitlement, _), .revokes(_, let entitlement): others.insert(Name(entitlement))
      case .expect(.answer(_, .purchased(let products))): for product in products { try require(product) }
      case .expect(.answer(_, let answer)): if let id = answer.id { try requireOther(id) }
      case .expect(.sameDigest), .expect(.differ), .environment, .devices, .link, .offline, .online,
        .crash,
        .start, .clock, .wait, .settle, .joins, .calls, .store, .account, .restores, .demands, .gets,
        .refunds, .refundsItself,
        .unshared, .reverses, .upgraded, .spends, .reclaims, .accepts, .removes, .backup, .restore, .copy:
        break
      }
    }

    private mutating func state(_ stated: [Product]) {
      products.formUnion(stated.map { Name($0.id) })
      for product in stated {
        let named = [product.line, product.credit].compactMap(\.self) + (product.entitlements ?? [])
        others.formUnion(named.map(Name.init))
      }
    }

    private func require(_ product: String) throws(ScenarioProblem) {
      guard !products.contains(Name(product)) else { return }
      throw ScenarioProblem(
        "no product `\(product)`: `product` or `catalogue` states it, on a line before",
        "‘\(product)’ 상품이 없습니다. 그 앞의 줄에서 `product` 또는 `catalogue` 줄로 정하세요")
    }

    private func requireOther(_ id: String) throws(ScenarioProblem) {
      guard !others.contains(Name(id)) else { return }
      throw ScenarioProblem(
        "no line, entitlement or credit `\(id)`: no step before names it",
        "‘\(id)’ 이용 기간, 권한, 크레딧이 없습니다. 그 앞의 줄에 나오지 않습니다")
    }
  }
}

extension ScenarioStep {
  /// Whether it can fail for what a device answers.
  fileprivate var expectsSomething: Bool {
    switch self {
    case .expect: true
    case .spends(_, _, let refusal): refusal != nil
    case .restores(_, let restored): restored != nil
    case .orders(_, let order): order.outcome != .purchased
    case .demands(_, _, let outcome): outcome != .purchased
    case .environment, .products, .devices, .link, .offline, .online, .crash, .start, .clock, .wait,
      .settle,
      .joins, .calls, .learns, .offer, .store, .account, .buys, .buysItself, .gets, .refunds, .refundsItself,
      .unshared, .reverses,
      .upgraded,
      .hears, .reclaims, .accepts, .removes, .backup, .restore, .copy, .sets, .grants, .revokes:
      false
    }
  }
}

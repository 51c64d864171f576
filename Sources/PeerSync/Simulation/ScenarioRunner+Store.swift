import PeerSyncSandbox

// What happens in the sandbox store.
extension ScenarioRunner {
  mutating func openStore() throws {
    guard devices.isEmpty else {
      throw ScenarioProblem("the store comes before the devices", "스토어는 기기보다 먼저 나와야 합니다")
    }
    guard !hasStore else { throw ScenarioProblem("there is a store already", "스토어가 이미 있습니다") }
    guard environment == .sandbox else {
      throw ScenarioProblem("a store is for the sandbox environment alone", "스토어는 sandbox 환경에서만 씁니다")
    }
    try stage.openStore(selling: SandboxProduct.all(of: products, with: offers))
    hasStore = true
  }

  private func requireStore() throws(ScenarioProblem) {
    guard hasStore else {
      throw ScenarioProblem(
        "there is no store: `store` comes before the devices", "스토어가 없습니다. 기기보다 앞에 `store` 줄을 쓰세요")
    }
  }

  mutating func use(_ account: String, on names: [String]) async throws {
    try requireStore()
    for name in names {
      let device = try place(name)
      customers.use(account, on: name)
      try await stage.use(account, on: device)
    }
  }

  mutating func order(_ order: ScenarioOrder, on name: String) async throws {
    let device = try running(name)
    try requireStore()
    if let known = order.name { try requireUntaken(known, on: device) }
    let result = try await stage.order(order, on: device)
    customers.note(result, of: order, for: product(order.product), on: name)
    try require(order.outcome, result)
  }

  mutating func obey(_ demand: SandboxDemand, by name: String?, _ outcome: ScenarioOrder.Outcome) async throws
  {
    if let name { _ = try running(name) }
    try requireStore()
    let resolved = try customers.resolve(demand, among: devices)
    let result = try await stage.obey(resolved)
    customers.settle(resolved, result)
    if demand.verb.sells { try require(outcome, result) }
  }

  private mutating func require(
    _ expected: ScenarioOrder.Outcome, _ result: SandboxResult
  ) throws(ScenarioProblem) {
    outcome = result.outcome
    guard outcome != expected else { return }
    throw ScenarioProblem(
      "expected the purchase to be \(expected.rawValue), saw \(outcome?.rawValue ?? "nothing")",
      "구입의 결과로 기대한 것: ‘\(expected.rawValue)’, 실제: ‘\(outcome?.rawValue ?? "nothing")’")
  }

  func restore(_ expected: ScenarioRestored?, on name: String) async throws {
    let device = try running(name)
    try requireStore()
    let seen = try await stage.restore(device)
    guard expected == nil || expected == seen else {
      throw ScenarioProblem(
        "expected \(name) to restore \(expected?.description ?? ""), saw \(seen)",
        "‘\(name)’ 기기에서 복원되어야 하는 것: ‘\(expected?.description ?? "")’, 실제: ‘\(seen)’")
    }
  }
}

extension SandboxVerb {
  /// Whether something is bought by it, if all goes well.
  fileprivate var sells: Bool {
    switch self {
    case .buy, .redeem, .approve: true
    case .advance, .decline, .refund, .reverseRefund, .declineRefund, .requestConsumption, .turnOff, .turnOn,
      .raisePrice, .agree, .refuse, .failBilling, .fixBilling, .expireCard, .purchases, .grace, .share,
      .unshare, .withdraw, .offer, .testNotification:
      false
    }
  }
}

extension SandboxResult {
  fileprivate var outcome: ScenarioOrder.Outcome? {
    switch self {
    case .purchased: .purchased
    case .pending: .pending
    case .cancelled: .cancelled
    case .failed: .failed
    case .done, .notification: nil
    }
  }
}

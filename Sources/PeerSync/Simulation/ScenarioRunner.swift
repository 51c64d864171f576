import PeerSyncCore

/// Plays a scenario on a stage, in virtual time or by real processes: its verbs, what has to be so before each, and what is
/// said when that is not so.
package struct ScenarioRunner<Stage: ScenarioStage> {
  /// Where it is played.
  package let stage: Stage
  let file: String
  /// The names of the devices: the place of each is its number on the stage.
  private(set) var devices: [String] = []
  var environment = Environment.sandbox
  /// Products stated so far: devices that begin later know them.
  package private(set) var products: [Product] = []
  var offers: [ScenarioOffer] = []
  /// What was sold on a date, by a store of which the story knows nothing more.
  var store = ScenarioStore()
  /// Transactions of what devices bought from the stores that they simulate for themselves, by the story's names.
  var ownPurchases: [String: String] = [:]
  /// Whether there is a sandbox store.
  var hasStore = false
  var customers = ScenarioCustomers()
  /// What came of what the last step bought in the sandbox store, also where that was not as expected; nil: it bought nothing.
  package internal(set) var outcome: ScenarioOrder.Outcome?
  /// Where the story is.
  private var line = 0

  /// A scenario of which nothing has happened yet.
  package init(_ scenario: Scenario, on stage: Stage) {
    file = scenario.file
    self.stage = stage
  }

  /// Takes the next step of the scenario.
  ///
  /// - Throws: ``ScenarioError`` when it cannot be taken, or is not as expected
  package mutating func perform(_ numbered: Scenario.NumberedStep) async throws(ScenarioError) {
    line = numbered.line
    outcome = nil
    do {
      try await perform(numbered.step)
      if !numbered.step.isExpectation { try await stage.hearStore() }
    } catch { throw failure(stage.problem ?? explanation(of: error)) }
    try requireNoProblem()
  }

  /// Comes to the end of the scenario.
  package func finish() throws(ScenarioError) {
    do { try stage.finish() } catch { throw failure(explanation(of: error)) }
    try requireNoProblem()
  }

  /// The running devices, by number and name, in the order in which they began.
  package var runningDevices: [(device: Int, name: String)] {
    devices.indices.filter(stage.isRunning).map { ($0, devices[$0]) }
  }

  /// What was bought in the sandbox store, by the names that the story gives it.
  package var purchases: [NamedPurchase] { customers.named }

  private func requireNoProblem() throws(ScenarioError) {
    if let problem = stage.problem { throw failure(problem) }
  }

  private func failure(_ problem: ScenarioProblem) -> ScenarioError {
    ScenarioError(file: file, line: line, problem: problem)
  }

  private func explanation(of error: any Error) -> ScenarioProblem {
    error as? ScenarioProblem ?? stage.explain(error) ?? .quoted("\(error)")
  }

  // MARK: Names

  /// The device of a name.
  func place(_ name: String) throws(ScenarioProblem) -> Int {
    guard let device = devices.firstIndex(of: name) else {
      throw ScenarioProblem(
        "no device `\(name)`: `devices` names them", "‘\(name)’ 기기가 없습니다. `devices` 줄로 정하세요")
    }
    return device
  }

  /// The device of a name, which must be running.
  func running(_ name: String) throws(ScenarioProblem) -> Int {
    let device = try place(name)
    guard stage.isRunning(device) else {
      throw ScenarioProblem(
        "\(name) is not running: `start \(name)` comes first",
        "‘\(name)’ 기기가 실행 중이 아닙니다. `start \(name)` 줄을 먼저 쓰세요")
    }
    return device
  }

  private func requireNew(_ name: String) throws(ScenarioProblem) {
    guard !devices.contains(name) else {
      throw ScenarioProblem("there is a device `\(name)` already", "‘\(name)’ 기기가 이미 있습니다")
    }
  }

  // MARK: Steps

  private mutating func perform(_ step: ScenarioStep) async throws {
    switch step {
    case .environment(let environment): try set(environment)
    case .products(let products): self.products += products
    case .devices(let names): try await begin(names)
    case .link(let left, let right, let change): try await setLink(left, right, change)
    case .offline(let name): try await setOnline(false, name)
    case .online(let name): try await setOnline(true, name)
    case .crash(let name): try await stage.crash(running(name))
    case .start(let name): try await start(name)
    case .clock(let name, let offset): try await stage.setClock(place(name), offset: offset)
    case .wait(let duration): try await stage.wait(duration)
    case .settle: try await settle()
    case .joins(let name, let host): try await join(name, to: host)
    case .calls(let name, let other): try await call(other, from: name)
    case .learns(let name, let product): try await learn(name, product)
    case .offer(let offer): try offers.state(offer, of: products, isOpen: hasStore)
    case .store: try openStore()
    case .account(let account, let names): try await use(account, on: names)
    case .orders(let name, let order): try await self.order(order, on: name)
    case .restores(let name, let expected): try await restore(expected, on: name)
    case .demands(let demand, let name, let outcome): try await obey(demand, by: name, outcome)
    case .buysItself(let name, let order, let purchase): try await buy(order, as: purchase, on: name)
    case .refundsItself(let name, let purchase): try await refund(purchase, on: name)
    case .buys(let name, let purchase): try await buy(name, purchase)
    case .gets(let name, let purchase, let asBought):
      try await deliver(purchase, to: name, asBought: asBought)
    case .refunds(let name, let purchase, let date, let keeping):
      try await change(purchase, of: name, at: date) { $0.refund(at: date, keeping: keeping) }
    case .reverses(let name, let purchase, let date):
      try await change(purchase, of: name, at: date) { $0.reverseRefund() }
    case .unshared(let name, let purchase, let date):
      try await change(purchase, of: name, at: date) { $0.unshare() }
    case .upgraded(let name, let purchase, let date):
      try await change(purchase, of: name, at: date) { $0.isUpgraded = true }
    case .hears(let name, let news): try await tell(news, to: name)
    case .spends(let name, let spending, let refusal): try await spend(spending, on: name, refusal)
    case .accepts(let name): try await ask(.acceptTime, of: name)
    case .reclaims(let name, let credit, let fromLost):
      try await ask(fromLost ? .reclaimLost(credit: credit) : .reclaim(credit: credit), of: name)
    case .removes(let name, let other, let byKey, let takingBack):
      try await ask(.remove(place(other), byRecoveryKey: byKey, takingBack), of: name)
    case .backup(let name): try await stage.backUp(place(name))
    case .restore(let name, let isNoticed): try await setBack(name, isNoticed: isNoticed)
    case .copy(let name, let copy): try await self.copy(name, as: copy)
    case .sets(let name, let line, let date): try await ask(.setExpiration(line: line, date), of: name)
    case .grants(let name, let entitlement, let until):
      try await ask(.grant(entitlement: entitlement, until: until), of: name)
    case .revokes(let name, let entitlement): try await ask(.revoke(entitlement: entitlement), of: name)
    case .expect(let expectation): try await check(expectation)
    }
  }

  private mutating func set(_ environment: Environment) throws {
    guard devices.isEmpty, !hasStore else {
      throw ScenarioProblem(
        "the environment comes before the \(hasStore ? "store" : "devices")",
        "환경은 \(hasStore ? "스토어" : "기기")보다 먼저 나와야 합니다")
    }
    try stage.prepare(for: environment)
    self.environment = environment
  }

  // MARK: Devices

  private mutating func begin(_ names: [String]) async throws {
    for name in names {
      try requireNew(name)
      try await stage.begin(name, in: environment)
      devices.append(name)
      if !products.isEmpty { try await ask(.learn(products), of: name) }
      if name != names[0] { try await join(name, to: names[0]) }
    }
    try await settle()
  }

  private func start(_ name: String) async throws {
    let device = try place(name)
    guard !stage.isRunning(device) else {
      throw ScenarioProblem("\(name) is running already", "‘\(name)’ 기기가 이미 실행 중입니다")
    }
    try await stage.start(device)
  }

  private func setBack(_ name: String, isNoticed: Bool) async throws {
    guard try await stage.setBack(place(name), isNoticed: isNoticed) else {
      throw ScenarioProblem(
        "there is no backup of \(name): `backup \(name)` comes first",
        "‘\(name)’ 기기의 백업이 없습니다. `backup \(name)` 줄을 먼저 쓰세요")
    }
  }

  private mutating func copy(_ name: String, as copy: String) async throws {
    let device = try running(name)
    try requireNew(copy)
    try await stage.copy(device, as: copy)
    customers.copy(name, as: copy)
    devices.append(copy)
  }

  private func setLink(_ left: String, _ right: String, _ change: LinkChange) async throws {
    let ends = (try place(left), try place(right))
    guard ends.0 != ends.1 else {
      throw ScenarioProblem("a link has two ends, not \(left) twice", "링크의 두 끝이 모두 ‘\(left)’ 기기일 수 없습니다")
    }
    try await stage.setLink(ends.0, ends.1, change)
  }

  private func setOnline(_ isOnline: Bool, _ name: String) async throws {
    try require(await stage.setOnline(isOnline, running(name)), of: name)
  }

  private func settle() async throws {
    guard try await stage.settle() else {
      let seen = standing(try await digests())
      throw ScenarioProblem(
        "expected devices that can reach each other to agree, saw \(seen)",
        "서로 연결할 수 있는 기기가 일치해야 하는데 다릅니다: ‘\(seen)’")
    }
  }

  private func call(_ other: String, from name: String) async throws {
    let device = try running(name)
    try await stage.call(place(other), from: device)
  }

  private func join(_ name: String, to host: String) async throws {
    let (device, inviter) = (try running(name), try running(host))
    try require(await stage.join(device, to: inviter), of: name)
  }

  private func learn(_ name: String, _ product: String) async throws {
    guard let known = self.product(product) else {
      throw ScenarioProblem(
        "no product `\(product)`: `product` or `catalogue` states it",
        "‘\(product)’ 상품이 없습니다. `product` 또는 `catalogue` 줄로 정하세요")
    }
    try await ask(.learn([known]), of: name)
  }

  /// A product as the story states it.
  func product(_ id: String) -> Product? { products.last { Name($0.id) == Name(id) } }

  // MARK: Requests

  private func spend(_ spending: Spending, on name: String, _ refusal: ScenarioRefusal?) async throws {
    let reply = try await stage.ask(.spend(spending), of: running(name))
    switch (reply, refusal) {
    case (.notEnough(let others, _), let refusal?):
      if let problem = refusal.objection(to: others) { throw problem }
    case (.done, .some), (.transaction, .some):
      throw ScenarioProblem(
        "expected \(name) to be refused, saw it spend", "‘\(name)’ 기기에서 거절되어야 하는데 크레딧을 썼습니다")
    case (.done, nil), (.transaction, nil), (.notEnough, nil), (.refused, _), (.silent, _):
      try require(reply, of: name)
    }
  }

  /// Asks something of a device, which must do it.
  func ask(_ request: ScenarioRequest, of name: String) async throws {
    try require(await stage.ask(request, of: running(name)), of: name)
  }

  func require(_ reply: ScenarioReply, of name: String) throws(ScenarioProblem) {
    switch reply {
    case .done, .transaction: return
    case .notEnough(_, let why), .refused(let why):
      throw ScenarioProblem(
        "expected \(name) to do it, saw a refusal: \(why)", "‘\(name)’ 기기에서 거절했습니다: \(why.inKorean)")
    case .silent: throw ScenarioProblem("expected \(name) to answer, saw nothing", "‘\(name)’ 기기에서 대답이 없습니다")
    }
  }
}

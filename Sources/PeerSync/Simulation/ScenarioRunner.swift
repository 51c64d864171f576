import PeerSyncCore

/// Runs a scenario on a ``World`` of real engines in virtual time.
///
/// Everything that the file does not say (delays, ids, the order in which messages meet) follows from the seed: what the file
/// expects must hold under any. While it runs, the world's own checkers look after each step.
package struct ScenarioRunner {
  let world: World
  var places: [String: Int] = [:]
  let scenario: Scenario
  private let faults: Faults
  private(set) var environment = Environment.sandbox
  /// Products stated so far: devices that begin later know them.
  private(set) var products: [Product] = []
  var offers: [ScenarioOffer] = []
  private var store = ScenarioStore()
  /// Nil: the story has no sandbox store.
  package internal(set) var sandbox: ScenarioSandbox?
  private var line = 0

  /// Runs a scenario to its end.
  ///
  /// - Parameter faults: what goes wrong by itself once devices are paired; scenarios are written for a calm network
  /// - Returns: the world as it is then
  /// - Throws: ``ScenarioError`` at the first step that cannot be done or does not hold
  @discardableResult package static func run(_ scenario: Scenario, seed: UInt64, faults: Faults = .none)
    throws(ScenarioError) -> World
  {
    var runner = ScenarioRunner(scenario, seed: seed, faults: faults)
    for step in scenario.steps { try runner.perform(step) }
    try runner.finish()
    return runner.world
  }

  /// A scenario of which nothing has happened yet.
  package init(_ scenario: Scenario, seed: UInt64, faults: Faults = .none) {
    self.scenario = scenario
    self.faults = faults
    world = World(seed: seed, faults: .none)
  }

  /// Takes the next step of the scenario.
  package mutating func perform(_ numbered: Scenario.NumberedStep) throws(ScenarioError) {
    line = numbered.line
    try perform(numbered.step)
    try hearStore()
    try requireNoViolation()
  }

  /// Comes to the end of the scenario: devices that agree must agree in everything.
  package func finish() throws(ScenarioError) {
    if world.isConverged { world.checkConverged() }
    try requireNoViolation()
  }

  /// What each running device answers now, in the order in which they began.
  package var views: [(device: String, view: LedgerView)] {
    runningDevices.compactMap { name in
      guard let index = places[name] else { return nil }
      let now = world.now(index)
      return world.read(index) { engine in
        let time = engine.time(at: now).now
        return engine.ledger { $0.view(at: time) }
      }.map { (name, $0) }
    }
  }

  // MARK: Errors

  func failure(_ problem: String) -> ScenarioError {
    ScenarioError(file: scenario.file, line: line, problem: problem)
  }

  private func requireNoViolation() throws(ScenarioError) {
    if let violation = world.violations.first { throw failure("\(violation)") }
    // The repair would put right what a wrong claim has lost: on a calm network its alarm is an error. Elsewhere a message
    // from the past can raise a false one.
    guard faults == .none, let alarm = world.notices.first(where: \.notice.isAlarm) else { return }
    throw failure(
      "expected no alarm, saw device \(alarm.device) find another with its vector and other registers")
  }

  /// The device of a name.
  func place(_ name: String) throws(ScenarioError) -> Int {
    guard let index = places[name] else { throw failure("no device `\(name)`: `devices` names them") }
    return index
  }

  /// The device of a name, which must be running.
  func running(_ name: String) throws(ScenarioError) -> Int {
    let index = try place(name)
    guard world.isRunning(index) else { throw failure("\(name) is not running: `start \(name)` comes first") }
    return index
  }

  // MARK: Steps

  private mutating func perform(_ step: ScenarioStep) throws(ScenarioError) {
    switch step {
    case .environment(let environment): try set(environment)
    case .products(let products): state(products)
    case .devices(let names): try begin(names)
    case .cut(let left, let right): try setLink(left, right, isCut: true)
    case .mend(let left, let right): try setLink(left, right, isCut: false)
    case .offline(let name): try ask(.setOnline(false), of: name)
    case .online(let name): try ask(.setOnline(true), of: name)
    case .crash(let name): world.crash(try running(name))
    case .start(let name): try start(name)
    case .clock(let name, let offset): world.setClock(try place(name), offset: offset)
    case .wait(let duration): world.run(until: world.time + duration)
    case .settle: try settle()
    case .joins(let name, let host): try join(name, to: host)
    case .calls(let name, let other): try call(other, from: name)
    case .learns(let name, let product): try learn(name, product)
    case .buys(let name, let purchase): try buy(name, purchase)
    case .gets(let name, let purchase, let asBought): try deliver(purchase, to: name, asBought: asBought)
    case .refunds(let name, let purchase, let date, let keeping):
      try change(purchase, of: name, at: date) { $0.refund(at: date, keeping: keeping) }
    case .reverses(let name, let purchase, let date):
      try change(purchase, of: name, at: date) { $0.reverseRefund() }
    case .unshared(let name, let purchase, let date):
      try change(purchase, of: name, at: date) { $0.unshare() }
    case .upgraded(let name, let purchase, let date):
      try change(purchase, of: name, at: date) { $0.isUpgraded = true }
    case .hears(let name, let news): try tell(news, to: name)
    case .offer(let offer): try state(offer)
    case .store: try openStore()
    case .account(let account, let names): try use(account, on: names)
    case .orders(let name, let order): try self.order(order, on: name)
    case .restores(let name, let expected): try restore(expected, on: name)
    case .demands(let demand, let name): try obey(demand, by: name)
    case .spends(let name, let spending, let others): try spend(spending, on: name, refused: others)
    case .reclaims(let name, let credit): try ask(.takeOver(credit: credit), of: name)
    case .removes(let name, let other): try remove(other, by: name)
    case .backup(let name): world.backUp(try place(name))
    case .restore(let name): try setBack(name)
    case .copy(let name, let copy): try self.copy(name, as: copy)
    case .sets(let name, let line, let date): try ask(.setExpiration(line: line, date), of: name)
    case .grants(let name, let entitlement, let until):
      try ask(.grant(entitlement: entitlement, until: until), of: name)
    case .revokes(let name, let entitlement): try ask(.revoke(entitlement: entitlement), of: name)
    case .expect(let expectation): try check(expectation)
    }
  }

  private mutating func set(_ environment: Environment) throws(ScenarioError) {
    guard places.isEmpty, sandbox == nil else {
      throw failure("the environment comes before the \(sandbox == nil ? "devices" : "store")")
    }
    self.environment = environment
  }

  private mutating func state(_ products: [Product]) {
    self.products += products
    for product in products {
      if product.credit == World.credit { world.creditAmounts[product.id] = Int64(product.amount ?? 1) }
    }
  }

  private mutating func begin(_ names: [String]) throws(ScenarioError) {
    for name in names {
      guard places[name] == nil else { throw failure("there is a device `\(name)` already") }
      let index = world.addDevice(name: name, environment: environment, bundleId: Scenario.bundleId)
      places[name] = index
      world.start(index)
      if !products.isEmpty { try ask(.addProducts(products, version: 0), of: name) }
      if name != names[0] { try join(name, to: names[0]) }
    }
    try settle()
  }

  private func setLink(_ left: String, _ right: String, isCut: Bool) throws(ScenarioError) {
    let ends = (try place(left), try place(right))
    guard ends.0 != ends.1 else { throw failure("a link has two ends, not \(left) twice") }
    world.setLink(ends.0, ends.1, isCut: isCut)
  }

  private func start(_ name: String) throws(ScenarioError) {
    let index = try place(name)
    guard !world.isRunning(index) else { throw failure("\(name) is running already") }
    world.start(index)
  }

  private func setBack(_ name: String) throws(ScenarioError) {
    guard world.setBack(try place(name)) else {
      throw failure("there is no backup of \(name): `backup \(name)` comes first")
    }
  }

  private mutating func copy(_ name: String, as copy: String) throws(ScenarioError) {
    let index = try running(name)
    guard places[copy] == nil else { throw failure("there is a device `\(copy)` already") }
    sandbox?.customers.copy(name, as: copy)
    places[copy] = world.copy(index)
  }

  private func settle() throws(ScenarioError) {
    guard world.settle(within: Simulation.healingLimit) else {
      try requireNoViolation()
      throw failure("expected devices that can reach each other to agree, saw \(standing)")
    }
  }

  private func call(_ other: String, from name: String) throws(ScenarioError) {
    let (index, target) = (try running(name), try place(other))
    world.devices[index].peers.append(world.devices[target].address)
    world.crash(index)
    world.start(index)
  }

  /// Pairing has no second try, so it happens on a calm network.
  private func join(_ name: String, to host: String) throws(ScenarioError) {
    world.faults = .none
    defer { world.faults = faults }
    let answer = world.join(try running(name), to: try running(host))
    guard case .done? = answer else { throw refused(name, answer) }
  }

  private func learn(_ name: String, _ product: String) throws(ScenarioError) {
    guard let known = products.last(where: { Name($0.id) == Name(product) }) else {
      throw failure("no product `\(product)`: `product` or `catalogue` states it")
    }
    try ask(.addProducts([known], version: 0), of: name)
  }

  // MARK: Purchases

  private mutating func buy(_ name: String, _ purchase: ScenarioPurchase) throws(ScenarioError) {
    let index = try running(name)
    let environment = purchase.environment ?? environment
    let key = storeKey(purchase.name, index)
    guard !isTaken(purchase.name, by: index) else {
      throw failure("there is a purchase `\(purchase.name)` already")
    }
    let holder = world.read(index) { $0.holder } ?? .nobody
    let transaction = store.sell(purchase, as: key, in: environment, to: holder)
    world.bought.append(transaction)
    try deliver(transaction, to: name)
  }

  private func deliver(_ purchase: String, to name: String, asBought: Bool) throws(ScenarioError) {
    let snapshots = try snapshots(of: purchase, on: running(name))
    guard let snapshot = asBought ? snapshots.first : snapshots.last else { return }
    try deliver(snapshot, to: name)
  }

  private mutating func change(
    _ purchase: String, of name: String, at date: Instant, _ body: (inout Transaction) -> Void
  ) throws(ScenarioError) {
    let index = try running(name)
    guard var snapshot = try snapshots(of: purchase, on: index).last else { return }
    snapshot.signedDate = date
    body(&snapshot)
    store.add(snapshot, to: storeKey(purchase, index))
    try deliver(snapshot, to: name)
  }

  private func deliver(_ snapshot: Transaction, to name: String) throws(ScenarioError) {
    let index = try place(name)
    let verification = store.verification(of: storeKey(snapshot.transactionId, index))
    guard snapshot.environment == environment else {
      // No device takes it in: it comes like what another program has exported.
      return try ask(
        .write(SimulatedStore.writes(of: snapshot, on: world.device(index), verification: verification)),
        of: name)
    }
    try hand(SimulatedStore.sign(snapshot, verification: verification), to: name)
  }

  func snapshots(of purchase: String, on index: Int) throws(ScenarioError) -> [Transaction] {
    guard let snapshots = store[storeKey(purchase, index)] else {
      guard sandbox?.customers.knows(purchase) == true else {
        throw failure("no purchase `\(purchase)`: `buys` names it")
      }
      throw failure("`\(purchase)` was bought in the store: lines that begin with `store` are about it")
    }
    return snapshots
  }

  /// Whether a purchase has that name already.
  func isTaken(_ name: String, by index: Int) -> Bool {
    store[storeKey(name, index)] != nil || sandbox?.customers.knows(name) == true
  }

  private func storeKey(_ name: String, _ index: Int) -> ScenarioStore.Key {
    ScenarioStore.Key(name: Name(name), device: environment == .xcode ? index : nil)
  }

  // MARK: Credits and members

  private func spend(
    _ spending: Spending, on name: String, refused refusal: ScenarioRefusal?
  ) throws(ScenarioError) {
    let answer = world.perform(.spend(spending), on: try running(name))
    switch (answer, refusal) {
    case (.spent?, nil): break
    case (.refused(.notEnough(let shortage))?, let refusal?):
      if let problem = refusal.objection(to: shortage.others) { throw failure(problem) }
    case (.spent?, _): throw failure("expected \(name) to be refused, saw it spend")
    default: throw refused(name, answer)
    }
  }

  private func remove(_ other: String, by name: String) throws(ScenarioError) {
    let (index, target) = (try running(name), world.device(try place(other)))
    let id = world.remove(target, by: index)
    guard case .done? = world.answer(of: id) else { throw failure("expected \(name) to remove \(other)") }
  }

  // MARK: Decisions

  /// Asks something of a device, which must do it.
  func ask(_ request: Request, of name: String) throws(ScenarioError) {
    let answer = world.perform(request, on: try running(name))
    guard let answer, answer.refusal == nil else { throw refused(name, answer) }
  }

  private func refused(_ name: String, _ answer: Answer?) -> ScenarioError {
    if let violation = world.violations.first { return failure("\(violation)") }
    guard case .refused(let refusal)? = answer else {
      return failure("expected \(name) to answer, saw nothing")
    }
    return failure("expected \(name) to do it, saw a refusal: \(refusal)")
  }
}

extension Notice {
  fileprivate var isAlarm: Bool {
    if case .divergence = self { return true }
    return false
  }
}

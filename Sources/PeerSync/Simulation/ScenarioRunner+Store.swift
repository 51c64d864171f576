import PeerSyncCore
import PeerSyncSandbox

/// The sandbox store of a scenario in virtual time, and what devices have heard of it.
package struct ScenarioSandbox {
  package internal(set) var sandboxStore: SandboxStore
  var customers = ScenarioCustomers()
  /// How far each device has heard, by its index.
  var heard: [Int: Heard] = [:]
  /// Transactions that the world knows of.
  var noted = 0

  /// A device that starts anew, or has another account, begins anew.
  struct Heard: Equatable {
    let life: Int
    let account: String
    var revision: UInt64 = 0
  }
}

// What happens in the sandbox store, and how devices hear of it: like real ones, each as long as it runs.
extension ScenarioRunner {
  mutating func state(_ offer: ScenarioOffer) throws(ScenarioError) {
    do throws(ScenarioProblem) {
      try offers.state(offer, of: products, isOpen: sandbox != nil)
    } catch { throw failure(error.description) }
  }

  mutating func openStore() throws(ScenarioError) {
    guard places.isEmpty else { throw failure("the store comes before the devices") }
    guard sandbox == nil else { throw failure("there is a store already") }
    guard environment == .sandbox else { throw failure("a store is for the sandbox environment alone") }
    var sandboxStore = SandboxStore(
      terms: SandboxTerms(seed: 1, isManual: true), at: Instant(clamping: World.wallStart))
    do throws(SandboxRefusal) { try sandboxStore.stock(SandboxProduct.all(of: products, with: offers)) } catch
    {
      throw failure(error.description)
    }
    sandbox = ScenarioSandbox(sandboxStore: sandboxStore)
  }

  mutating func use(_ account: String, on devices: [String]) throws(ScenarioError) {
    _ = try openSandbox()
    for name in devices {
      _ = try place(name)
      sandbox?.customers.use(account, on: name)
    }
  }

  private func openSandbox() throws(ScenarioError) -> ScenarioSandbox {
    guard let sandbox else { throw failure("there is no store: `store` comes before the devices") }
    return sandbox
  }

  // MARK: What happens

  mutating func order(_ order: ScenarioOrder, on name: String) throws(ScenarioError) {
    let index = try running(name)
    let customers = try openSandbox().customers
    if let known = order.name, isTaken(known, by: index) {
      throw failure("there is a purchase `\(known)` already")
    }
    let result = try perform(
      .buy(
        SandboxOrder(
          account: customers.account(of: name), bundleId: Scenario.bundleId, productId: order.product,
          quantity: order.quantity, device: world.device(index).description,
          token: world.read(index) { $0.holder.accountToken }, offer: order.offer)))
    let product = products.last { Name($0.id) == Name(order.product) }
    sandbox?.customers.note(
      order, of: product, on: name, transaction: result.transaction, request: result.request)
    guard result.outcome == order.outcome else {
      throw failure(
        "expected the purchase to be \(order.outcome.rawValue), saw \(result.outcome?.rawValue ?? "nothing")")
    }
  }

  mutating func obey(_ demand: StoreDemand, by name: String?) throws(ScenarioError) {
    if let name { _ = try running(name) }
    var sandbox = try openSandbox()
    do throws(ScenarioProblem) {
      let resolved = try sandbox.customers.resolve(demand, among: places.keys.sorted())
      let result = try obey(resolved, &sandbox.sandboxStore)
      sandbox.customers.settle(resolved, transaction: result?.transaction)
    } catch { throw failure(error.description) }
    self.sandbox = sandbox
    world.setOn(to: sandbox.sandboxStore.time)
  }

  private func obey(_ demand: StoreDemand, _ sandboxStore: inout SandboxStore) throws(ScenarioProblem)
    -> SandboxResult?
  {
    do throws(SandboxRefusal) {
      if let step = demand.step {
        try sandboxStore.advance(by: step)
      } else if let command = try demand.command(sandboxStore, bundleId: Scenario.bundleId) {
        return try sandboxStore.handle(command, now: sandboxStore.time)
      }
      return nil
    } catch { throw ScenarioProblem("the store refuses: \(error.description)") }
  }

  private mutating func perform(_ command: SandboxCommand) throws(ScenarioError) -> SandboxResult {
    var sandbox = try openSandbox()
    do throws(SandboxRefusal) {
      let result = try sandbox.sandboxStore.handle(command, now: sandbox.sandboxStore.time)
      self.sandbox = sandbox
      return result
    } catch { throw failure("the store refuses: \(error.description)") }
  }

  // MARK: What devices hear

  /// Every running device takes in what is new for it, and follows the store's clock. What is durable then is finished.
  mutating func hearStore() throws(ScenarioError) {
    guard sandbox != nil else { return }
    noteSold()
    for name in runningDevices { try hear(name) }
  }

  private mutating func hear(_ name: String) throws(ScenarioError) {
    let index = try running(name)
    guard let sandboxStore = sandbox?.sandboxStore, let customer = customer(name, index) else { return }
    world.follow(index, sandboxStore.time)
    var heard = ScenarioSandbox.Heard(life: world.devices[index].life, account: customer.account)
    if let before = sandbox?.heard[index], before.life == heard.life, before.account == heard.account {
      heard = before
    }
    while heard.revision < sandboxStore.revision {
      let news = sandboxStore.changes(since: heard.revision, for: customer)
      try ingest(news.transactions, news.subscriptions, on: name)
      heard.revision = news.revision
      _ = try perform(.finish(account: customer.account, transactions: news.transactions.map(\.id)))
    }
    sandbox?.heard[index] = heard
  }

  private func customer(_ name: String, _ index: Int) -> SandboxCustomer? {
    sandbox.map {
      SandboxCustomer(
        account: $0.customers.account(of: name), bundleId: Scenario.bundleId,
        device: world.device(index).description)
    }
  }

  private func ingest(
    _ transactions: [SandboxTransaction], _ subscriptions: [SandboxSubscription], on name: String
  ) throws(ScenarioError) {
    let storefront = sandbox?.sandboxStore.terms.storefront ?? ""
    let payloads = transactions.map { $0.payload(storefront: storefront) } + subscriptions.map(\.payload)
    for payload in payloads { try ingest(SimulatedStore.sign(payload), on: name) }
  }

  /// What the store has sold may be spent.
  private mutating func noteSold() {
    guard let sandbox else { return }
    for sold in sandbox.sandboxStore.transactions.dropFirst(sandbox.noted) {
      world.bought.append(
        Transaction(
          transactionId: String(sold.id), productId: sold.productId, bundleId: sold.bundleId,
          environment: .sandbox, purchaseDate: sold.purchaseDate, quantity: sold.quantity,
          verification: .simulated))
    }
    self.sandbox?.noted = sandbox.sandboxStore.transactions.count
    _ = self.sandbox?.sandboxStore.takeEvents()
  }

  // MARK: Restoring

  mutating func restore(_ expected: ScenarioRestored?, on name: String) throws(ScenarioError) {
    let index = try running(name)
    let sandboxStore = try openSandbox().sandboxStore
    guard let customer = customer(name, index) else { return }
    let restored = sandboxStore.restorable(of: customer)
    try ingest(restored, sandboxStore.subscriptions(of: customer), on: name)
    let ids = Set(restored.map { String($0.id) })
    let all = world.read(index) { $0.restored(from: ids) } ?? []
    let seen = ScenarioRestored(
      fromStore: all.count { $0.isFromStore }, fromPeers: all.count { !$0.isFromStore })
    guard expected == nil || expected == seen else {
      throw failure("expected \(name) to restore \(expected?.description ?? ""), saw \(seen)")
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

  fileprivate var transaction: UInt64? { if case .purchased(let id) = self { id } else { nil } }

  fileprivate var request: UInt64? { if case .pending(let number) = self { number } else { nil } }
}

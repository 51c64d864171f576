import PeerSyncCore
import PeerSyncSandbox

// The sandbox store of a story in virtual time, and how devices hear of it: like real ones, each as long as it runs.
extension VirtualStage {
  package func openStore(selling products: [SandboxProduct]) throws(ScenarioProblem) {
    var store = SandboxStore(
      terms: SandboxTerms(seed: 1, isManual: true), at: Instant(clamping: World.wallStart))
    do throws(SandboxRefusal) { try store.stock(products) } catch {
      throw ScenarioProblem.quoted(error.description)
    }
    sandboxStore = store
  }

  package func use(_ account: String, on device: Int) { accounts[device] = account }

  package func order(_ order: ScenarioOrder, on device: Int) throws(ScenarioProblem) -> SandboxResult {
    try change { store throws(SandboxRefusal) in
      try store.handle(
        .buy(
          SandboxOrder(
            account: account(of: device), bundleId: Scenario.bundleId, productId: order.product,
            quantity: order.quantity, device: world.device(device).description,
            token: world.read(device) { $0.holder.accountToken }, offer: order.offer)),
        now: store.time)
    }
  }

  package func obey(_ demand: SandboxDemand) throws(ScenarioProblem) -> SandboxResult {
    let result = try change { store throws(SandboxRefusal) in
      if let step = demand.step {
        try store.advance(by: step)
      } else if let command = try demand.command(store, bundleId: Scenario.bundleId) {
        return try store.handle(command, now: store.time)
      }
      return .done
    }
    if let sandboxStore { world.clock.setOn(to: sandboxStore.time) }
    return result
  }

  /// Lets something happen in the store; what it refuses has not happened.
  @discardableResult private func change(
    _ body: (inout SandboxStore) throws(SandboxRefusal) -> SandboxResult
  ) throws(ScenarioProblem) -> SandboxResult {
    guard var store = sandboxStore else { return .done }
    do throws(SandboxRefusal) {
      let result = try body(&store)
      sandboxStore = store
      return result
    } catch { throw .refused(byStore: .quoted(error.description)) }
  }

  private func account(of device: Int) -> String { accounts[device] ?? SandboxDemand.somebody }

  private func customer(_ device: Int) -> SandboxCustomer {
    SandboxCustomer(
      account: account(of: device), bundleId: Scenario.bundleId, device: world.device(device).description)
  }

  // MARK: What devices hear

  /// Every running device takes in what is new for it, and follows the store's clock. What is durable then is finished.
  package func hearStore() throws(ScenarioProblem) {
    guard let sandboxStore else { return }
    noteSold(in: sandboxStore)
    for device in world.devices.indices where world.isRunning(device) { try hear(device) }
  }

  private func hear(_ device: Int) throws(ScenarioProblem) {
    guard let sandboxStore else { return }
    let customer = customer(device)
    world.follow(device, sandboxStore.time)
    var heard = Heard(life: world.devices[device].life, account: customer.account)
    if let before = self.heard[device], before.life == heard.life, before.account == heard.account {
      heard = before
    }
    while heard.revision < sandboxStore.revision {
      let news = sandboxStore.changes(since: heard.revision, for: customer)
      try takeIn(news.transactions, news.subscriptions, device)
      heard.revision = news.revision
      try change { store throws(SandboxRefusal) in
        try store.handle(
          .finish(account: customer.account, transactions: news.transactions.map(\.id)), now: store.time)
      }
    }
    self.heard[device] = heard
  }

  private func takeIn(
    _ transactions: [SandboxTransaction], _ subscriptions: [SandboxSubscription], _ device: Int
  ) throws(ScenarioProblem) {
    let storefront = sandboxStore?.terms.storefront ?? ""
    let payloads = transactions.map { $0.payload(storefront: storefront) } + subscriptions.map(\.payload)
    for payload in payloads {
      if let reason = try hand(SimulatedStore.sign(payload), to: device) {
        throw ScenarioProblem(
          "expected what the store signs to count, saw: \(reason)", "스토어가 서명한 것이 계산되지 않습니다: ‘\(reason)’")
      }
    }
  }

  /// What the store has sold may be spent.
  private func noteSold(in store: SandboxStore) {
    for sold in store.transactions.dropFirst(noted) { noteSold(Transaction(sold)) }
    noted = store.transactions.count
    _ = sandboxStore?.takeEvents()
  }

  // MARK: Restoring

  package func restore(_ device: Int) throws(ScenarioProblem) -> ScenarioRestored {
    guard let sandboxStore else { return ScenarioRestored(fromStore: 0, fromPeers: 0) }
    let customer = customer(device)
    let restored = sandboxStore.restorable(of: customer)
    try takeIn(restored, sandboxStore.subscriptions(of: customer), device)
    let ids = Set(restored.map { String($0.id) })
    let all = world.read(device) { $0.holdings.restored(from: ids) } ?? []
    return ScenarioRestored(
      fromStore: all.count { $0.isFromStore }, fromPeers: all.count { !$0.isFromStore })
  }
}

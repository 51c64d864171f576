import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSimulation

// The sandbox store of a story, with real devices that buy from it and listen to it.
extension ProcessStage {
  func openStore(selling products: [SandboxProduct]) throws {
    guard devices.isEmpty else { throw failure("the store comes before the devices") }
    guard sandboxStore == nil else { throw failure("there is a store already") }
    guard environment == .sandbox else { throw failure("a store is for the sandbox environment alone") }
    sandboxStore = try SandboxProcess(in: directory.path, selling: products)
  }

  private func openSandboxStore() throws -> SandboxProcess {
    guard let sandboxStore else { throw failure("there is no store: `store` comes before the devices") }
    return sandboxStore
  }

  /// How a device is told where to buy.
  func storeOptions(of name: String) -> [String] {
    sandboxStore.map { ["--store", $0.url, "--account", customers.account(of: name)] } ?? []
  }

  func use(_ account: String, on names: [String]) throws {
    _ = try openSandboxStore()
    for name in names {
      let device = try device(name)
      customers.use(account, on: name)
      try restart(device)
    }
  }

  // MARK: What happens

  func order(_ order: ScenarioOrder, on name: String) async throws {
    let device = try running(name)
    _ = try openSandboxStore()
    if let known = order.name, isTaken(known, name) {
      throw failure("there is a purchase `\(known)` already")
    }
    let outcome: ScenarioOrder.Outcome
    do {
      let body = PurchaseBody(productId: order.product, quantity: order.quantity, at: nil, offer: order.offer)
      let result: PurchaseResult = try await device.process.client().send(
        "POST", "/v1/purchases", body: body)
      let product = products.last { Name($0.id) == Name(order.product) }
      customers.note(
        order, of: product, on: name,
        transaction: result.transaction.flatMap { UInt64($0.transactionId) }, request: result.request)
      outcome = result.transaction == nil ? .pending : .purchased
    } catch ControlError.problem(let problem) where problem.code == .purchaseCancelled {
      outcome = .cancelled
    } catch ControlError.problem(let problem) where problem.code == .purchaseFailed {
      outcome = .failed
    } catch ControlError.problem(let problem) { throw failure("the store refuses: \(problem.detail)") }
    guard outcome == order.outcome else {
      throw failure("expected the purchase to be \(order.outcome.rawValue), saw \(outcome.rawValue)")
    }
  }

  func obey(_ demand: StoreDemand, by name: String?) async throws {
    if let name { _ = try running(name) }
    let sandboxStore = try openSandboxStore()
    let resolved = try customers.resolve(demand, among: devices.map(\.name))
    do {
      let answer = try await sandboxStore.obey(resolved)
      customers.settle(resolved, transaction: answer.transactionId.flatMap { UInt64($0) })
      // Devices that start later begin where the others are.
      ahead = max(ahead, answer.now.milliseconds - Int64(Date().timeIntervalSince1970 * 1000))
    } catch ControlError.problem(let problem) { throw failure("the store refuses: \(problem.detail)") }
  }

  func restore(_ expected: ScenarioRestored?, on name: String) async throws {
    let device = try running(name)
    _ = try openSandboxStore()
    let answer: RestoreAnswer = try await device.process.client().send("POST", "/v1/restore")
    let seen = ScenarioRestored(fromStore: answer.fromStore, fromPeers: answer.fromPeers)
    guard expected == nil || expected == seen else {
      throw failure("expected \(name) to restore \(expected?.description ?? ""), saw \(seen)")
    }
  }

  // MARK: What devices hear

  /// Waits until every running device has taken in what the store has to tell it, and follows the store's clock.
  func hearStore() async throws {
    guard let sandboxStore else { return }
    let end = ContinuousClock.now + .seconds(60)
    for device in runningDevices {
      while try await !hasHeard(device, sandboxStore) {
        guard ContinuousClock.now < end else {
          throw failure("expected \(device.name) to hear of all that happens in the store, saw less")
        }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  private func hasHeard(_ device: Device, _ sandboxStore: SandboxProcess) async throws -> Bool {
    let status = try await device.process.status()
    let items = try await sandboxStore.items(of: customers.account(of: device.name), on: status.device.id)
    guard status.time.now >= items.now else { return false }
    let document: JSONValue = try await device.process.client().send("GET", "/v1/export")
    let known = Set(try ExportFormat.writes(of: document, .openSSL).map(\.key))
    return (items.transactions + items.renewalInfos).allSatisfy { text in
      StoreItem.register(of: text, bundleId: Scenario.bundleId, .openSSL).map(known.contains) ?? true
    }
  }
}

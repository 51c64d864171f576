import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSandboxServer
import PeerSyncSimulation

// The sandbox store of a story, with real devices that buy from it and listen to it.
extension ProcessStage {
  func openStore(selling products: [SandboxProduct]) throws {
    sandboxStore = try SandboxProcess(in: directory, selling: products)
  }

  func use(_ account: String, on device: Int) throws {
    devices[device].account = account
    try restart(devices[device])
  }

  func order(_ order: ScenarioOrder, on device: Int) async throws -> SandboxResult {
    do {
      let body = PurchaseBody(productId: order.product, quantity: order.quantity, at: nil, offer: order.offer)
      let result: PurchaseResult = try await devices[device].send("POST", "/v1/purchases", body: body)
      if let id = result.transaction.flatMap({ UInt64($0.transactionId) }) { return .purchased(id) }
      return result.request.map { .pending(request: $0) } ?? .done
    } catch ControlError.problem(let problem) where problem.code == .purchaseCancelled {
      return .cancelled
    } catch ControlError.problem(let problem) where problem.code == .purchaseFailed {
      return .failed
    } catch ControlError.problem(let problem) {
      refusal = problem
      throw ScenarioProblem.refused(byStore: ScenarioProblem(problem.told))
    }
  }

  func obey(_ demand: SandboxDemand) async throws -> SandboxResult {
    guard let sandboxStore else { return .done }
    do {
      let answer = try await sandboxStore.obey(demand)
      // Devices that start later begin where the others are.
      ahead = max(ahead, answer.now.milliseconds - Instant.present.milliseconds)
      return SandboxResult(answer)
    } catch ControlError.problem(let problem) {
      refusal = problem
      throw ScenarioProblem.refused(byStore: ScenarioProblem(problem.told))
    }
  }

  func restore(_ device: Int) async throws -> ScenarioRestored {
    let answer: RestoreAnswer = try await devices[device].send("POST", "/v1/restore")
    return ScenarioRestored(fromStore: answer.fromStore, fromPeers: answer.fromPeers)
  }

  // MARK: What devices hear

  /// Waits until every running device has taken in what the store has to tell it, and follows the store's clock.
  func hearStore() async throws {
    guard let sandboxStore else { return }
    for device in runningDevices {
      let isUpToDate = try await look(within: 60) {
        try await hasHeard(device, sandboxStore)
      } until: {
        $0
      }
      guard isUpToDate else {
        throw ScenarioProblem(
          "expected \(device.name) to hear of all that happens in the store, saw less",
          "‘\(device.name)’ 기기가 스토어에서 일어난 일을 다 알지 못합니다")
      }
    }
  }

  private func hasHeard(_ device: Device, _ sandboxStore: SandboxProcess) async throws -> Bool {
    let status = try await device.status()
    let items = try await sandboxStore.items(of: device.account, on: status.device.id)
    guard status.time.now >= items.now else { return false }
    let document: JSONValue = try await device.send("GET", "/v1/export")
    let known = Set(try ExportFormat.writes(of: document, .openSSL).map(\.key))
    return (items.transactions + items.renewalInfos).allSatisfy { text in
      StoreItem.register(of: text, bundleId: Scenario.bundleId, .openSSL).map(known.contains) ?? true
    }
  }
}

extension SandboxResult {
  /// What a store's process says that came of a demand.
  fileprivate init(_ answer: SandboxAnswer) {
    self =
      switch answer.outcome {
      case .purchased: answer.transactionId.flatMap { UInt64($0) }.map { .purchased($0) } ?? .done
      case .pending: answer.request.map { .pending(request: $0) } ?? .done
      case .cancelled: .cancelled
      case .failed: .failed
      case nil: .done
      }
  }
}

import PeerSync
import PeerSyncSandbox

/// What came of a demand.
package struct StoreAnswer: Codable, Hashable, Sendable {
  /// In one sentence.
  package let done: String
  package let now: Instant
  /// What came of a purchase; nil: it was about something else.
  @Nullable package var outcome: StorePurchase.Outcome?
  /// The transaction that it was about.
  @Nullable package var transactionId: String?
  /// The number under which it waits for approval.
  @Nullable package var request: UInt64?
  /// What the store has told of it: about the account that was named, else about everybody. The newest.
  package var notifications: [StoreState.Notification] = []
  /// How many older ones are left out.
  package var notificationsLeftOut = 0
}

extension SandboxStoreServer {
  /// Does what whoever simulates wants.
  func obey(_ demand: StoreDemand) throws -> StoreAnswer {
    let last = try read { sandboxStore, _ in
      if demand.verb.isOfTheWholeStore, let account = demand.account {
        _ = try sandboxStore.require(account: account)
      }
      return sandboxStore.notifications.last?.number ?? 0
    }
    var answer = try carryOut(demand)
    (answer.notifications, answer.notificationsLeftOut) = try told(
      since: last, StoreView(account: demand.account))
    return answer
  }

  private func carryOut(_ demand: StoreDemand) throws -> StoreAnswer {
    let bundleId = try read { sandboxStore, _ in sandboxStore.transactions.last?.bundleId ?? "com.example.app"
    }
    guard let command = try read({ sandboxStore, _ in try demand.command(sandboxStore, bundleId: bundleId) })
    else {
      guard let step = demand.step else { throw Problem(.invalidValue, "say by how much, such as P1M") }
      try advance(by: step)
      return answer("the time is set on")
    }
    let result = try perform(command)
    return answer(result, command)
  }

  private func answer(_ result: SandboxResult, _ command: SandboxCommand) -> StoreAnswer {
    switch result {
    case .done, .notification: return answer("done", about: command.transaction)
    case .purchased(let id): return answer("purchased", .purchased, about: id)
    case .pending(let request): return answer("waits for approval", .pending, request: request)
    case .cancelled:
      if case .decline = command { return answer("declined") }
      return answer(
        "nothing was bought: the purchase was cancelled",
        .cancelled)
    case .failed:
      return answer(
        "nothing was bought: the payment was refused", .failed)
    }
  }

  private func answer(
    _ text: String, _ outcome: StorePurchase.Outcome? = nil, about id: UInt64? = nil, request: UInt64? = nil
  ) -> StoreAnswer {
    StoreAnswer(
      done: text, now: sandboxStore.time, outcome: outcome, transactionId: id.map { String($0) },
      request: request)
  }
}

extension SandboxCommand {
  fileprivate var transaction: UInt64? {
    switch self {
    case .refund(let id, _), .reverseRefund(let id), .declineRefund(let id), .requestConsumption(let id),
      .setRenewal(let id, _), .answerIncrease(let id, _):
      id
    default: nil
    }
  }
}

import PeerSync
import PeerSyncSandbox

/// What came of a demand.
package struct SandboxAnswer: Codable, Hashable, Sendable {
  /// In one sentence.
  package let done: String
  /// ``done`` in Korean; nil from a store of an earlier version.
  package var doneInKorean: String?
  package let now: Instant
  /// What came of a purchase; nil: it was about something else.
  @Nullable package var outcome: StorePurchase.Outcome?
  /// The transaction that it was about.
  @Nullable package var transactionId: String?
  /// The number under which it waits for approval.
  @Nullable package var request: UInt64?
  /// What the store has told of it: about the account that was named, else about everybody. The newest.
  package var notifications: [SandboxState.Notification] = []
  /// How many older ones are left out.
  package var notificationsLeftOut = 0

  /// ``done``, in every language.
  package var told: Phrase { Phrase(done, doneInKorean ?? done) }
}

extension SandboxStoreServer {
  /// Does what whoever simulates wants.
  func obey(_ demand: SandboxDemand) throws -> SandboxAnswer {
    let last = try read { sandboxStore, _ in
      if demand.verb.isOfTheWholeStore, let account = demand.account {
        _ = try sandboxStore.require(account: account)
      }
      return sandboxStore.notifications.last?.number ?? 0
    }
    var answer = try carryOut(demand)
    (answer.notifications, answer.notificationsLeftOut) = try told(
      since: last, SandboxView(account: demand.account))
    return answer
  }

  private func carryOut(_ demand: SandboxDemand) throws -> SandboxAnswer {
    let bundleId = try read { sandboxStore, _ in sandboxStore.transactions.last?.bundleId ?? "com.example.app"
    }
    guard let command = try read({ sandboxStore, _ in try demand.command(sandboxStore, bundleId: bundleId) })
    else {
      guard let step = demand.step else {
        throw Problem(
          .invalidValue, Phrase("say by how much, such as P1M", "얼마나 진행할지 P1M처럼 지정하세요"))
      }
      try advance(by: step)
      return answer(Phrase("the time is set on", "시간을 진행했습니다"))
    }
    let result = try perform(command)
    return answer(result, command)
  }

  private func answer(_ result: SandboxResult, _ command: SandboxCommand) -> SandboxAnswer {
    switch result {
    case .done, .notification: return answer(Phrase("done", "완료했습니다"), about: command.transaction)
    case .purchased(let id): return answer(Phrase("purchased", "구입했습니다"), .purchased, about: id)
    case .pending(let request):
      return answer(Phrase("waits for approval", "승인을 기다립니다"), .pending, request: request)
    case .cancelled:
      if case .decline = command { return answer(Phrase("declined", "거절했습니다")) }
      return answer(
        Phrase("nothing was bought: the purchase was cancelled", "구입한 것이 없습니다. 구입이 취소되었습니다"),
        .cancelled)
    case .failed:
      return answer(
        Phrase("nothing was bought: the payment was refused", "구입한 것이 없습니다. 결제가 거절되었습니다"), .failed)
    }
  }

  private func answer(
    _ text: Phrase, _ outcome: StorePurchase.Outcome? = nil, about id: UInt64? = nil, request: UInt64? = nil
  ) -> SandboxAnswer {
    SandboxAnswer(
      done: text.text(in: .english), doneInKorean: text.text(in: .korean), now: sandboxStore.time,
      outcome: outcome, transactionId: id.map { String($0) },
      request: request)
  }
}

extension SandboxCommand {
  fileprivate var transaction: UInt64? {
    switch self {
    case .refund(let id, _), .reverseRefund(let id), .declineRefund(let id), .requestConsumption(let id),
      .setRenewal(let id, _), .answerIncrease(let id, _):
      id
    case .buy, .finish, .approve, .decline, .joinFamily, .leaveFamily, .raisePrice, .setBilling, .setCard,
      .withdraw,
      .setMood, .setGrace, .testNotification, .posted:
      nil
    }
  }
}

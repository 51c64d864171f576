import PeerSyncCore

/// What was asked of the devices of a simulation, and what they have answered.
struct VirtualRequests {
  private var made: UInt64 = 0
  /// What each request has written once it is done, until it is answered.
  private var pending: [RequestID: [LocalWrite]] = [:]
  /// What each request to spend was for, until it is answered.
  private var spends: [RequestID: Spending] = [:]
  /// Answers that the workload or a scenario waits for.
  private var answers: [RequestID: Answer] = [:]
  /// What devices acknowledged: written to registers, with the store's own stamps.
  private var acknowledged: [Int: [LocalWrite]] = [:]

  /// What an answer means.
  struct Outcome {
    /// What was answered before.
    let before: Answer?
    /// What was to be spent, if that was asked.
    let spending: Spending?
    /// Whether writes were acknowledged.
    let isAcknowledged: Bool
  }

  /// Makes a request of a device.
  mutating func make(_ request: Request, of identity: Identity) -> RequestID {
    made += 1
    let id = RequestID(rawValue: made)
    pending[id] = request.writes(by: identity)
    if case .spend(let spending) = request { spends[id] = spending }
    return id
  }

  /// The store has signed what a request asks for: this is what the device will write.
  mutating func signed(_ item: IngestedItem, for id: RequestID, of identity: Identity) {
    pending[id] = item.writes(identity, .simulated)
  }

  // MARK: Answers

  /// A device has answered.
  mutating func answered(_ id: RequestID, _ answer: Answer, by device: Int) -> Outcome {
    let before = answers.updateValue(answer, forKey: id)
    let spending = spends.removeValue(forKey: id)
    let writes = pending.removeValue(forKey: id)
    guard let writes, answer.refusal == nil else {
      return Outcome(before: before, spending: spending, isAcknowledged: false)
    }
    acknowledged[device, default: []] += writes
    return Outcome(before: before, spending: spending, isAcknowledged: true)
  }

  /// Whether a request is answered.
  func isAnswered(_ id: RequestID) -> Bool { answers[id] != nil }

  /// Takes an answer out; nil while there is none.
  mutating func takeAnswer(of id: RequestID) -> Answer? { answers.removeValue(forKey: id) }

  // MARK: What was acknowledged

  /// What a device acknowledged, in that order.
  func acknowledged(by device: Int) -> [LocalWrite] { acknowledged[device] ?? [] }

  /// A device was set back: what it has acknowledged since then may be nowhere else.
  ///
  /// - Parameter count: of the writes that it had acknowledged by then
  mutating func forget(by device: Int, beyond count: Int) {
    acknowledged[device] = acknowledged[device].map { Array($0.prefix(count)) }
  }

  /// A device has to have these writes as if it had acknowledged them.
  mutating func noteAcknowledged(_ writes: [LocalWrite], by device: Int) {
    acknowledged[device, default: []] += writes
  }
}

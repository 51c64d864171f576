import PeerSyncCore

// What a device answers: what it knows now, by what it takes for the present.
extension TestDevice {
  /// Everything that follows from what the device knows.
  public func view() async throws -> LedgerView { try await look { $0.ledger($1) { $0.view(at: $1) } } }

  /// What it takes for the present.
  public func now() async throws -> Instant { try await look { $0.time(at: $1).now } }

  /// When the last run of a line ends; nil when there never was any.
  public func expires(_ line: String) async throws -> Instant? {
    try await found(line, "line", in: view().lines, by: \.id).expires
  }

  /// Whether an entitlement holds now.
  public func isActive(_ entitlement: String) async throws -> Bool {
    try await found(entitlement, "entitlement", in: view().entitlements, by: \.id).active
  }

  /// What is left of a credit on all devices, as far as this one knows.
  public func balance(of credit: String) async throws -> Int64 {
    try await found(credit, "credit", in: view().credits, by: \.id).balance
  }

  /// What the device may spend of a credit without asking others.
  public func available(_ credit: String) async throws -> Int64 {
    try await look { view, _ in view.spendable(credit) }
  }

  /// The auto-renewable subscriptions.
  public func subscriptions() async throws -> [SubscriptionView] { try await view().subscriptions }

  /// The purchases known, each in its newest snapshot, by date.
  public func transactions() async throws -> [Transaction] {
    try await look { view, _ in view.ledger { $0.transactions().map(\.transaction) } }
  }

  /// A value of the app; nil when none is known.
  public func value(_ key: String) async throws -> String? {
    try await look { view, _ in
      let register = view.standing(.value(key: key))
      return register.map { String(decoding: $0.value, as: UTF8.self) }
    }
  }

  /// Fingerprint of all that it holds: equal on devices that hold the same, and on no others.
  public func digest() async throws -> String {
    try await look { view, _ in view.replica.digest.description }
  }

  private func look<Result: Sendable>(_ body: @Sendable (inout EngineView, Now) -> Result) async throws
    -> Result
  {
    try await group.backend.look(at: index, body)
  }

  private func found<Answer>(
    _ id: String, _ kind: String, in answers: [Answer], by key: KeyPath<Answer, String>
  ) throws(TestFailure) -> Answer {
    if let answer = answers.first(where: { Name($0[keyPath: key]) == Name(id) }) { return answer }
    let known = answers.map { $0[keyPath: key] }.joined(separator: ", ")
    throw .misuse("\(name) knows no \(kind) '\(id)'; known: \(known.isEmpty ? "none" : known)")
  }
}

extension EngineView {
  /// Reads the ledger as of what the device takes for the present.
  fileprivate mutating func ledger<Result>(_ now: Now, _ body: (inout Ledger, Instant) -> Result) -> Result {
    let present = time(at: now).now
    return ledger { body(&$0, present) }
  }
}

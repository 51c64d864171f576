extension Daemon {
  /// Asks something of the engine and turns a refusal into a ``Problem``.
  ///
  /// - Returns: how many registers changed
  @discardableResult func require(
    _ prepare: @escaping @Sendable (inout Engine, Now) throws -> Request
  ) async throws -> Int {
    switch try await perform(prepare) {
    case .done(let changed): return changed
    case .refused(let refusal): throw Problem(refusal)
    }
  }
}

extension Problem {
  init(_ refusal: Refusal) {
    switch refusal {
    case .tooLarge: self.init(.tooLarge, "a name or value is longer than a register takes")
    case .full: self.init(.ledgerFull, "the ledger of this device is full")
    case .tooFarAhead:
      self.init(
        .tooFarAhead, "a time lies too far ahead of this device's clock: check the clocks of both devices")
    case .offline: self.init(.offline, "the device is offline: run `peerd online` first")
    case .busy: self.init(.busy, "another join is under way: wait for it")
    case .alreadyInGroup:
      self.init(
        .alreadyInGroup, "the device shares a group with others already; only a group of one can join another"
      )
    case .unreachable:
      self.init(.unreachable, "the inviting device cannot be reached: is its daemon running and online?")
    case .notAdmitted(let reason): self.init(.notAdmitted, reason.explanation)
    }
  }

  /// What to tell a client of an error that is none of its own.
  package init(of error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as DaemonError: self.init(.stopping, error.description)
    case let error as StoreError: self.init(.failed, error.description)
    default: self.init(.failed, "\(error)")
    }
  }
}

import PeerSyncCore

extension DeviceGroup {
  /// Does the steps of a schedule. What a device refuses, and what is asked of one that is down, is left out.
  public func run(_ steps: [Schedule.Step]) async throws {
    var purchases: [String: Transaction] = [:]
    for step in steps {
      do { try await run(step, &purchases) } catch is Refused {}
    }
  }

  private func run(_ step: Schedule.Step, _ purchases: inout [String: Transaction]) async throws {
    switch step {
    case .buy(let product, let quantity, let label, let name):
      try await onUp(name) { purchases[label] = try await $0.buy(product, quantity: quantity) }
    case .refund(let label, let name):
      guard let purchase = purchases[label] else { return }
      try await onUp(name) { _ = try await $0.refund(purchase) }
    case .spend(let credit, let amount, let name):
      try await onUp(name) { _ = try await $0.spend(credit, amount) }
    case .setExpiration(let line, let days, let name):
      try await onUp(name) { try await $0.setExpiration(of: line, to: $0.date(inDays: days)) }
    case .grant(let entitlement, let days, let name):
      try await onUp(name) { try await $0.grant(entitlement, until: $0.date(inDays: days)) }
    case .revoke(let entitlement, let name): try await onUp(name) { try await $0.revoke(entitlement) }
    case .setValue(let key, let value, let name):
      try await onUp(name) { try await $0.setValue(key, to: value) }
    case .offline(let name): try await onUp(name) { try await $0.setOnline(false) }
    case .online(let name): try await onUp(name) { try await $0.setOnline(true) }
    case .partition(let sides): try await partition(try sides.map { try $0.map { try self[$0] } })
    case .reconnect: try await reconnect()
    case .crash(let name): try await self[name].crash()
    case .start(let name): try await self[name].start()
    case .powerCut: try await powerCut()
    case .setClock(let name, let offset): try await setOneClock(self[name], off: offset)
    case .advance(let duration): try await advance(by: duration)
    }
  }

  private func onUp(_ name: String, _ body: (TestDevice) async throws -> Void) async throws {
    let device = try self[name]
    if await !backend.isStopped(device.index) { try await body(device) }
  }

  private func setOneClock(_ device: TestDevice, off offset: Duration) async throws {
    for other in devices where other.index != device.index { try await other.setClock(off: .zero) }
    try await device.setClock(off: offset)
  }
}

extension TestDevice {
  fileprivate func date(inDays days: Int?) async throws -> Instant? {
    guard let days else { return nil }
    return try await now().adding(months: 0, days: days)
  }
}

extension Testbed {
  /// Runs a schedule: its steps, then ``DeviceGroup/heal()`` and ``DeviceGroup/expectConverged(within:)``, then what
  /// else is expected.
  ///
  /// - Parameters:
  ///   - withDaemons: whether real daemons do it, and not virtual time
  ///   - expectation: throws when something does not hold
  /// - Throws: a ``TestFailure``; with daemons, what `expectation` throws as it is
  public func run(
    _ schedule: Schedule, withDaemons: Bool = false,
    expecting expectation: (DeviceGroup) async throws -> Void = { _ in }
  ) async throws {
    try await run(in: withDaemons ? .daemons : .virtualTime(seed: schedule.seed)) { group in
      try await group.run(schedule.steps)
      try await group.heal()
      try await group.expectConverged()
      try await expectation(group)
    }
  }

  /// Makes up a schedule for each seed and runs it in virtual time, up to the first that fails. That one is made as short as it
  /// gets: chunks of steps are taken away, then single ones, then what is left is made simpler, as long as it still fails in
  /// the same way.
  ///
  /// - Parameters:
  ///   - seeds: one schedule for each; `PEERSYNC_SEED` in the environment runs that one alone
  ///   - steps: how many steps each has
  ///   - weights: which steps come how often
  ///   - attempts: how often a failing schedule is run at most while it is made shorter
  ///   - expectation: throws when something does not hold, at the end of a schedule. It is asked again for every attempt, so
  ///     let it throw, as ``DeviceGroup/expect(_:_:)`` does, and not record
  /// - Throws: a ``TestFailure`` with the ``Schedule``
  public func explore(
    seeds: some Sequence<UInt64>, steps: Int = 30, weights: ScheduleWeights = .usual, attempts: Int = 400,
    expecting expectation: (DeviceGroup) async throws -> Void = { _ in }
  ) async throws {
    for seed in try Medium.toRun(Array(seeds)) {
      let schedule = schedule(seed: seed, steps: steps, weights: weights)
      guard let failure = await failure(of: schedule, expectation) else { continue }
      guard failure.kind != .misuse else { throw failure }
      throw await shortest(schedule, failure, attempts, expectation)
    }
  }

  private func failure(
    of schedule: Schedule,
    _ expectation: (DeviceGroup) async throws -> Void
  ) async -> TestFailure? {
    do {
      try await run(schedule, expecting: expectation)
      return nil
    } catch { return TestFailure(error, seed: schedule.seed) }
  }

  private func shortest(
    _ schedule: Schedule, _ first: TestFailure, _ attempts: Int,
    _ expectation: (DeviceGroup) async throws -> Void
  ) async -> TestFailure {
    var last = first
    var shrinker = ScheduleShrinker(schedule.steps, of: self, attempts: attempts)
    while let candidate = shrinker.candidate() {
      let failure = await failure(of: Schedule(seed: schedule.seed, candidate), expectation)
      let isSame = failure?.kind == first.kind
      if isSame, let failure { last = failure }
      shrinker.take(isSame)
    }
    last.schedule = Schedule(seed: schedule.seed, shrinker.steps.withLabelsInOrder)
    last.shrinking =
      "\(schedule.steps.count) steps, made \(shrinker.steps.count) in \(shrinker.attempts) runs:"
    return last
  }
}

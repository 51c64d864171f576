import Dispatch

// What a device answers when asked how things stand. Whatever these return is durable, but for pieces of a delta that is
// still on its way.
extension Daemon {
  /// Everything that the device knows now.
  ///
  /// - Throws: ``StorageError`` when the disk has failed.
  public func status() throws -> StatusAnswer {
    let clockWarning = clockWarning
    return try read { engine, now in
      let time = engine.time(at: now)
      let view = engine.ledger { $0.view(at: time.now) }
      let warnings = engine.warnings(clockWarning, time, at: now)
      let credits = view.credits.map { engine.answer($0) }
      return StatusAnswer(engine, view, credits, warnings, at: TimeAnswer(time, engine))
    }
  }

  /// That the device's clock is not the system's, and by whose doing.
  var clockWarning: [String] {
    let lead = clock.lead
    guard lead != 0 else { return [] }
    let reason =
      lead == configuration.clockOffset
      ? "the offset that it was started with: start it without to have the machine's clock"
      : "the clock of the sandbox store, which this device follows"
    return [
      StatusAnswer.clockIsSet
        + "\(ClockSpan(milliseconds: lead)) \(lead > 0 ? "ahead of" : "behind") the machine's by \(reason)"
    ]
  }

  /// The catalogue, with what buying each product now would do.
  ///
  /// - Throws: ``StorageError`` when the disk has failed.
  public func products() throws -> ProductsAnswer {
    try read { engine, now in
      let time = engine.time(at: now)
      return engine.ledger { ledger in
        ProductsAnswer(
          products: ledger.productNames.compactMap { id in
            ledger.offer(id, at: time.now).map { ProductAnswer($0, ledger.entries(of: id)) }
          })
      }
    }
  }

  /// The proof of an entitlement: every purchase and how it counted.
  ///
  /// - Throws: a ``Problem`` when no product and no grant names it; ``StorageError`` when the disk has failed.
  public func why(_ entitlement: String) throws -> WhyAnswer {
    try read { engine, now in
      let time = engine.time(at: now)
      let why = engine.ledger { $0.why(entitlement, at: time.now) }
      guard let why else { throw engine.unknownEntitlement(entitlement, at: time.now) }
      let credits = why.credits.map { engine.answer($0) }
      return WhyAnswer(why, credits: credits, at: TimeAnswer(time, engine))
    }
  }

  /// One entitlement.
  ///
  /// - Throws: a ``Problem`` when no product or grant names it; ``StorageError`` when the disk has failed
  public func entitlement(_ id: String) throws -> EntitlementAnswer {
    try read { engine, now in
      let time = engine.time(at: now)
      let entitlements = engine.ledger { $0.view(at: time.now).entitlements }
      guard let found = entitlements.first(where: { Name($0.id) == Name(id) }) else {
        throw engine.unknownEntitlement(id, at: time.now)
      }
      return EntitlementAnswer(found)
    }
  }

  /// One line, with its runs.
  ///
  /// - Throws: a ``Problem`` when no product and no explicit date names it; ``StorageError`` when the disk has failed
  public func line(_ id: String) throws -> LineAnswer {
    try read { engine, now in
      let time = engine.time(at: now)
      let lines = engine.ledger { $0.view(at: time.now).lines }
      guard let found = lines.first(where: { Name($0.id) == Name(id) }) else {
        throw Problem.unknownLine(id, known: lines.map(\.id))
      }
      return LineAnswer(found)
    }
  }

  // MARK: Time

  /// What time it is on this device, and everything that somebody vouches for.
  ///
  /// - Throws: ``StorageError`` when the disk has failed
  public func time() throws -> TimeBoundsAnswer {
    try read { engine, now in TimeBoundsAnswer(engine.time(at: now), engine, at: now) }
  }

  /// Has this device's clock count: drops what peers have vouched for, because a person says that the clock is right. What the
  /// store signed stays.
  ///
  /// - Throws: a ``Problem`` when the device was made so that nobody may; ``DaemonError/stopped`` before ``start()`` and after
  ///   ``stop()``; ``StorageError`` when the disk has failed
  public func acceptTime() async throws -> TimeBoundsAnswer {
    try await require(.acceptTime)
    return try time()
  }

  // MARK: Changes

  /// Tells each change as it happens: how things stand at first, and again whenever something differs, be it by a
  /// write, a peer, or the mere passing of time. A reader that falls behind gets the newest only.
  ///
  /// - Parameter revision: the revision a reader knows already, of this daemon; the first answer is left out then
  ///   while nothing has changed since
  public nonisolated func changes(since revision: UInt64? = nil) -> AsyncStream<ChangeAnswer> {
    let (changes, continuation) = AsyncStream.makeStream(
      of: ChangeAnswer.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task(executorPreference: SerialTaskExecutor(label: "changes")) {
      await self.tellChanges(since: revision, to: continuation)
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return changes
  }

  private nonisolated func tellChanges(
    since known: UInt64?, to continuation: AsyncStream<ChangeAnswer>.Continuation
  ) async {
    var tracker = ChangeTracker(since: known)
    let (ticks, ticking) = AsyncStream.makeStream(of: UInt64?.self, bufferingPolicy: .bufferingNewest(1))
    let timers = Timers(on: DispatchQueue(label: "next change"))
    let alarm = DeadlineTimer(on: timers) { ticking.yield(nil) }
    async let _ = tellRevisions(to: ticking)
    var revision: UInt64 = 0
    for await tick in ticks {
      revision = tick ?? revision
      guard let (status, next) = try? await statusAndNextChange() else { return }
      if let change = tracker.take(status, revision: revision) { continuation.yield(change) }
      let now = clock.now().monotonic
      alarm.set(next.map { now + UInt64($0) }, now: now)
    }
  }

  private nonisolated func tellRevisions(to ticking: AsyncStream<UInt64?>.Continuation) async {
    for await revision in await revisions() { ticking.yield(revision) }
    ticking.finish()
  }

  /// How things stand, and in how many milliseconds they change by themselves.
  private func statusAndNextChange() throws -> (StatusAnswer, Int64?) {
    let status = try status()
    let next = try read { engine, now in
      let time = engine.time(at: now).now
      return engine.ledger { $0.view(at: time).nextChange }.map { $0.milliseconds - time.milliseconds }
    }
    // Clocks are set now and then: look again every hour at least.
    return (status, next.map { min(max($0, 1), 3_600_000) })
  }
}

extension StatusAnswer {
  init(
    _ engine: EngineView, _ view: LedgerView, _ credits: [CreditAnswer], _ warnings: [String],
    at time: TimeAnswer
  ) {
    let identity = engine.identity
    self.init(
      device: DeviceSummary(
        id: identity.device.description, name: identity.name, replica: identity.replica.description,
        accountToken: engine.holder.accountToken, environment: identity.environment.rawValue,
        bundleId: identity.bundleId),
      group: GroupSummary(engine), online: engine.isOnline,
      listen: engine.listeningAddresses?.first?.description,
      time: time, peers: engine.peers.map(PeerAnswer.init), lines: view.lines.map(LineAnswer.init),
      subscriptions: view.subscriptions.map(SubscriptionAnswer.init),
      entitlements: view.entitlements.map(EntitlementAnswer.init), purchased: view.purchased,
      credits: credits, digest: engine.replica.digest.description,
      warnings: warnings)
  }

  /// The names of what differs from an earlier answer; the time does not count.
  package func changes(since earlier: StatusAnswer?) -> [String] {
    let parts: [(String, Bool)] = [
      ("device", device == earlier?.device), ("group", group == earlier?.group),
      ("online", online == earlier?.online), ("listen", listen == earlier?.listen && earlier != nil),
      ("peers", peers == earlier?.peers), ("lines", lines == earlier?.lines),
      ("subscriptions", subscriptions == earlier?.subscriptions),
      ("entitlements", entitlements == earlier?.entitlements), ("purchased", purchased == earlier?.purchased),
      ("credits", credits == earlier?.credits), ("digest", digest == earlier?.digest),
      ("warnings", warnings == earlier?.warnings),
    ]
    return parts.filter { !$0.1 }.map(\.0)
  }
}

extension StatusAnswer.GroupSummary {
  init(_ engine: EngineView) {
    self.init(id: engine.identity.group.description, members: engine.group.members.count)
  }
}

extension EngineView {
  /// What the person who runs the device should know.
  ///
  /// - Parameter clockWarning: what the daemon says of its clock
  mutating func warnings(_ clockWarning: [String], _ time: TimeReading, at now: Now) -> [String] {
    warnings() + clockWarning
      + engine.clockFindings(time, at: now).map { $0.warning(name(of:)) }
  }

  private mutating func warnings() -> [String] {
    let warnings = ledger { ledger in
      ledger.catalogue.gaps
        + (ledger.unreadable > 0
          ? ["\(ledger.unreadable) registers are not understood here: update peerd on this device"] : [])
        + ledger.refusals.prefix(4).map { reason, count in
          "\(count) item\(count == 1 ? "" : "s") of the store count\(count == 1 ? "s" : "") for nothing: \(reason)"
        }
        + EngineView.warnings(ofContradictions: ledger.contradictions)
        + (ledger.catalogue.products.isEmpty
          ? ["the catalogue is empty: no purchase grants anything until a device with a catalogue is met"]
          : []) + EngineView.warnings(ofRevalued: ledger.revalued())
    }
    return warnings + oddityWarnings + standing + creditWarnings + doubtWarnings
  }

  /// Evidence of a store that contradicts itself.
  private static func warnings(ofContradictions ids: [String]) -> [String] {
    guard !ids.isEmpty else { return [] }
    return [
      "the store has signed two different things at one instant about \(ids.prefix(4).joined(separator: ", "))"
        + (ids.count > 4 ? " and \(ids.count - 4) more" : "")
        + ": what it takes back counts, else the greater content; an export has both"
    ]
  }

  /// Entries without a date that changed what past purchases are worth [F71].
  private static func warnings(ofRevalued products: [(product: String, count: Int)]) -> [String] {
    products.prefix(4).map { product, count in
      "the newest catalogue counts \(count) purchase\(count == 1 ? "" : "s") of \(product) otherwise than when "
        + "\(count == 1 ? "it was" : "they were") made: if that is not meant, write the product again with the former entry, and the "
        + "new one with the date that it counts from as `from`"
    }
      + (products.count > 4
        ? ["the newest catalogue counts purchases of \(products.count - 4) more products otherwise as well"]
        : [])
  }

  mutating func unknownEntitlement(_ id: String, at now: Instant) -> Problem {
    let known = ledger { $0.view(at: now).entitlements.map(\.id) }
    return Problem(.unknownEntitlement, "no entitlement '\(id)' is known here; \(Problem.list(known))")
  }
}

extension EngineView {
  /// What is wrong with this device, or with another, as a member of the group.
  fileprivate var standing: [String] {
    var warnings: [String] = []
    if engine.isRemoved { warnings.append(StatusAnswer.wasRemoved) }
    if engine.isFenced { warnings.append(StatusAnswer.anotherCopy) }
    warnings += losses
    return warnings
      + engine.forkedDevices.map { device in
        let name = engine.allDevices.first { $0.id == device }?.name
        return
          "\(name ?? "a device") (\(device.shortForm)) equivocated: it signed two conflicting commits. It was copied, "
          + "restored, or is dishonest; what it wrote since does not count"
      }
  }

  fileprivate func name(of device: DeviceID) -> String {
    engine.group.device(device)?.name ?? device.description
  }

  /// What this device knows that it has lost, and has not got back.
  var losses: [String] {
    var losses: [String] = []
    if let damage = engine.damage { losses.append(damage.warning) }
    if let setBack = engine.setBack {
      losses.append(
        "at \(setBack) the database was found to be older than what this device had acknowledged: connect to a device of "
          + "the group, which brings back what it knows; what was spent since is not known here, so credits stay locked "
          + "until they are reclaimed")
    }
    return losses
  }
}

extension Damage {
  /// What was left out, and what helps.
  package var warning: String {
    let remedy =
      isFinal
      ? "nobody else was in the group: restore the purchases, or import an earlier export, and decide the "
        + "rest anew"
      : "connect the other devices of the group: one that has it brings it back"
    return
      "the disk is damaged, and what does not fit was left out: \(what.joined(separator: "; ")); \(remedy)"
  }
}

extension StatusAnswer {
  /// How the warning begins of a device whose clock is not the system's.
  package static let clockIsSet = "the clock is set "
  /// The warning of a device that was removed.
  package static let wasRemoved =
    "this device was removed from its group: what it decides counts nowhere else; make a new one and let it join"
  /// The warning of a device that is fenced.
  package static let anotherCopy =
    "another copy of this device is at work, so it decides nothing: stop one of them for good, then restart the other"
}

extension Problem {
  static func unknownLine(_ id: String, known: [String]) -> Problem {
    Problem(.unknownLine, "no line '\(id)' is known here; \(list(known))")
  }

  /// Tells what there is instead.
  static func list(_ known: [String]) -> String {
    guard !known.isEmpty else { return "there are none: does the catalogue name any?" }
    return "known: " + known.prefix(8).joined(separator: ", ") + (known.count > 8 ? ", …" : "")
  }
}

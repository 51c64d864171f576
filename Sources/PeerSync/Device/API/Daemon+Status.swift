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
  var clockWarning: [Phrase] {
    let lead = clock.lead
    guard lead != 0 else { return [] }
    return [.clockIsSet(by: lead, isOffset: lead == configuration.clockOffset)]
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
      return WhyAnswer(why, credits: credits, at: TimeAnswer(time, engine)) { line in
        engine.author(of: .expiration(line: line))
      }
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
    _ engine: EngineView, _ view: LedgerView, _ credits: [CreditAnswer], _ warnings: [Phrase],
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
      warnings: warnings.map { $0.text(in: .english) },
      warningsInKorean: warnings.map { $0.text(in: .korean) })
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
  mutating func warnings(_ clockWarning: [Phrase], _ time: TimeReading, at now: Now) -> [Phrase] {
    warnings() + clockWarning
      + engine.clockFindings(time, at: now).map { $0.warning(name(of:)) }
  }

  // The device's own standing comes first: on one that was removed all the rest matters less.
  private mutating func warnings() -> [Phrase] {
    let environment = engine.identity.environment
    let warnings = ledger { ledger in
      let revalued = ledger.revalued()
      let catalogue = ledger.catalogue
      return catalogue.gapsToldTogether(ledger.title)
        + (ledger.unreadable > 0 ? [.notUnderstood(ledger.unreadable)] : [])
        + ledger.refusals.prefix(4).map {
          .countsForNothing($0.count, $0.reason, in: environment)
        }
        + (ledger.contradictions.isEmpty ? [] : [.contradictions(ledger.contradictions)])
        + (ledger.reusedIds.isEmpty ? [] : [.soldTwice(ledger.reusedIds)])
        + (catalogue.products.isEmpty ? [.emptyCatalogue] : [])
        + revalued.prefix(4).map { .revalued(ledger.title(of: $0.product), $0.count) }
        + (revalued.count > 4 ? [.revaluedMore(revalued.count - 4)] : [])
    }
    // Who is out can do nothing about what its earlier lives hold.
    let credits = engine.isRemoved ? [] : creditWarnings + doubtWarnings
    return standing + warnings + oddityWarnings + credits
  }

  mutating func unknownEntitlement(_ id: String, at now: Instant) -> Problem {
    let known = ledger { $0.view(at: now).entitlements.map(\.id) }
    let absence = Phrase("no entitlement '\(id)' is known here; ", "여기서 아는 ‘\(id)’ 권한이 없습니다. ")
    return Problem(.unknownEntitlement, absence + Problem.list(known))
  }
}

extension EngineView {
  /// What is wrong with this device, or with another, as a member of the group.
  package var standing: [Phrase] {
    // Who is out meets nobody any more by whom the rest would end, as that it is a copy. A damaged disk has lost something all the same.
    if engine.isRemoved { return [.wasRemoved] + [engine.damage?.warning].compactMap(\.self) }
    return (engine.mayBeRemoved ? [.mayBeRemoved] : []) + (engine.hasLeftInVain ? [.staysAsTheLast] : [])
      + (engine.isOutWithHost ? [engine.leaver.map { .isPutOut(by: $0) } ?? .isOutWithHost] : [])
      + (engine.isFenced ? [.anotherCopy] : []) + losses
      + [engine.partedMembers.map { .areParted($0.names, from: $0.first) }].compactMap(\.self)
      + engine.putOut.map { .putOut($0.letIn.map(\.name), by: name(of: $0.host.id), isBelow: $0.isBelow) }
      + engine.broughtBack.map {
        .broughtBack($0.devices.map(\.name), by: name(of: $0.host.id), isBelow: $0.isBelow)
      }
      + crowding
      + engine.takenBeyondAll.map { .notAllIsHere($0.name) }
      + engine.notKnowing.map { .isNotKnown(to: name(of: $0)) }
      + [engine.claimant.map { .isClaimed(by: $0) }].compactMap(\.self)
      + engine.knowingStrangers.map { .knowsStrangers(name(of: $0)) }
      + engine.forkedMembers.map { .equivocated($0.name, $0.id.shortForm) }
  }

  fileprivate func name(of device: DeviceID) -> String {
    engine.group.device(device)?.name ?? device.description
  }

  /// Who has used up the room for membership records, and how it is got back.
  private var crowding: [Phrase] {
    let devices = Dictionary(engine.allDevices.map { ($0.founding, $0.name) }) { first, _ in first }
    return engine.crowders.compactMap { crowder in
      devices[crowder.founding].map {
        .crowds(
          $0, crowder.records, senior: crowder.senior.flatMap { devices[$0] }, isGone: crowder.isGone)
      }
    }
  }

  /// What this device knows that it has lost, and has not got back.
  var losses: [Phrase] {
    [engine.damage?.warning, engine.setBack.map { .setBack(at: $0) }].compactMap(\.self)
  }
}

extension StatusAnswer {
  /// How the warning begins of a device whose clock is not the system's.
  package static let clockIsSet = "the clock is set "
  /// The warning of a device that was removed.
  package static let wasRemoved =
    "this device was removed from its group: what it decides counts nowhere else; make a new one and let it join, and where something was "
    + "bought here that the others do not know, export it here and import it there"
  /// The warning of a device that others do not know.
  package static let mayBeRemoved =
    "other devices were reached, and do not know this one: it may have been removed from its group while it was away, or their "
    + "disks were set back; look at the devices of the group on one of them: if only this one is not there make a new one and let it join; "
    + "one that knows no device of this group joins again here"
  /// The warning of a device that is fenced.
  package static let anotherCopy =
    "another copy of this device is at work, so it decides nothing: stop one of them for good, then restart the other"
}

extension Problem {
  static func unknownLine(_ id: String, known: [String]) -> Problem {
    let absence = Phrase("no line '\(id)' is known here; ", "여기서 아는 ‘\(id)’ 이용 기간이 없습니다. ")
    return Problem(.unknownLine, absence + list(known))
  }

  /// Tells what there is instead.
  static func list(_ known: [String]) -> Phrase {
    guard !known.isEmpty else {
      return Phrase("there are none: does the catalogue name any?", "하나도 없습니다. 카탈로그에 있는지 확인하세요")
    }
    return Phrase("known: ", "아는 것: ") + .same(named(known))
  }

  /// At most eight names.
  static func named(_ known: [String]) -> String {
    known.prefix(8).joined(separator: ", ") + (known.count > 8 ? ", …" : "")
  }
}

import Dispatch

// What has happened, and who made what is there.
extension Daemon {
  /// Most transactions, or things that have happened, in one answer.
  package static let mostListed = 10_000
  /// How many there are where nobody says.
  package static let usuallyListed = 1000

  /// The newest of all that has happened, as far as what is known now tells it, the newest last.
  ///
  /// - Parameters:
  ///   - since: what happened before is left out, and what nobody knows the time of
  ///   - limit: how many at most
  /// - Throws: a ``Problem`` for a limit that is no number from 1 to 10,000; ``StorageError`` when the disk has failed
  public func history(since: Instant? = nil, limit: Int? = nil) throws -> HistoryAnswer {
    let limit = try Self.checked(limit)
    return try read { engine, now in
      // What the time decides is counted anew first.
      let present = engine.time(at: now).now
      let occurrences = engine.history(since: since, at: present, atMost: limit)
      let events = engine.ledger { ledger in occurrences.map { EventAnswer($0, ledger.product) } }
      return HistoryAnswer(events: events)
    }
  }

  /// A page of the transactions known, by purchase date, each with the device that bought it.
  ///
  /// - Parameters:
  ///   - last: the id of the last one of the page before; nil: from the first
  ///   - limit: how many at most
  /// - Throws: a ``Problem`` for a limit that is no number from 1 to 10,000, or for an id that is not known here; ``StorageError``
  ///   when the disk has failed
  public func transactions(after last: String? = nil, limit: Int? = nil) throws -> TransactionsAnswer {
    let limit = try Self.checked(limit)
    return try read { engine, _ in
      var records = engine.ledger { $0.transactions() }[...]
      if let last {
        guard let place = records.firstIndex(where: { Name($0.reference) == Name(last) }) else {
          throw Problem(
            .unknownTransaction,
            Phrase(
              "no transaction '\(last)' is known here: begin without `after`",
              "여기서 아는 ‘\(last)’ 거래가 없습니다. `after` 없이 시작하세요"))
        }
        records = records[(place + 1)...]
      }
      let page = Array(records.prefix(limit))
      let buyers = engine.buyers(of: page)
      let answers = zip(page, buyers).map { record, buyer in
        TransactionAnswer(record, by: buyer.map { EventAnswer.Named($0) })
      }
      return TransactionsAnswer(
        transactions: answers, next: records.count > limit ? page.last?.reference : nil)
    }
  }

  private static func checked(_ limit: Int?) throws -> Int {
    let limit = limit ?? usuallyListed
    guard (1...mostListed).contains(limit) else {
      throw Problem(
        .invalidValue, Phrase("limit is 1 to \(mostListed)", "limit 값은 1~\(mostListed)입니다"))
    }
    return limit
  }

  // MARK: Events

  /// Tells what happens as it happens, each thing by itself, once it is durable. What another device wrote is durable there, and is
  /// told before it is durable here: where it never becomes so, the daemon ends, and the stream with it. A reader that falls far
  /// behind loses the stream and resumes it.
  ///
  /// - Parameters:
  ///   - number: the last that the reader knows, of this daemon; nil: it begins now. What came after it is told first, or that it
  ///     is not kept any more
  ///   - traffic: whether to tell of messages to and from peers as well
  public func events(since number: UInt64? = nil, traffic: Bool = false) -> AsyncStream<DeviceEvent> {
    let (events, continuation) = AsyncStream.makeStream(
      of: DeviceEvent.self, bufferingPolicy: .bufferingOldest(EventFeed.waitingEvents))
    if case .ended = phase {
      continuation.finish()
      return events
    }
    if feed.sales == nil { feed.sales = engine.look { $0.sales() } }
    if feed.standing == nil { feed.standing = try? standing().standing }
    for event in beginning(since: number) { continuation.yield(event) }
    let id = feed.add(continuation, hearsTraffic: traffic)
    let queue = executor.queue
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      queue.async { self.assumeIsolated { $0.feed.remove(id) } }
    }
    if feed.lookout == nil { feed.lookout = lookingOut() }
    return events
  }

  private func beginning(since number: UInt64?) -> [DeviceEvent] {
    let last = feed.ring.next - 1
    guard let number else { return [.ready(last)] }
    guard feed.isFollowed, let missed = feed.ring.after(number) else { return [.reset(last)] }
    return told(missed)
  }

  /// Tells those who follow what was written, here once it is durable.
  func tell(_ writes: [WriteBatch]) {
    guard feed.isFollowed else { return }
    let last = feed.ring.next - 1
    note(writes)
    if feed.hasReaders { tell(since: last) }
  }

  /// Tells those who follow what else has happened, now that it is durable.
  ///
  /// - Parameter heard: what came from peers
  func tell(_ effects: Effects, heard: [(session: SessionID, traffic: TrafficAnswer)]) {
    guard feed.isFollowed else { return }
    let last = feed.ring.next - 1
    for event in effects.notices.compactMap({ happened($0) }) { feed.note(event) }
    guard feed.hasReaders else { return }
    tell(since: last)
    if feed.tellsTraffic { tellTraffic(effects, heard) }
  }

  /// What peers say, for those who follow it: before it is taken in, as only then can be seen what of it is news.
  func heard(_ events: [Event]) -> [(session: SessionID, traffic: TrafficAnswer)] {
    guard feed.tellsTraffic else { return [] }
    var known: Set<TrafficAnswer.Told> = []
    return events.compactMap { event in
      guard case .received(let session, let message) = event else { return nil }
      var traffic = TrafficAnswer(message, isOut: false, author: author)
      for place in traffic.purchases.indices {
        let told = traffic.purchases[place].told
        let isKnown = engine.look { view in
          view.ledger { ledger in told.allSatisfy { $0.isKnown(in: ledger) } }
        }
        traffic.purchases[place].news = !isKnown && !told.isSubset(of: known)
        known.formUnion(told)
      }
      return (session, traffic)
    }
  }

  private func author(_ key: PublicKey) -> EventAnswer.Named? {
    engine.allDevices.first { $0.key == key }.map { EventAnswer.Named($0) }
  }

  private func note(_ writes: [WriteBatch]) {
    feed.note(writes) { item in engine.look { $0.sales(at: item) } }
    // Of much at once nothing is told, and nothing later either.
    if feed.sales == nil { feed.sales = engine.look { $0.sales() } }
  }

  private func tell(since last: UInt64) {
    let next = feed.ring.next
    guard next - 1 > last else { return }
    feed.tell(feed.ring.after(last).map { told($0) } ?? [.reset(next - 1)])
  }

  /// What entries say by now. A write that was replaced since says nothing: what replaced it does.
  private func told(_ entries: [(number: UInt64, element: EventFeed.Entry)]) -> [DeviceEvent] {
    let now = clock.now()
    return engine.look { engine in
      entries.compactMap { number, entry in
        switch entry {
        case .told(let event): return .happened(number, event)
        case .sold(let sale):
          return engine.occurrence(of: sale).map { .happened(number, engine.event($0, at: now)) }
        case .written(let key, let dot):
          return engine.occurrence(at: key, dot).map { .happened(number, engine.event($0, at: now)) }
        }
      }
    }
  }

  /// What a notice tells those who follow.
  private func happened(_ notice: Notice) -> EventAnswer? {
    let now = clock.now()
    return engine.look { engine in
      let present = engine.time(at: now).now
      switch notice {
      case .connected(let device, let name):
        return EventAnswer(
          connection: EventAnswer.Named(id: device.description, name: name), isOpen: true, present)
      case .disconnected(let device):
        return engine.named(device).map { EventAnswer(connection: $0, isOpen: false, present) }
      case .admitted(let device, _): return engine.membership(of: device, isRemoval: false, at: present)
      case .removed(let device, _): return engine.membership(of: device, isRemoval: true, at: present)
      case .joined: return engine.membership(of: engine.identity.device, isRemoval: false, at: present)
      case .timeAccepted: return EventAnswer(.accepted, present, by: engine.named(engine.identity.device))
      default: return nil
      }
    }
  }

  private func tellTraffic(
    _ effects: Effects, _ heard: [(session: SessionID, traffic: TrafficAnswer)]
  ) {
    let number = feed.ring.next - 1
    let sent = effects.messages.map { session, message in
      (session: session, traffic: TrafficAnswer(message, isOut: true, author: author))
    }
    feed.tell(
      (heard + sent).map { session, traffic in
        var traffic = traffic
        traffic.peer = engine.device(on: session).flatMap { device in engine.look { $0.named(device) } }
        return .traffic(number, traffic)
      })
  }

  // MARK: What changes by more than what is written

  /// Looks how things stand whenever that may have changed, be it by time alone, as long as somebody follows.
  private nonisolated func lookingOut() -> Task<Void, Never> {
    Task(executorPreference: SerialTaskExecutor(label: "lookout")) { [weak self] in
      let (ticks, ticking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let timers = Timers(on: DispatchQueue(label: "next look"))
      let alarm = DeadlineTimer(on: timers) { ticking.yield() }
      guard let revisions = await self?.revisions() else { return }
      async let _: Void = {
        for await _ in revisions { ticking.yield() }
        ticking.finish()
      }()
      for await _ in ticks {
        guard let self, let next = try? await self.lookAgain() else { return }
        let now = clock.now().monotonic
        alarm.set(now + UInt64(next), now: now)
      }
    }
  }

  /// Tells how things stand differently, and says in how many milliseconds they do so by themselves.
  private func lookAgain() throws -> Int64 {
    let (standing, next) = try standing()
    let events = feed.standing.map { standing.events(since: $0) } ?? []
    feed.standing = standing
    let last = feed.ring.next - 1
    for event in events { feed.note(event) }
    tell(since: last)
    // Clocks are set now and then: look again every hour at least.
    return next.map { min(max($0, 1), 3_600_000) } ?? 3_600_000
  }

  private func standing() throws -> (standing: ObservedStatus, nextChange: Int64?) {
    let clockWarning = clockWarning
    return try read { engine, now in
      let time = engine.time(at: now)
      let view = engine.ledger { $0.view(at: time.now) }
      let standing = ObservedStatus(
        now: time.now, entitlements: view.entitlements.map(EntitlementAnswer.init),
        subscriptions: view.subscriptions.map(SubscriptionAnswer.init),
        warnings: engine.warnings(clockWarning, time, at: now).map { $0.text(in: .english) })
      return (standing, view.nextChange.map { $0.milliseconds - time.now.milliseconds })
    }
  }
}

extension EngineView {
  fileprivate func named(_ device: DeviceID) -> EventAnswer.Named? {
    return engine.allDevices.first { $0.id == device }.map { EventAnswer.Named($0) }
  }

  /// That a device came or was removed just now.
  fileprivate func membership(of device: DeviceID, isRemoval: Bool, at now: Instant) -> EventAnswer? {
    let found = membershipOccurrences().last { occurrence in
      switch occurrence.what {
      case .joined(let joined): !isRemoval && joined.id == device
      case .removed(let removed): isRemoval && removed.id == device
      default: false
      }
    }
    return found.map { occurrence in
      var event = EventAnswer(occurrence) { _ in nil }
      (event.time, event.learned) = (now, nil)
      return event
    }
  }

  /// What has just happened, with how what it is about stands since.
  fileprivate mutating func event(_ occurrence: Occurrence, at now: Now) -> EventAnswer {
    let present = time(at: now).now
    return ledger { ledger in
      var event = EventAnswer(occurrence, ledger.product)
      if occurrence.time != .stated(occurrence.instant ?? present) {
        (event.time, event.learned) = (present, nil)
      }
      if let line = occurrence.what.transaction.flatMap({
        ledger.product($0.productId, at: $0.purchaseDate)?.stackingLine
      }) {
        event.line = line
        event.expires = ledger.view(at: present).lines.first { Name($0.id) == Name(line) }?.expires
      }
      let names = Set(occurrence.what.entitlements(by: ledger).map(Name.init))
      if !names.isEmpty {
        event.entitlements = ledger.view(at: present).entitlements
          .filter { names.contains(Name($0.id)) }.map(EntitlementAnswer.init)
      }
      return event
    }
  }
}

extension Occurrence.What {
  /// What was bought, or taken back.
  fileprivate var transaction: Transaction? {
    switch self {
    case .bought(let record), .refunded(let record): record.transaction
    default: nil
    }
  }

  /// The entitlements that may have changed by it.
  fileprivate func entitlements(by ledger: Ledger) -> [String] {
    switch self {
    case .bought(let record), .refunded(let record):
      ledger.product(record.transaction.productId, at: record.transaction.purchaseDate)?.entitlements ?? []
    case .granted(let entitlement, _): [entitlement]
    case .dated(let line, _):
      ledger.catalogue.products.filter { $0.line.map(Name.init) == Name(line) }
        .flatMap { $0.entitlements ?? [] }
    case .spent, .reclaimed, .stated, .set, .joined, .renamed, .removed, .accepted: []
    }
  }
}

import Dispatch

extension Daemon {
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

/// Decides what a reader of changes is told.
package struct ChangeTracker: Sendable {
  private let known: UInt64?
  private var last: StatusAnswer?

  /// - Parameter known: the revision that the reader knows already
  package init(since known: UInt64?) { self.known = known }

  /// What to tell of how things stand now; nil when nothing differs from what the reader knows.
  package mutating func take(_ status: StatusAnswer, revision: UInt64) -> ChangeAnswer? {
    defer { last = status }
    let changed = status.changes(since: last)
    guard !changed.isEmpty, last != nil || revision != known else { return nil }
    return ChangeAnswer(revision: revision, changed: changed, status: status)
  }
}

import Dispatch

/// All that waits for time on one queue, behind one timer of Dispatch.
package final class Timers: Sendable {
  /// Names something that waits.
  package typealias Ticket = Deadlines<() -> Void>.Ticket

  private struct State {
    let source: any DispatchSourceTimer
    var deadlines = Deadlines<() -> Void>()
    /// What the source is set for.
    var armed: Deadlines<() -> Void>.Span?

    /// Sets the source for the next deadline.
    mutating func arm() {
      let next = deadlines.next
      guard next != armed else { return }
      armed = next
      guard let next else { return source.schedule(deadline: .distantFuture) }
      source.schedule(
        deadline: DispatchTime(uptimeNanoseconds: next.due),
        leeway: .nanoseconds(Int(clamping: next.latest - next.due)))
    }
  }

  // Entered on the queue, and by what goes away elsewhere.
  private let state: Guarded<State>

  /// - Parameter queue: a serial one, on which everything is done
  package init(on queue: DispatchQueue) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    state = Guarded(State(source: source))
    source.setEventHandler { [weak self] in self?.fire() }
    // Dispatch opens a descriptor for its timers with the first that is set: not when there is none left.
    source.schedule(deadline: .now())
    source.activate()
  }

  deinit { state.withLock { $0.source.cancel() } }

  /// Has something done after a while. What waits far may share a wake-up with others: it may come a sixteenth later, and at
  /// most a second.
  ///
  /// - Parameter old: what it takes the place of
  package func schedule(
    afterMilliseconds wait: UInt64, replacing old: Ticket? = nil, _ body: @escaping () -> Void
  )
    -> Ticket
  {
    let due = Self.now.addingSaturated(wait.milliseconds)
    let latest = due.addingSaturated(min(wait / 16, 1000).milliseconds)
    // What is replaced goes away outside of the lock: who knows what goes with it.
    let (ticket, replaced) = state.withLock { state in
      let replaced = old.flatMap { state.deadlines.cancel($0) }
      let ticket = state.deadlines.add(body, due: due, latest: latest)
      state.arm()
      return (ticket, replaced)
    }
    withExtendedLifetime(replaced) {}
    return ticket
  }

  /// What waits under that name is not done any more.
  package func cancel(_ ticket: Ticket) {
    let cancelled = state.withLock { state in
      defer { state.arm() }
      return state.deadlines.cancel(ticket)
    }
    withExtendedLifetime(cancelled) {}
  }

  /// Does what is due. What that adds has its turn the next time, so that nobody keeps the queue for good.
  private func fire() {
    let now = Self.now
    let end = state.withLock { state in
      state.armed = nil
      return state.deadlines.added
    }
    while let body = state.withLock({ $0.deadlines.take(at: now, addedBefore: end) }) { body() }
    state.withLock { $0.arm() }
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

extension UInt64 {
  /// So many milliseconds in nanoseconds; the most there are, when it is more.
  fileprivate var milliseconds: UInt64 {
    let (product, isTooMany) = multipliedReportingOverflow(by: 1_000_000)
    return isTooMany ? .max : product
  }

  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, isTooMany) = addingReportingOverflow(other)
    return isTooMany ? .max : sum
  }
}

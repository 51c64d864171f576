/// A timer for one deadline at a time. The daemon has one: everything of the engine that waits for time waits for its next
/// deadline. Whoever watches the daemon has another, for what changes by the mere passing of time.
package final class DeadlineTimer {
  private let timers: Timers
  private let fired: () -> Void
  private var deadline: UInt64?
  private var ticket: Timers.Ticket?

  package init(on timers: Timers, fired: @escaping () -> Void) {
    self.timers = timers
    self.fired = fired
  }

  deinit { cancel() }

  /// Sets the timer, unless it is set so already. Both times are in milliseconds of the monotonic clock.
  package func set(_ next: UInt64?, now: UInt64) {
    guard next != deadline else { return }
    deadline = next
    guard let next else { return cancel() }
    // At least 1 ms: a deadline that stays in the past would otherwise keep the queue busy.
    let wait = next > now ? next - now : 1
    ticket = timers.schedule(afterMilliseconds: wait, replacing: ticket, fired)
  }

  /// The timer has fired: the next ``set(_:now:)`` counts, even for the same time.
  package func clear() { deadline = nil }

  private func cancel() {
    if let ticket { timers.cancel(ticket) }
    ticket = nil
  }
}

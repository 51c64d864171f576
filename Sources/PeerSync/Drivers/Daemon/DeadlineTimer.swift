import Dispatch

/// A timer for one deadline at a time. The daemon has one: everything that waits for time waits for the engine's next
/// deadline. Who watches the daemon has another, for what changes by the mere passing of time.
final class DeadlineTimer {
  private let source: any DispatchSourceTimer
  private var deadline: UInt64?

  init(queue: DispatchQueue, fired: @escaping () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler(handler: fired)
    source.schedule(deadline: .distantFuture)
    source.activate()
  }

  deinit { source.cancel() }

  /// Sets the timer, unless it is set so already. Both times are in milliseconds of the monotonic clock.
  func set(_ next: UInt64?, now: UInt64) {
    guard next != deadline else { return }
    deadline = next
    guard let next else { return source.schedule(deadline: .distantFuture) }
    // At least 1 ms: a deadline that stays in the past would otherwise keep the queue busy.
    let wait = Int(clamping: max(next > now ? next - now : 1, 1))
    // Far deadlines may share a wake-up with other programs'.
    source.schedule(deadline: .now() + .milliseconds(wait), leeway: .milliseconds(min(wait / 16, 1000)))
  }

  /// The timer has fired: the next ``set(_:now:)`` counts, even for the same time.
  func clear() { deadline = nil }
}

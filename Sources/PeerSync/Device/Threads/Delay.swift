/// Something to be done on a queue after a while, unless the value goes away before.
package final class Delay {
  private let timers: Timers
  private let ticket: Timers.Ticket

  package init(milliseconds: Int, on timers: Timers, _ body: @escaping () -> Void) {
    self.timers = timers
    ticket = timers.schedule(afterMilliseconds: UInt64(clamping: milliseconds), body)
  }

  deinit { timers.cancel(ticket) }
}

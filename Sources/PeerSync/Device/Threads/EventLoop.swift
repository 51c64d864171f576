import Dispatch

/// A serial queue, and what happens on it: sockets that are ready, and times that have come.
///
/// Whatever is on a loop holds it. Once nothing does, its queue and its poller are those of the next loop.
package final class EventLoop: Sendable {
  package let timers: Timers
  package let poller: Poller

  package init() {
    poller = Poller.take()
    timers = Timers(on: poller.queue)
  }

  deinit { Poller.giveBack(poller) }

  /// The queue on which everything happens.
  package var queue: DispatchQueue { poller.queue }
}

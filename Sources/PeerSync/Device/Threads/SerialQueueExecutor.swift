import Dispatch

/// Runs an actor on a serial Dispatch queue, so that what else runs on that queue may enter it with
/// `assumeIsolated`. (Dispatch's own serial executor does not exist on Linux.)
///
/// A task that prefers a task executor gives the queue back at every `await`, even of a function of the same actor, and
/// others may have their turn before it goes on. So whoever waits for something has to look whether it is there within
/// the closure of `withCheckedContinuation`, not before it: between the two it may come, and nobody would be told.
package final class SerialQueueExecutor: SerialExecutor {
  /// The queue on which everything runs.
  package let queue: DispatchQueue

  private static let mark = DispatchSpecificKey<ObjectIdentifier>()

  /// - Parameter queue: a serial one
  package init(_ queue: DispatchQueue) {
    self.queue = queue
    queue.setSpecific(key: Self.mark, value: ObjectIdentifier(queue))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  package func isIsolatingCurrentContext() -> Bool? {
    DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(queue)
  }
}

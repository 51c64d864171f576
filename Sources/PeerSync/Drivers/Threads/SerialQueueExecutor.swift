import Dispatch

/// Runs an actor on a serial Dispatch queue, so that the handlers of Dispatch sources on that queue may enter it with
/// `assumeIsolated`. (Dispatch's own serial executor does not exist on Linux.)
package final class SerialQueueExecutor: SerialExecutor {
  /// The queue on which everything runs.
  package let queue: DispatchQueue

  private let mark = DispatchSpecificKey<ObjectIdentifier>()

  package init(label: String) {
    queue = DispatchQueue(label: label)
    queue.setSpecific(key: mark, value: ObjectIdentifier(self))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  package func isIsolatingCurrentContext() -> Bool? {
    DispatchQueue.getSpecific(key: mark) == ObjectIdentifier(self)
  }
}

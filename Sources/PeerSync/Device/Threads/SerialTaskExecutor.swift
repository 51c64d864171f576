import Dispatch

/// Runs a task, and the child tasks that inherit its preference, on a serial Dispatch queue of its own, instead of the
/// few threads that tasks share: those may all be busy with something long. Nor do they cost nothing at rest: on
/// Linux, once one of them has run anything, Dispatch looks every second, for as long as the process lives, whether
/// more are needed. The threads of serial queues are not counted among them.
package final class SerialTaskExecutor: TaskExecutor {
  private let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

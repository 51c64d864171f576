import Dispatch

/// Runs the tasks that answer requests on Dispatch's threads: the few threads that other tasks share may all be busy
/// with something long, and the control API must answer then too.
final class RequestExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "peersync.http", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

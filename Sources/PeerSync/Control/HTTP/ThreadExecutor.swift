import Dispatch
import PeerSync

/// Runs a task on a thread while that waits for what the task makes: two switches between threads fewer. At all other times
/// a serial queue of its own runs it, so that the task never waits for the thread.
package final class ThreadExecutor: TaskExecutor {
  private struct State {
    var isServed = false
    var jobs: [UnownedJob] = []
    let wake: @Sendable () -> Void
  }

  private let state: Guarded<State>
  private let queue: DispatchQueue

  /// - Parameter wake: tells the thread that there is something to run; may be called after the thread has left
  package init(label: String, wake: @escaping @Sendable () -> Void) {
    queue = DispatchQueue(label: label)
    state = Guarded(State(wake: wake))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.isServed else { return nil }
      state.jobs.append(job)
      return state.wake
    }
    // Not under the lock, which is the first thing that the thread takes once it is awake. It may be through with the job by now, and with
    // it the task that had kept this executor: so nothing here is touched any more.
    if let wake { wake() } else { onQueue(job) }
  }

  /// The thread begins to wait: from now on it is woken for jobs, and has to run them by ``run()``.
  package func begin() { state.withLock { $0.isServed = true } }

  /// Runs what there is.
  package func run() {
    while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// The thread has something else to do.
  package func end() {
    let rest = state.withLock { state in
      defer { (state.isServed, state.jobs) = (false, []) }
      return state.jobs
    }
    for job in rest { onQueue(job) }
  }

  private func onQueue(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

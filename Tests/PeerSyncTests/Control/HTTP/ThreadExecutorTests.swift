import Foundation
import PeerSync
import PeerSyncControl
import Testing

@Suite("Tasks on threads that wait", .noHang)
struct ThreadExecutorTests {
  @Test("a task runs on the thread that waits for it, and elsewhere once that has left")
  func executor() async throws {
    let wakes = Guarded(0)
    let executor = ThreadExecutor(label: "test") { wakes.withLock { $0 += 1 } }
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let threads = Guarded<[Bool]>([])
    let isWaiting = await onThread {
      let own = pthread_self()
      executor.begin()
      let task = Task(executorPreference: executor) {
        threads.withLock { $0.append(pthread_equal(pthread_self(), own) != 0) }
        for await _ in gate {}
        return threads.withLock { $0.count }
      }
      executor.run()
      executor.end()
      return task
    }
    #expect(threads.withLock { $0 } == [true] && wakes.withLock { $0 } == 1)
    // Nobody serves it any more.
    opening.finish()
    #expect(await isWaiting.value == 1 && wakes.withLock { $0 } == 1)
  }

  /// The job may be all that was left of the task, and the task all that kept the executor.
  @Test("an executor may go while whoever had a job for it still wakes its thread")
  func lifetime() async {
    await onThread {
      for _ in 0..<Self.rounds {
        let (wake, isDone) = (DispatchSemaphore(value: 0), Guarded(false))
        let executor = ThreadExecutor(label: "test") { wake.signal() }
        executor.begin()
        Task(executorPreference: executor) {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume() }
          }
          isDone.withLock { $0 = true }
        }
        // It finds the job without being woken for it.
        while !isDone.withLock({ $0 }) { executor.run() }
        executor.end()
      }
    }
  }

  private static let rounds = 20_000
}

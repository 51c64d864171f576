import Foundation

/// Runs what blocks on a thread of its own: the threads that tasks share are few, and others need them meanwhile.
///
/// The result passes through a lock. A continuation could carry it, but by atomics of the Swift runtime, which the thread
/// sanitizer does not see.
///
/// - Throws: what `body` throws
package func onThread<Success: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Success
) async throws(Failure) -> Success {
  let result = Guarded<Result<Success, Failure>?>(nil)
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      let made = Result(catching: body)
      result.withLock { $0 = made }
      continuation.resume()
    }
  }
  guard let made = result.withLock({ $0 }) else { preconditionFailure("resumed before there was a result") }
  return try made.get()
}

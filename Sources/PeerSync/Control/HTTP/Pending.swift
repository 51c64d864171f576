import Foundation
import PeerSync

/// A response that a connection's thread waits for, and meanwhile runs the task that makes it.
final class Pending: Sendable {
  private let response = Guarded<HTTPResponse?>(nil)
  private let change = DispatchSemaphore(value: 0)
  private let executor: ThreadExecutor

  init() { executor = ThreadExecutor(label: "control API request") { [change] in change.signal() } }

  /// Gives the response; the first one counts.
  func fulfil(_ made: HTTPResponse) {
    response.withLock { $0 = $0 ?? made }
    change.signal()
  }

  /// Blocks the thread until there is a response, made by the task or given by somebody else. Called once.
  func wait(for answer: @escaping @Sendable () async -> HTTPResponse) -> HTTPResponse {
    executor.begin()
    defer { executor.end() }
    Task(executorPreference: executor) { [self] in fulfil(await answer()) }
    while true {
      executor.run()
      if let made = response.withLock({ $0 }) { return made }
      change.wait()
    }
  }
}

import Foundation
import PeerSync

/// A response that a connection's thread waits for while a task makes it.
final class Pending: Sendable {
  private let response = Guarded<HTTPResponse?>(nil)
  private let isReady = DispatchSemaphore(value: 0)

  /// Gives the response; the first one counts.
  func fulfil(_ made: HTTPResponse) {
    let isFirst = response.withLock { response in
      guard response == nil else { return false }
      response = made
      return true
    }
    if isFirst { isReady.signal() }
  }

  /// Blocks the thread until there is a response. Called once.
  func wait() -> HTTPResponse {
    isReady.wait()
    return response.withLock { $0 } ?? Problem(.stopping).response
  }
}

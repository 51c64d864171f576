/// Requests that wait for their answers.
final class PendingRequests {
  private var waiting: [RequestID: CheckedContinuation<Answer, any Error>] = [:]
  private var last: UInt64 = 0

  /// Takes a request in, and names it.
  func admit(_ continuation: CheckedContinuation<Answer, any Error>) -> RequestID {
    last += 1
    let id = RequestID(rawValue: last)
    waiting[id] = continuation
    return id
  }

  func answer(_ id: RequestID, _ answer: Answer) {
    waiting.removeValue(forKey: id)?.resume(returning: answer)
  }

  func failAll(_ error: any Error) {
    let failed = waiting.values
    waiting = [:]
    for continuation in failed { continuation.resume(throwing: error) }
  }
}

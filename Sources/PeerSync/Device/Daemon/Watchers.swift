/// Those who want to look again when something has changed.
final class Watchers {
  private var continuations: [UInt64: AsyncStream<UInt64>.Continuation] = [:]
  private var last: UInt64 = 0
  /// Counts the changes since the daemon started.
  private(set) var revision: UInt64 = 0

  /// Adds a watcher, which is told the present revision at once.
  func add(_ continuation: AsyncStream<UInt64>.Continuation) -> UInt64 {
    last += 1
    continuations[last] = continuation
    continuation.yield(revision)
    return last
  }

  func remove(_ id: UInt64) { continuations[id] = nil }

  func changed() {
    revision += 1
    for continuation in continuations.values { continuation.yield(revision) }
  }

  func finish() {
    let finished = continuations.values
    continuations = [:]
    for continuation in finished { continuation.finish() }
  }
}

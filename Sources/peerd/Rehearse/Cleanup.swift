import Foundation
import PeerSync

/// What this process has made and nobody else would take away: processes that it has started, which signals to it do not
/// reach, and temporary directories.
enum Cleanup {
  private static let jobs = Guarded<[(id: UUID, body: @Sendable () -> Void)]>([])

  /// Makes something, and remembers how to take it away. Nothing is made any more once the cleaning has begun.
  ///
  /// - Returns: what to ``forget(_:)`` it by
  static func add(_ body: @escaping @Sendable () -> Void, making: () throws -> Void = {}) throws -> UUID {
    try jobs.withLock { jobs in
      try making()
      let id = UUID()
      jobs.append((id, body))
      return id
    }
  }

  /// It has been taken away.
  static func forget(_ id: UUID) { jobs.withLock { $0.removeAll { $0.id == id } } }

  /// From now on a signal to stop cleans up and ends the process, in the middle of whatever it does.
  static func whenStopped() -> Signals {
    Signals { _ in
      // The lock is kept to the end: nobody makes anything meanwhile. The newest first, so that processes have ended
      // before the directories go that they use.
      jobs.withLock { jobs in
        for job in jobs.reversed() { job.body() }
        _exit(ExitStatus.failed.rawValue)
      }
    }
  }
}

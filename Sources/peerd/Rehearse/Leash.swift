import Foundation

/// The standard input of a ``ChildProcess``, which ends when the process ends that started it, however it does.
enum Leash {
  /// Set in the environment of a process that is on one.
  static let variable = "PEERD_LEASH"

  /// Stops this process, as a signal would, when its leash ends.
  static func hold(_ environment: [String: String]) {
    guard environment[variable] != nil else { return }
    unsetenv(variable)
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR {}
      kill(getpid(), SIGTERM)
    }
  }
}

/// How `peerd` ends, for scripts.
package enum ExitStatus: Int32, Error, Sendable {
  case done = 0
  /// Refused or failed; standard error says what, and what to do.
  case failed = 1
  /// The command line was wrong.
  case usage = 2
  /// No daemon runs on the data directory.
  case noDaemon = 3
  /// What was waited for did not come in time.
  case timedOut = 4
}

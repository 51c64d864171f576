import Foundation

extension Process {
  /// Waits until the process has ended. ``Process/waitUntilExit()`` by itself asks without a pause, for as long as the process runs,
  /// wherever its thread is not the one that has started the process.
  package func waitUntilEnd() {
    var info = siginfo_t()
    // It stays for Foundation to take note of. Where that has been quicker there is nothing to wait for.
    while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    waitUntilExit()
  }
}

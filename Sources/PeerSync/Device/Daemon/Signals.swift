import Foundation

/// Turns signals into calls: SIGTERM and SIGINT ask for a clean stop; SIGPIPE is ignored, since writing to a closed
/// pipe or socket is an ordinary error.
///
/// A handler writes the signal's number into a pipe, and a thread reads it. A Dispatch signal source would need the signal
/// ignored or blocked: it loses signals that come before it stands, and children inherit either.
public final class Signals: Sendable {
  private let numbers: [Int32]

  /// Make it first thing in the program, and only one: the handlers belong to the whole process.
  ///
  /// - Parameters:
  ///   - numbers: the signals
  ///   - handler: called on a thread of its own with the signal's number, each time one comes
  public init(_ numbers: [Int32] = [SIGTERM, SIGINT], handler: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fatalError("no pipe for signals: \(systemMessage(errno))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A full pipe holds signals enough: the handler must not wait.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    signalPipe = ends[1]
    self.numbers = numbers
    let reading = ends[0]
    Thread.detachNewThread { readSignals(from: reading, handler) }
    signal(SIGPIPE, SIG_IGN)
    for number in numbers { signal(number, noteSignal) }
  }

  deinit {
    for number in numbers { signal(number, SIG_DFL) }
    // The thread ends with it.
    close(signalPipe)
  }
}

/// Until the pipe ends.
private func readSignals(from pipe: Int32, _ handler: (Int32) -> Void) {
  var number: UInt8 = 0
  while true {
    let count = read(pipe, &number, 1)
    if count == 1 { handler(Int32(number)) } else if count == 0 || errno != EINTR { break }
  }
  close(pipe)
}

/// Where the handler writes. A constant at first, so that reading it in a handler initialises nothing.
private nonisolated(unsafe) var signalPipe: Int32 = -1

private func noteSignal(_ number: Int32) {
  let before = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(signalPipe, &byte, 1)
  errno = before
}

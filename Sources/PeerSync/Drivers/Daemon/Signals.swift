import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns signals into calls: SIGTERM and SIGINT ask for a clean stop; SIGPIPE is ignored, since writing to a closed
/// pipe or socket is an ordinary error.
///
/// A handler writes the signal's number into a pipe, and a Dispatch source reads it. A Dispatch signal source would need
/// the signal ignored or blocked: it loses signals that come before it stands, and children inherit either.
public final class Signals: Sendable {
  // Dispatch sources may be used from any thread; the module does not say so on Linux.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let numbers: [Int32]

  /// Make it first thing in the program, and only one: the handlers belong to the whole process.
  ///
  /// - Parameters:
  ///   - numbers: the signals
  ///   - handler: called on a queue of its own with the signal's number, each time one comes
  public init(_ numbers: [Int32] = [SIGTERM, SIGINT], handler: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fatalError("no pipe for signals: \(systemMessage(errno))") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A full pipe holds signals enough: the handler must not wait.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    signalPipe = ends[1]
    let reading = ends[0]
    self.numbers = numbers
    source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: DispatchQueue(label: "signals"))
    source.setEventHandler {
      var number: UInt8 = 0
      while read(reading, &number, 1) == 1 { handler(Int32(number)) }
    }
    source.setCancelHandler { close(reading) }
    source.activate()
    signal(SIGPIPE, SIG_IGN)
    for number in numbers { signal(number, noteSignal) }
  }

  deinit {
    for number in numbers { signal(number, SIG_DFL) }
    close(signalPipe)
    source.cancel()
  }
}

/// Where the handler writes. A constant at first, so that reading it in a handler initialises nothing.
private nonisolated(unsafe) var signalPipe: Int32 = -1

private func noteSignal(_ number: Int32) {
  let before = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(signalPipe, &byte, 1)
  errno = before
}

import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns signals into calls: SIGTERM and SIGINT ask for a clean stop; SIGPIPE is ignored, since writing to a closed
/// pipe or socket is an ordinary error.
public final class Signals: Sendable {
  // Dispatch sources may be used from any thread; the module does not say so on Linux.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  /// Call it first thing in the program, before other threads exist: they inherit what is blocked.
  ///
  /// - Parameter handler: called on a queue of its own with the signal's number, each time one comes
  public init(_ numbers: [Int32] = [SIGTERM, SIGINT], handler: @escaping @Sendable (Int32) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "signals")
    sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handler(number) }
      source.activate()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
